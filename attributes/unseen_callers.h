#pragma once

#include "rewriter/module_model.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Which functions of a module are named where the model has no call of them: in a macro, as an
/// argument, or in text that is read as something else. Then they may be called there with
/// anything. The files are read once, at the first question; the model has to outlive this.
class UnseenCallers {
  public:
    explicit UnseenCallers(const ModuleModel& model) : model_(model) {}

    bool has(Index function);

  private:
    void read();
    bool find(Index function) const;

    const ModuleModel& model_;
    bool is_read_ = false;
    /// Per name of a function: where the module's text has it.
    std::map<std::string, std::vector<Site>, std::less<>> mentions_;
    std::map<Index, bool> known_;
};

} // namespace slimgrad
