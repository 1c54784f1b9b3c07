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
// For a generic parameter without constraints.
constexpr int unconstrained = 20;
// One for each interface between a type and what a constraint asks for, which are not counted here.
constexpr int most_upcasts = 16;

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

bool is_own(const Declaration& function, TypeRef type) {
    return type && type->is(Type::Kind::parameter) &&
           std::find(function.generics.begin(), function.generics.end(), type->declaration) !=
               function.generics.end();
}

/// `f<T>(T a, T b)`: T is what both arguments are converted to.
bool join(Semantics& semantics, const Declaration* parameter, TypeRef type,
          Substitution& substitution) {
    for (auto& [declaration, known] : substitution.parameters) {
        if (declaration != parameter || known == type)
            continue;
        known = joined_type(semantics.types(), {known}, {type});
        return known != nullptr;
    }
    return true;
}

/// Binds generic parameters of the function by the arguments. False: they disagree in a way that
/// is not followed here.
bool infer(Semantics& semantics, const Declaration& function, const std::vector<TypeRef>& patterns,
           const std::vector<Argument>& arguments, Substitution& substitution) {
    bool agrees = true;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const TypeRef pattern = patterns[i], type = arguments[i].type;
        if (semantics.unify(pattern, type, substitution) != Answer::maybe || !is_complete(type))
            continue;
        agrees &=
            is_own(function, pattern) && join(semantics, pattern->declaration, type, substitution);
    }
    // A scalar is a vector of one.
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const TypeRef pattern = patterns[i], type = arguments[i].type;
        if (!pattern || !type || !pattern->is(Type::Kind::vector) || !type->is(Type::Kind::scalar))
            continue;
        const TypeRef one = semantics.types().value("1");
        for (const auto& [parameter, argument] :
             {std::pair(pattern->arguments[0], type), std::pair(pattern->arguments[1], one)}) {
            if (is_own(function, parameter) && !substitution.find(parameter->declaration))
                substitution.bind(parameter->declaration, argument);
        }
    }
    return agrees;
}

/// What a generic parameter adds for what it stands for: one with a constraint is more special,
/// one whose argument is given costs nothing.
ConversionCost constraint_cost(Semantics& semantics, const Declaration& function,
                               const Declaration& generic, const Substitution& substitution,
                               bool is_given) {
    const TypeRef* argument = substitution.find(&generic);
    const TypeRef parameter = semantics.types().make({Type::Kind::parameter, "", &generic, {}});
    const std::vector<TypeRef> constraints = semantics.bases(parameter);
    ConversionCost cost = ConversionCost::exactly(0);
    if (!is_given && generic.is(DeclarationKind::type_parameter) && constraints.empty() &&
        function.wheres.empty())
        return ConversionCost::exactly(unconstrained);
    for (TypeRef constraint : constraints) {
        const TypeRef wanted = semantics.substitute(constraint, substitution);
        const TypeRef given = argument ? *argument : nullptr;
        switch (semantics.conforms(given, wanted)) {
        case Answer::no:
            return ConversionCost::impossible();
        case Answer::maybe:
            cost += {};
            break;
        case Answer::yes: {
            const std::vector<TypeRef> bases = semantics.bases(given);
            if (std::find(bases.begin(), bases.end(), wanted) == bases.end())
                cost += {0, most_upcasts};
        }
        }
    }
    return cost;
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
    if (!takes(function, arguments.size()) || generic_arguments.size() > function.generics.size()) {
        candidate.cost = ConversionCost::impossible();
        return candidate;
    }
    Substitution& substitution = candidate.substitution;
    for (std::size_t i = 0; i < generic_arguments.size(); ++i)
        substitution.parameters.emplace_back(function.generics[i], generic_arguments[i]);
    std::vector<TypeRef> declared, patterns;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        declared.push_back(semantics.declared_type(*function.parameters[i]));
        patterns.push_back(semantics.substitute(declared[i], substitution));
    }
    const bool is_inferred = generic_arguments.size() < function.generics.size();
    const bool agrees =
        !is_inferred || infer(semantics, function, patterns, arguments, substitution);
    // Parameters of this function that nothing was found for stay open.
    const bool is_open_here =
        std::any_of(function.generics.begin(), function.generics.end(),
                    [&](const Declaration* generic) { return !substitution.find(generic); });
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const TypeRef parameter = semantics.substitute(declared[i], substitution);
        // Even then a number is no struct, whatever the struct's parameters are.
        ConversionCost cost = conversion_cost(semantics, arguments[i], parameter);
        if (arguments[i].type != parameter && is_written(semantics, *function.parameters[i]))
            cost += {lvalue_cast, lvalue_cast};
        const bool is_vague = !agrees || !found.certain || (is_open_here && is_open(parameter));
        candidate.cost += cost.is_possible() && is_vague ? ConversionCost{} : cost;
        candidate.parameters.push_back(parameter);
    }
    for (std::size_t i = 0; i < function.generics.size(); ++i) {
        if (candidate.cost.is_possible())
            candidate.cost += constraint_cost(semantics, function, *function.generics[i],
                                              substitution, i < generic_arguments.size());
    }
    const bool has_conditions = is_inferred && !function.wheres.empty();
    if (candidate.cost.is_possible() && (!found.certain || has_conditions))
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

std::ptrdiff_t required_generics(const Declaration& function) {
    return std::count_if(function.generics.begin(), function.generics.end(),
                         [](const Declaration* generic) { return !generic->value; });
}

/// Whether the first wins against the second at equal cost.
bool comes_first(Semantics& semantics, const Candidate& a, const Candidate& b) {
    const Found &left = *a.found, &right = *b.found;
    const bool free = left.in_free_extension || right.in_free_extension;
    if (is_requirement(left) != is_requirement(right) && !free)
        return is_requirement(right);
    const auto& one = *left.declaration;
    const auto& other = *right.declaration;
    if (left.in_free_extension != right.in_free_extension)
        return right.in_free_extension;
    if (left.in_extension != right.in_extension)
        return right.in_extension;
    if (left.is_member && right.is_member && left.depth != right.depth)
        return left.depth < right.depth;
    if (required_generics(one) != required_generics(other))
        return required_generics(one) < required_generics(other);
    // In another module nothing is near.
    if (left.distance != right.distance && (one.file == other.file || !left.by_using))
        return left.distance < right.distance;
    if (!one.generics.empty() || !other.generics.empty())
        return false;
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
    constexpr std::array<std::string_view, 12> names{"detach",       "diffPair",
                                                     "select",       "bit_cast",
                                                     "reinterpret",  "makeTuple",
                                                     "concat",       "createDynamicObject",
                                                     "printf",       "makeArrayFromElement",
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
    if (found.size() > most_candidates) {
        OverloadChoice any;
        for (const Found& one : found)
            any.possible.push_back(&one);
        return any;
    }
    for (const Found& one : found) {
        Candidate candidate = examine(semantics, one, arguments, generic_arguments);
        if (candidate.cost.is_possible())
            candidates.push_back(std::move(candidate));
    }
    OverloadChoice choice;
    for (const Candidate& candidate : candidates)
        choice.possible.push_back(candidate.found);
    choice.is_core =
        core && std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
            return core->high < candidate.cost.low;
        });
    if (choice.is_core)
        return choice;
    for (const Candidate& candidate : candidates) {
        const bool wins =
            std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
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
    const TypeRef type = semantics.substitute(semantics.declared_type(*choice.chosen->declaration),
                                              choice.substitution);
    // A generic parameter that was not found out says nothing outside of its function.
    const bool all_known =
        std::all_of(function.generics.begin(), function.generics.end(),
                    [&](const Declaration* generic) { return choice.substitution.find(generic); });
    return all_known || !is_open(type) ? type : nullptr;
}

} // namespace slimgrad
