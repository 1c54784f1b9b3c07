#pragma once

#include "attributes/memory_roots.h"
#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What functions run that they do not name: defaults of parameters that a call leaves out,
/// initializers of fields, constructors. The model has no calls of these: their text is read word
/// by word, and all that it may mean counts.
class ImplicitCode {
  public:
    /// All have to outlive it.
    ImplicitCode(const ModuleModel& model, const MemoryTracer& tracer);

    struct Part {
        Site site;
        std::set<Index> callees;
        std::set<MemoryRoot> reads;
        std::string unknown; ///< what it does that is not known, or ""
    };

    /// Of the function's own parameters, and of the types that it may make objects of.
    const std::vector<Part>& of(Index function) const { return parts_[function]; }

  private:
    Part read(std::string_view text, Site site) const;
    void read_name(std::string_view text, std::size_t begin, std::size_t end, Part& part) const;
    bool read_global(const GlobalVariable& global, Part& part) const;
    void read_types();
    /// Words that stand for more words: a type for those of its declaration, a macro for its
    /// body's, a function for its signature's.
    using Words = std::set<std::string, std::less<>>;
    std::map<std::string, Words, std::less<>> read_meanings() const;
    bool is_enumeration(std::string_view name) const;
    bool is_value_parameter(std::string_view name) const;

    const ModuleModel& model_;
    const MemoryTracer& tracer_;
    std::vector<std::vector<Part>> parts_; ///< per function
};

} // namespace slimgrad
