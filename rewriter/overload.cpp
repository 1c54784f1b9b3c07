#include "rewriter/overload.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace slimgrad {

namespace {

struct Candidate {
    const Found* found = nullptr;
    ConversionCost cost;
    Substitution substitution;
    std::vector<TypeRef> parameters; ///< with what is known of the generic ones
};

bool is_requirement(const Found& found) {
    const Declaration* parent = found.declaration->parent;
    return parent && parent->is(DeclarationKind::interface);
}

// For an argument of another type that is written (slang-ast-support-types.h).
constexpr int lvalue_cast = 800;

bool is_written(Semantics& semantics, const Declaration& parameter) {
    const auto modifiers = parameter.node.fields("modifier");
    return std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
        const std::string word = semantics.source(parameter.file, modifier);
        return word == "out" || word == "inout" || word == "__ref" || word == "ref";
    });
}

/// Takes any number of arguments.
bool is_variadic(Semantics& semantics, const Declaration& function) {
    const auto is_pack = [&](const Declaration* parameter) {
        const std::string text = semantics.source(parameter->file, parameter->node);
        return text.starts_with("each ") || text.starts_with("let each ") ||
               text.starts_with("expand ") || text.find(" expand ") != std::string::npos;
    };
    return std::any_of(function.generics.begin(), function.generics.end(), is_pack) ||
           std::any_of(function.parameters.begin(), function.parameters.end(), is_pack);
}

bool takes(const Declaration& function, std::size_t count) {
    const auto& parameters = function.parameters;
    const auto required = std::count_if(parameters.begin(), parameters.end(),
                                        [](const Declaration* p) { return !p->value; });
    return count <= parameters.size() && count >= std::size_t(required);
}

/// Binds what the arguments tell of the generic parameters, and adds up what they cost.
Candidate examine(Semantics& semantics, const Found& found, const std::vector<Argument>& arguments,
                  const std::vector<TypeRef>& generic_arguments) {
    const Declaration& function = *found.declaration;
    Candidate candidate{&found, ConversionCost::exactly(0), found.substitution, {}};
    if (is_variadic(semantics, function)) {
        candidate.cost = {};
        return candidate;
    }
    if (!takes(function, arguments.size()) ||
        generic_arguments.size() > function.generics.size()) {
        candidate.cost = ConversionCost::impossible();
        return candidate;
    }
    for (std::size_t i = 0; i < generic_arguments.size(); ++i)
        candidate.substitution.parameters.emplace_back(function.generics[i], generic_arguments[i]);
    std::vector<TypeRef> declared;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        declared.push_back(semantics.declared_type(*function.parameters[i]));
    if (generic_arguments.size() < function.generics.size()) {
        for (std::size_t i = 0; i < arguments.size(); ++i)
            semantics.unify(semantics.substitute(declared[i], found.substitution),
                            arguments[i].type, candidate.substitution);
    }
    // Parameters of this function that nothing was found for stay open.
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const TypeRef parameter = semantics.substitute(declared[i], candidate.substitution);
        const bool open_here =
            std::any_of(function.generics.begin(), function.generics.end(),
                        [&](const Declaration* generic) {
                            return !candidate.substitution.find(generic);
                        }) &&
            is_open(parameter);
        // Even then a number is no struct, whatever the struct's parameters are.
        ConversionCost cost = conversion_cost(semantics, arguments[i], parameter);
        if (arguments[i].type != parameter && is_written(semantics, *function.parameters[i]))
            cost += {lvalue_cast, lvalue_cast};
        candidate.cost +=
            cost.is_possible() && (open_here || !found.certain) ? ConversionCost{} : cost;
        candidate.parameters.push_back(parameter);
    }
    if (!found.certain)
        candidate.cost.high = ConversionCost::unlimited;
    // What the constraints refuse is no candidate.
    for (const Declaration* generic : function.generics) {
        const TypeRef* argument = candidate.substitution.find(generic);
        if (!argument || !*argument || !candidate.cost.is_possible())
            continue;
        const TypeRef parameter =
            semantics.types().make({Type::Kind::parameter, "", generic, {}});
        for (TypeRef constraint : semantics.bases(parameter)) {
            const TypeRef wanted = semantics.substitute(constraint, candidate.substitution);
            const Answer answer = semantics.conforms(*argument, wanted);
            if (answer == Answer::no)
                candidate.cost = ConversionCost::impossible();
            else if (answer == Answer::maybe && candidate.cost.is_possible())
                candidate.cost.high = ConversionCost::unlimited;
        }
    }
    if (function.generics.size() > generic_arguments.size() && !function.wheres.empty() &&
        candidate.cost.is_possible())
        candidate.cost.high = ConversionCost::unlimited;
    return candidate;
}

bool has_same_parameters(Semantics& semantics, const Declaration& a, const Declaration& b) {
    if (a.parameters.size() != b.parameters.size() || !a.generics.empty() || !b.generics.empty())
        return false;
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
        const TypeRef type = semantics.declared_type(*a.parameters[i]);
        if (!is_complete(type) || type != semantics.declared_type(*b.parameters[i]))
            return false;
    }
    return true;
}

/// Whether the first wins against the second at equal cost.
bool comes_first(Semantics& semantics, const Candidate& a, const Candidate& b) {
    const Found &left = *a.found, &right = *b.found;
    const bool free = left.in_free_extension || right.in_free_extension;
    if (is_requirement(left) != is_requirement(right) && !free)
        return is_requirement(right);
    const auto& one = *left.declaration;
    const auto& other = *right.declaration;
    if (one.generics.empty() && other.generics.empty()) {
        if (left.in_free_extension != right.in_free_extension)
            return right.in_free_extension;
        if (left.in_extension != right.in_extension)
            return right.in_extension;
        if (left.is_member && right.is_member && left.depth != right.depth)
            return left.depth < right.depth;
    }
    if (one.generics.size() != other.generics.size())
        return one.generics.empty(); // two generic ones: by rules that are not modelled
    if (!one.generics.empty())
        return false;
    if (left.distance != right.distance)
        return left.distance < right.distance;
    // A prototype and its definition.
    return one.parent == other.parent && one.has_body && !other.has_body &&
           has_same_parameters(semantics, one, other);
}

/// Whether the first is called whatever the second turns out to cost.
bool beats(Semantics& semantics, const Candidate& a, const Candidate& b) {
    if (a.cost.high == ConversionCost::unlimited) {
        // Equal parameters give equal costs.
        return has_same_parameters(semantics, *a.found->declaration, *b.found->declaration) &&
               comes_first(semantics, a, b);
    }
    if (a.cost.high < b.cost.low)
        return true;
    return a.cost.high == b.cost.low && comes_first(semantics, a, b);
}

/// Functions of the core module that take values of any type.
bool takes_anything(std::string_view core_function) {
    constexpr std::array<std::string_view, 12> names{
        "detach",    "diffPair", "select",      "bit_cast",      "reinterpret", "makeTuple",
        "concat",    "createDynamicObject",     "printf",        "makeArrayFromElement",
        "updatePrimal", "updateDiff"};
    return std::find(names.begin(), names.end(), core_function) != names.end();
}

/// Whether a function of the core module cannot be what is called instead.
bool beats_core(const Candidate& candidate, const ConversionCost& core,
                const std::vector<Argument>& arguments) {
    const Declaration& function = *candidate.found->declaration;
    if (candidate.cost.high < core.low ||
        (candidate.cost.high == core.low && function.generics.empty()))
        return true;
    return !takes_anything(function.name) &&
           std::any_of(arguments.begin(), arguments.end(), [](const Argument& argument) {
               return argument.type && argument.type->is(Type::Kind::declared) &&
                      argument.type->declaration->is(DeclarationKind::structure);
           });
}

} // namespace

OverloadChoice choose_overload(Semantics& semantics, const std::vector<Found>& found,
                               const std::vector<Argument>& arguments,
                               const std::vector<TypeRef>& generic_arguments,
                               std::optional<ConversionCost> core) {
    std::vector<Candidate> candidates;
    for (const Found& one : found) {
        Candidate candidate = examine(semantics, one, arguments, generic_arguments);
        if (candidate.cost.is_possible())
            candidates.push_back(std::move(candidate));
    }
    OverloadChoice choice;
    for (const Candidate& candidate : candidates)
        choice.possible.push_back(candidate.found);
    choice.is_core = core && std::all_of(candidates.begin(), candidates.end(),
                                         [&](const Candidate& candidate) {
                                             return core->high < candidate.cost.low;
                                         });
    if (choice.is_core)
        return choice;
    for (const Candidate& candidate : candidates) {
        const bool wins = std::all_of(
            candidates.begin(), candidates.end(), [&](const Candidate& other) {
                return &other == &candidate || beats(semantics, candidate, other);
            });
        if (!wins || (core && !beats_core(candidate, *core, arguments)) ||
            !candidate.found->certain)
            continue;
        choice.chosen = candidate.found;
        choice.substitution = candidate.substitution;
        break;
    }
    return choice;
}

TypeRef result_type(Semantics& semantics, const OverloadChoice& choice) {
    if (!choice.chosen)
        return nullptr;
    const Declaration& function = *choice.chosen->declaration;
    const TypeRef type =
        semantics.substitute(semantics.declared_type(*choice.chosen->declaration),
                             choice.substitution);
    // A generic parameter that was not found out says nothing outside of its function.
    const bool all_known = std::all_of(
        function.generics.begin(), function.generics.end(),
        [&](const Declaration* generic) { return choice.substitution.find(generic); });
    return all_known || !is_open(type) ? type : nullptr;
}

} // namespace slimgrad
