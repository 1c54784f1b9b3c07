#include "rewriter/derivative_type.h"

#include "rewriter/generic_field.h"
#include "rewriter/type.h"
#include "rewriter/type_alias.h"
#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace slimgrad {

namespace {

constexpr int deepest = 12; ///< types in types; what nests deeper is unknown

constexpr std::string_view type_unknown = "its type is not known";
constexpr std::string_view in_memory = "its gradients are in memory";

std::string_view first_word(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_name(text[end]))
        ++end;
    return text.substr(0, end);
}

bool is_float(std::string_view scalar) {
    return scalar.starts_with("float") || scalar == "double" || scalar == "half";
}

/// "A<B<C>, 2>": "B<C>", "2".
std::vector<std::string_view> generic_arguments(std::string_view type) {
    std::vector<std::string_view> arguments;
    const auto open = type.find('<');
    if (open == std::string_view::npos || !type.ends_with('>'))
        return arguments;
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = begin; i + 1 <= type.size(); ++i) {
        const char c = type[i];
        const bool last = i + 1 == type.size();
        if (depth == 0 && (c == ',' || last)) {
            arguments.push_back(trimmed(type.substr(begin, i - begin)));
            begin = i + 1;
        }
        depth += c == '<' || c == '(' || c == '[' ? 1 : c == '>' || c == ')' || c == ']' ? -1 : 0;
    }
    return arguments;
}

/// Interfaces of the core module: whether what implements them is differentiable for it.
DerivativeUse of_core_interface(std::string_view name) {
    constexpr std::array<std::string_view, 3> with{"IDifferentiable", "IFloat",
                                                   "__BuiltinFloatingPointType"};
    constexpr std::array<std::string_view, 9> without{
        "IComparable", "IArithmetic", "ILogical",   "IRangedValue", "IBufferDataLayout",
        "IEqualTo",    "IPhysical",   "__EnumType", "ICopyable"};
    if (std::find(with.begin(), with.end(), name) != with.end())
        return DerivativeUse::carries;
    return std::find(without.begin(), without.end(), name) != without.end()
               ? DerivativeUse::does_not
               : DerivativeUse::unknown;
}

bool is_resource(std::string_view name) {
    constexpr std::array<std::string_view, 12> names{"StructuredBuffer",
                                                     "RWStructuredBuffer",
                                                     "ByteAddressBuffer",
                                                     "RWByteAddressBuffer",
                                                     "Buffer",
                                                     "RWBuffer",
                                                     "AppendStructuredBuffer",
                                                     "SamplerState",
                                                     "SamplerComparisonState",
                                                     "ConsumeStructuredBuffer",
                                                     "TensorView",
                                                     "RaytracingAccelerationStructure"};
    return std::find(names.begin(), names.end(), name) != names.end() ||
           name.starts_with("Texture") || name.starts_with("RWTexture") ||
           name.starts_with("Sampler");
}

DerivativeAnswer none_of_type(std::string_view type) {
    return DerivativeAnswer::does_not(fmt::format("type '{}' has no derivative", type));
}

bool same_declarations(const ModuleModel& model, std::string_view name) {
    return std::count_if(model.types.begin(), model.types.end(),
                         [&](const TypeDeclaration& type) { return type.name == name; }) == 1;
}

/// A type that says itself what its derivative is.
bool has_own_differential(const ModuleModel& model, const TypeDeclaration& type) {
    const std::string_view text = model.text(type.site);
    for (std::size_t at = text.find("Differential"); at != std::string_view::npos;
         at = text.find("Differential", at + 1)) {
        const std::string_view rest = text.substr(at);
        const bool other_word = at > 0 && is_name(text[at - 1]);
        if (!other_word && !rest.starts_with("DifferentialP") && !rest.starts_with("Differentiala"))
            return true;
    }
    return text.find("DerivativeMember") != std::string_view::npos;
}

} // namespace

DerivativeAnswer both(const DerivativeAnswer& a, const DerivativeAnswer& b) {
    if (a.use == DerivativeUse::does_not || (b.carries() && b.reason.empty()))
        return a;
    return b.use == DerivativeUse::does_not || a.carries() ? b : a;
}

DerivativeAnswer either(const DerivativeAnswer& a, const DerivativeAnswer& b) {
    if (a.carries() || b.use == DerivativeUse::does_not)
        return a;
    return b;
}

/// Aliases, `This` and types in types by their own name; `This` of an interface is any type.
std::string DerivativeTypes::meaning(std::string_view type) const {
    const std::string meant = type_behind_alias(model_, trimmed(type));
    if (meant != "This" || function_ == none)
        return std::string(inner_type(model_, meant));
    const std::string& own = model_.functions[function_].parent_type;
    const TypeDeclaration* declared = model_.find_type(own);
    return declared && !declared->is_interface ? own : meant;
}

/// In its own methods the name of a type is the type with its own parameters, `This`.
bool DerivativeTypes::is_own(std::string_view type) const {
    return function_ != none && type == model_.functions[function_].parent_type;
}

DerivativeAnswer DerivativeTypes::of(std::string_view type) const {
    const DerivativeAnswer answer = of(type, 0);
    return answer.use == DerivativeUse::does_not && holds_gradient_tensor(type)
               ? DerivativeAnswer::unknown(std::string(in_memory))
               : answer;
}

DerivativeAnswer DerivativeTypes::of(std::string_view type, int depth) const {
    type = trimmed(type);
    for (std::string_view word : {"const ", "in ", "uniform "}) {
        if (type.starts_with(word))
            return of(type.substr(word.size()), depth);
    }
    type = inner_type(model_, type);
    if (depth > deepest || type.empty())
        return DerivativeAnswer::unknown(std::string(type_unknown));
    if (type.ends_with(']')) {
        const auto open = type.find('[');
        return of(type.substr(0, open == std::string_view::npos ? 0 : open), depth + 1);
    }
    const std::string_view name = first_word(type);
    if (name == type) {
        if (const std::string_view scalar = scalar_of(name); !scalar.empty()) {
            if (is_float(scalar))
                return {};
            return DerivativeAnswer::does_not(scalar == "bool" ? "bool" : "integer");
        }
        if (name == "void")
            return none_of_type(name);
    }
    const auto arguments = generic_arguments(type);
    const bool plain_or_generic = name == type || !arguments.empty();
    if (plain_or_generic && !model_.find_type(name)) {
        if (is_gradient_tensor(type))
            return none_of_type(type);
        if (is_resource(name))
            return none_of_type(type);
        constexpr std::array<std::string_view, 4> containers{"vector", "matrix", "Array",
                                                             "Optional"};
        if (!arguments.empty() &&
            std::find(containers.begin(), containers.end(), name) != containers.end())
            return of(arguments[0], depth + 1);
        if (name == "Tuple" && !arguments.empty()) {
            DerivativeAnswer answer = of(arguments[0], depth + 1);
            for (std::string_view argument : arguments)
                answer = both(answer, of(argument, depth + 1));
            return answer.carries() ? answer : DerivativeAnswer::unknown(std::string(type_unknown));
        }
    }
    if (name == type && function_ != none) {
        const Function& function = model_.functions[function_];
        for (const auto* generics : {&function.generics, &function.outer_generics}) {
            for (const GenericParameter& parameter : *generics) {
                if (parameter.name == name && !parameter.is_value)
                    return of_parameter(parameter, depth);
            }
        }
    }
    if (plain_or_generic && same_declarations(model_, name))
        return of_declared(name, depth);
    if (const std::string meant = meaning(type); meant != type)
        return of(meant, depth + 1);
    return DerivativeAnswer::unknown(std::string(type_unknown));
}

DerivativeAnswer DerivativeTypes::of_declared(std::string_view name, int depth) const {
    const TypeDeclaration& declared = *model_.find_type(name);
    std::vector<std::string> bases = declared.bases;
    for (const TypeExtension& extension : model_.extensions) {
        // An extension of a generic type may hold for some of its arguments alone.
        if (first_word(trimmed(extension.type)) == name)
            bases.insert(bases.end(), extension.bases.begin(), extension.bases.end());
    }
    // An interface says nothing of what else its implementations are.
    DerivativeAnswer answer = declared.is_interface
                                  ? DerivativeAnswer::unknown(std::string(type_unknown))
                                  : none_of_type(name);
    for (const std::string& base : bases) {
        const std::string_view base_name = first_word(trimmed(base));
        const DerivativeUse core = of_core_interface(base_name);
        DerivativeAnswer of_base = DerivativeAnswer::unknown(std::string(type_unknown));
        if (same_declarations(model_, base_name) && depth < deepest)
            of_base = of_declared(base_name, depth + 1);
        else if (core != DerivativeUse::unknown)
            of_base = core == DerivativeUse::carries ? DerivativeAnswer{} : none_of_type(name);
        // That a base says nothing leaves the answer to the type itself.
        const TypeDeclaration* known = model_.find_type(base_name);
        if (known && known->is_interface && of_base.use == DerivativeUse::unknown &&
            is_closed_interface(*known, depth))
            continue;
        answer = either(answer, of_base);
    }
    return answer;
}

/// Whether all that the interface inherits from is known, and has no derivative.
bool DerivativeTypes::is_closed_interface(const TypeDeclaration& type, int depth) const {
    return depth < deepest && std::all_of(
                                  type.bases.begin(), type.bases.end(),
                                  [&](const std::string& base) {
                                      const std::string_view name = first_word(trimmed(base));
                                      if (of_core_interface(name) == DerivativeUse::does_not)
                                          return true;
                                      const TypeDeclaration* known = model_.find_type(name);
                                      return known && known->is_interface &&
                                             same_declarations(model_, name) &&
                                             is_closed_interface(*known, depth + 1);
                                  });
}

DerivativeAnswer DerivativeTypes::of_parameter(const GenericParameter& parameter, int depth) const {
    DerivativeAnswer answer = DerivativeAnswer::unknown(std::string(type_unknown));
    std::string_view rest = parameter.constraint;
    while (!rest.empty()) {
        const auto end = rest.find_first_of("&,");
        const std::string_view name = first_word(trimmed(rest.substr(0, end)));
        if (of_core_interface(name) == DerivativeUse::carries ||
            (same_declarations(model_, name) && of_declared(name, depth + 1).carries()))
            answer = {};
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return answer;
}

std::string DerivativeTypes::member(std::string_view type, std::string_view member,
                                    DerivativeAnswer& answer) const {
    const std::string meant = meaning(type);
    type = meant;
    const std::string_view name = first_word(type);
    const std::string_view scalar = scalar_of(type);
    if (!scalar.empty()) {
        // `v.xy`, `m._11`: its elements
        const bool elements =
            member.find_first_not_of("xyzwrgba") == std::string_view::npos || member[0] == '_';
        return elements ? std::string(scalar) : std::string();
    }
    if (name == "Tuple" && !model_.find_type(name)) {
        const auto parts = generic_arguments(type);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (member != "_" + std::to_string(i))
                continue;
            answer = both(answer, of(type, 0));
            return std::string(parts[i]);
        }
        return {};
    }
    if (type.ends_with(']') || !same_declarations(model_, name))
        return {};
    const TypeDeclaration& declared = *model_.find_type(name);
    const auto field =
        std::find_if(declared.fields.begin(), declared.fields.end(),
                     [&](const TypeDeclaration::Field& f) { return f.name == member; });
    if (field == declared.fields.end()) {
        // Of a struct that it inherits from.
        for (const std::string& base : declared.bases) {
            const TypeDeclaration* inherited = model_.find_type(first_word(base));
            if (!inherited || inherited->is_interface || inherited == &declared)
                continue;
            const std::string base_type =
                is_own(type) ? base : field_type(model_, declared, type, base);
            if (std::string found = this->member(base_type, member, answer); !found.empty())
                return found;
        }
        return {};
    }
    if (holds_gradient_tensor(field->type))
        answer = DerivativeAnswer::unknown(std::string(in_memory));
    else if (std::find(field->modifiers.begin(), field->modifiers.end(), "no_diff") !=
             field->modifiers.end())
        answer = both(DerivativeAnswer::does_not("no_diff"), answer);
    else if (has_own_differential(model_, declared))
        answer = both(answer, DerivativeAnswer::unknown(fmt::format(
                                  "'{}' says itself what its derivative is", declared.name)));
    else
        answer = both(answer, of(type, 0));
    return is_own(type) ? field->type : field_type(model_, declared, type, field->type);
}

std::string DerivativeTypes::element(std::string_view type) const {
    const std::string meant = meaning(type);
    type = meant;
    if (type.ends_with(']')) {
        const auto open = type.find('[');
        const auto close = type.find(']');
        if (open == std::string_view::npos)
            return {};
        return std::string(type.substr(0, open)) + std::string(type.substr(close + 1));
    }
    if (const std::string_view scalar = scalar_of(type); !scalar.empty())
        return std::string(scalar);
    const std::string_view name = first_word(type);
    const auto arguments = generic_arguments(type);
    if (is_gradient_tensor(type))
        return arguments.empty() ? "float" : std::string(arguments[0]);
    if ((name == "vector" || name == "Array" || name == "matrix") && !arguments.empty() &&
        !model_.find_type(name))
        return std::string(arguments[0]);
    return {};
}

bool DerivativeTypes::is_gradient_tensor(std::string_view type) const {
    const std::string meant = meaning(type);
    type = meant;
    const std::string_view name = first_word(type);
    return name == "DiffTensorView" && !type.ends_with(']') && !model_.find_type(name);
}

bool DerivativeTypes::holds_tensor(std::string_view type, int depth) const {
    const std::string meant = meaning(type);
    type = meant;
    if (type.find("DiffTensorView") != std::string_view::npos &&
        !model_.find_type("DiffTensorView"))
        return true;
    const TypeDeclaration* declared = model_.find_type(first_word(trimmed(type)));
    if (!declared || depth > deepest)
        return false;
    const auto holds = [&](std::string_view part) { return holds_tensor(part, depth + 1); };
    const auto arguments = generic_arguments(trimmed(type));
    return std::any_of(arguments.begin(), arguments.end(), holds) ||
           std::any_of(declared->bases.begin(), declared->bases.end(), holds) ||
           std::any_of(declared->fields.begin(), declared->fields.end(),
                       [&](const TypeDeclaration::Field& field) { return holds(field.type); });
}

bool DerivativeTypes::is_memory(std::string_view type) const {
    const std::string meant = meaning(type);
    type = meant;
    const std::string_view name = first_word(trimmed(type));
    return is_resource(name) && !model_.find_type(name);
}

} // namespace slimgrad
