#include "plugin/clang/repair_extents.h"

#include "plugin/clang/context_arrays.h"
#include "plugin/clang/parse_cuda.h"
#include "plugin/clang/text_edits.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <utility>

namespace slimgrad {
namespace {

using clang::dyn_cast;

/// An array of arrays.
struct NestedArray {
    const clang::FieldDecl* field = nullptr;
    std::vector<std::uint64_t> extents; ///< as declared, from the outside in
    clang::QualType element;
    bool transposed = false, straight = false, unclear = false; ///< uses that were seen
    /// Did a loop's own number of slots show that the extents are as they should be, or not?
    bool right = false, wrong = false;
    const Use* use = nullptr; ///< a transposed one
};

struct GivenZeros {
    const clang::Expr* value;        ///< a variable, mostly
    clang::SourceLocation statement; ///< that gives it to the array
};

class RepairExtents {
  public:
    RepairExtents(clang::ASTContext& context, RewriteResult& result, bool only_tell = false)
        : context_(context), result_(result), only_tell_(only_tell),
          code_(read_generated_code(context)),
          edits_(context.getSourceManager(), context.getLangOpts()) {}

    bool run() {
        find_arrays();
        for (const GeneratedFunction& function : code_.functions)
            for (const Use& use : function.uses)
                for (std::size_t i = 0; i < use.path.size(); ++i)
                    if (const auto array = arrays_.find(use.path[i].field);
                        use.path[i].field && array != arrays_.end())
                        look(function, use, i, array->second);
        for (auto& [field, array] : arrays_)
            if (array.transposed && !symmetric(array) && !(array.right && !array.wrong))
                repair(array);
        return !edits_.empty() && edits_.apply(result_.text);
    }

  private:
    void find_arrays() {
        for (const Record record : code_.records) {
            if (context_kind(record) != ContextKind::stored)
                continue;
            for (const clang::FieldDecl* field : record->fields()) {
                NestedArray array{field, {}, {}, false, false, false, false, false, nullptr};
                array.element = field->getType();
                for (std::size_t level = loops_of(field); level > 0; --level) {
                    const FixedArrayType row = *fixed_array(array.element);
                    array.extents.push_back(row.extent);
                    array.element = row.element;
                }
                if (array.extents.size() > 1)
                    arrays_.emplace(field, std::move(array));
            }
        }
    }

    /// How many of the array's levels are loops: what is written has that many indices. The others
    /// are an array that the loops carry.
    std::size_t loops_of(const clang::FieldDecl* field) const {
        std::size_t fewest = elements_of(field->getType()).extents.size();
        for (const GeneratedFunction& function : code_.functions)
            for (const Use& use : function.uses)
                for (std::size_t i = 0; i + 1 < use.path.size(); ++i) {
                    if (use.kind != Use::Kind::written || use.path[i].field != field ||
                        !use.path[i + 1].index)
                        continue;
                    std::size_t indices = 1;
                    while (i + 1 + indices < use.path.size() && use.path[i + 1 + indices].index)
                        ++indices;
                    fewest = std::min(fewest, indices);
                }
        return fewest;
    }

    static bool symmetric(const NestedArray& array) {
        return std::equal(array.extents.begin(), array.extents.end(), array.extents.rbegin());
    }

    /// How deep the loop lies that counts with the variable; 0: none does.
    unsigned depth(const GeneratedFunction& function, Variable variable) {
        unsigned deepest = 0;
        for (const clang::Stmt* write : writes_of(function.definition->getBody(), variable)) {
            unsigned loops = 0;
            for (const clang::Stmt* loop = loop_around(context_, write); loop;
                 loop = loop_around(context_, loop))
                ++loops;
            deepest = std::max(deepest, loops);
        }
        return deepest;
    }

    static std::vector<const clang::Stmt*> writes_of(const clang::Stmt* statement,
                                                     Variable variable) {
        std::vector<const clang::Stmt*> found;
        if (const auto* assignment = dyn_cast<clang::BinaryOperator>(statement);
            assignment && assignment->isAssignmentOp() &&
            variable_in(assignment->getLHS()) == variable)
            found.push_back(assignment);
        for (const clang::Stmt* child : statement->children())
            if (child)
                for (const clang::Stmt* inner : writes_of(child, variable))
                    found.push_back(inner);
        return found;
    }

    /// How many slots arrays have that only this counter indexes; for a counter of a backward loop
    /// that starts at a constant, two more than that. Empty: not known.
    std::set<std::uint64_t> slots(const GeneratedFunction& function, Variable counter) const {
        std::set<std::uint64_t> found;
        for (const Use& use : function.uses)
            for (std::size_t i = 1; i < use.path.size(); ++i)
                if (use.path[i].index && use.path[i - 1].field &&
                    variable_in(use.path[i].index) == counter)
                    if (const auto array = fixed_array(use.path[i - 1].field->getType());
                        array && !fixed_array(array->element) &&
                        context_kind(dyn_cast<clang::CXXRecordDecl>(
                            use.path[i - 1].field->getParent())) == ContextKind::stored)
                        found.insert(array->extent);
        clang::Expr::EvalResult start;
        if (counter->hasInit() && counter->getInit()->EvaluateAsInt(start, context_) &&
            start.Val.getInt().isStrictlyPositive())
            found.insert(start.Val.getInt().getZExtValue() + 2);
        return found;
    }

    void look(const GeneratedFunction& function, const Use& use, std::size_t step,
              NestedArray& array) {
        std::vector<unsigned> depths;
        for (std::size_t i = 0; i < array.extents.size() && step + 1 + i < use.path.size() &&
                                use.path[step + 1 + i].index;
             ++i)
            if (const Variable counter = variable_in(use.path[step + 1 + i].index))
                if (const std::set<std::uint64_t> known = slots(function, counter);
                    known.size() == 1) {
                    const std::uint64_t here = array.extents[i],
                                        opposite = array.extents[array.extents.size() - 1 - i];
                    array.right |= here != opposite && *known.begin() == here;
                    array.wrong |= here != opposite && *known.begin() == opposite;
                }
        for (std::size_t i = step + 1;
             i < use.path.size() && use.path[i].index && depths.size() < array.extents.size();
             ++i) {
            const Variable counter = variable_in(use.path[i].index);
            depths.push_back(counter && counter->isLocalVarDecl() ? depth(function, counter) : 0);
        }
        if (depths.empty()) { // as a whole: zeros, which can be written for any extents
            array.unclear |= use.kind != Use::Kind::written || use.path.size() != step + 1 ||
                             !zero_array(context_, use.other_side);
            return;
        }
        const bool known = depths.size() == array.extents.size() &&
                           std::count(depths.begin(), depths.end(), 0u) == 0;
        const auto falls = [](unsigned outer, unsigned inner) { return outer <= inner; };
        const auto rises = [](unsigned outer, unsigned inner) { return outer >= inner; };
        if (known && std::adjacent_find(depths.begin(), depths.end(), falls) == depths.end()) {
            array.transposed = true;
            array.use = array.use ? array.use : &use;
        } else if (known &&
                   std::adjacent_find(depths.begin(), depths.end(), rises) == depths.end()) {
            array.straight = true;
        } else {
            array.unclear = true;
        }
    }

    void repair(const NestedArray& array) {
        const Place place = place_of(context_.getSourceManager(), array.use->root->getBeginLoc());
        const std::string declared = fmt::format("[{}]", fmt::join(array.extents, "]["));
        std::vector<std::uint64_t> extents(array.extents.rbegin(), array.extents.rend());
        std::vector<GivenZeros> zeros;
        const char* why = nullptr;
        if (!array.wrong)
            why = "the loops' numbers of trips are not known";
        else if (array.right)
            why = "the loops' numbers of trips contradict each other";
        else if (array.straight || array.unclear)
            why = "its uses are not all alike";
        else if (!find_zeros(array, zeros))
            why = "what it is initialized with is not understood";
        if (why)
            return note(place,
                        fmt::format("nested loops store into an array that is declared {} and "
                                    "indexed the other way round: gradients are wrong, and are "
                                    "not repaired, because {}; give both loops the same bound, "
                                    "or put the inner one into a function",
                                    declared, why));
        if (only_tell_)
            return note(place,
                        fmt::format("nested loops store into an array that is declared {} and "
                                    "indexed the other way round: gradients are wrong; the "
                                    "pass repair-extents makes it [{}]",
                                    declared, fmt::join(extents, "][")));
        edits_.replace(array.field->getTypeSourceInfo()->getTypeLoc().getSourceRange(),
                       type(array, extents));
        for (const GivenZeros& given : zeros) {
            std::string name;
            edits_.insert_before(given.statement, zero_variables(array, given, extents, name));
            edits_.replace(given.value->getSourceRange(), name);
        }
        note(place,
             fmt::format("nested loops store into an array that is declared {} and indexed the "
                         "other way round: gradients were wrong; it is [{}] now, and gradients "
                         "change",
                         declared, fmt::join(extents, "][")),
             true);
    }

    void note(const Place& place, std::string message, bool repaired = false) {
        result_.notes.push_back(
            {RewriteNote::Severity::error, "repair-extents", place, std::move(message), repaired});
    }

    /// Where the array gets its zeros, by an assignment or by a list.
    bool find_zeros(const NestedArray& array, std::vector<GivenZeros>& zeros) const {
        for (const GeneratedFunction& function : code_.functions)
            for (const Use& use : function.uses)
                if (use.kind == Use::Kind::written && !use.path.empty() &&
                    use.path.back().field == array.field) {
                    if (innermost(array, use.other_side).empty())
                        return false;
                    zeros.push_back({use.other_side, use.assignment->getBeginLoc()});
                }
        for (const GeneratedFunction& function : code_.functions)
            for (const Variable variable : function.locals) {
                if (record_of(variable->getType()) != array.field->getParent() ||
                    variable->getType()->isPointerType() || !variable->hasInit())
                    continue;
                const clang::InitListExpr* list = list_of(variable);
                if (!list || is_empty(list))
                    continue;
                const unsigned index = array.field->getFieldIndex();
                if (index >= list->getNumInits() || innermost(array, list->getInit(index)).empty())
                    return false;
                zeros.push_back({list->getInit(index), above(context_, variable)->getBeginLoc()});
            }
        return true;
    }

    /// One zero of the innermost row; "" where that is not understood.
    std::string innermost(const NestedArray& array, const clang::Expr* value) const {
        std::optional<Zeros> zeros = zeros_in(context_, value);
        for (std::size_t level = 1; zeros && level < array.extents.size(); ++level)
            zeros = zeros->element ? zeros_in(context_, zeros->element) : zeros_of(zeros->type);
        return zeros ? text_of_zero(context_, *zeros) : "";
    }

    std::string type(const NestedArray& array, const std::vector<std::uint64_t>& extents,
                     std::size_t from = 0) const {
        std::string text = array.element.getAsString(clang::PrintingPolicy(context_.getLangOpts()));
        for (std::size_t i = extents.size(); i-- > from;)
            text = fmt::format("FixedArray<{}, {}> ", text, extents[i]);
        return text;
    }

    /// Declares the zeros row by row, as slangc does; `name`: of the whole.
    std::string zero_variables(const NestedArray& array, const GivenZeros& given,
                               const std::vector<std::uint64_t>& extents, std::string& name) {
        std::string text, element = innermost(array, given.value);
        for (std::size_t i = extents.size(); i-- > 0;) {
            name = fmt::format("slimgrad_zeros_{}", next_++);
            text += fmt::format("{} {} = {{ {} }}; ", type(array, extents, i), name,
                                fmt::join(std::vector<std::string>(extents[i], element), ", "));
            element = name;
        }
        return text;
    }

    clang::ASTContext& context_;
    RewriteResult& result_;
    const bool only_tell_;
    const GeneratedCode code_;
    TextEdits edits_;
    std::map<const clang::FieldDecl*, NestedArray> arrays_;
    unsigned next_ = 0;
};

} // namespace

bool repair_extents(clang::ASTContext& context, RewriteResult& result) {
    return RepairExtents(context, result).run();
}

void find_transposed_extents(clang::ASTContext& context, RewriteResult& result) {
    RepairExtents(context, result, true).run();
}

} // namespace slimgrad
