#include "rewriter/conversion.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

enum class NumberKind { signed_integer, unsigned_integer, real };

struct Number {
    NumberKind kind;
    int rank; ///< by size, pointers apart; 0: bool, which converts as the smallest unsigned integer
    int bits; ///< 0: literals are not looked at
};

/// Nothing for names that are no numbers.
const Number* number_of(std::string_view scalar) {
    struct Entry {
        std::string_view name;
        Number number;
    };
    static constexpr std::array<Entry, 14> entries{{
        {"bool", {NumberKind::unsigned_integer, 0, 0}},
        {"int8_t", {NumberKind::signed_integer, 1, 8}},
        {"int16_t", {NumberKind::signed_integer, 2, 16}},
        {"int", {NumberKind::signed_integer, 3, 32}},
        {"intptr_t", {NumberKind::signed_integer, 4, 64}},
        {"int64_t", {NumberKind::signed_integer, 5, 64}},
        {"uint8_t", {NumberKind::unsigned_integer, 1, 8}},
        {"uint16_t", {NumberKind::unsigned_integer, 2, 16}},
        {"uint", {NumberKind::unsigned_integer, 3, 32}},
        {"uintptr_t", {NumberKind::unsigned_integer, 4, 64}},
        {"uint64_t", {NumberKind::unsigned_integer, 5, 64}},
        {"half", {NumberKind::real, 2, 0}},
        {"float", {NumberKind::real, 3, 0}},
        {"double", {NumberKind::real, 5, 0}},
    }};
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.name == scalar; });
    return found == entries.end() ? nullptr : &found->number;
}

bool is_integer(const Number& number) {
    return number.kind == NumberKind::signed_integer || number.kind == NumberKind::unsigned_integer;
}

// The compiler's own numbers (slang-ast-support-types.h); their order is what counts.
constexpr int literal_conversion = 23, literal_to_unsigned = 32, literal_to_signed = 81;
constexpr int interface_cast = 50, bool_to_int = 120, promotion = 150;
constexpr int unsigned_promotion = 200, to_unsigned = 250, to_signed_of_same_size = 300;
constexpr int to_real = 400, to_half = 500, truncation = 450, general = 900;
constexpr int to_optional = 150;
constexpr int scalar_to_vector = 2, scalar_to_matrix = 10, vector_to_scalar = 1;
constexpr int unsized_array = 30, dereferencing = 10;

int scalar_cost(const Number& from, const Number& to, int literal_bits) {
    if (from.kind == to.kind && from.rank == to.rank)
        return 0;
    if (literal_bits > 0 && literal_bits <= to.bits && is_integer(to) && is_integer(from)) {
        if (from.kind == to.kind)
            return literal_conversion;
        return to.kind == NumberKind::signed_integer ? literal_to_signed : literal_to_unsigned;
    }
    if (from.kind == to.kind)
        return to.rank > from.rank ? promotion : general;
    const bool is_boolean = from.rank == 0;
    if (is_boolean && to.kind == NumberKind::signed_integer && to.rank == 3)
        return bool_to_int;
    const bool pointer_sized = to.rank == 4 || from.rank == 4;
    if (to.kind == NumberKind::signed_integer && from.kind == NumberKind::unsigned_integer &&
        !pointer_sized && to.rank >= from.rank)
        return to.rank > from.rank ? unsigned_promotion : to_signed_of_same_size;
    if (to.kind == NumberKind::unsigned_integer && from.kind == NumberKind::signed_integer &&
        to.rank >= from.rank)
        return to_unsigned;
    if (to.kind == NumberKind::real && is_integer(from) && !is_boolean)
        return to.rank >= 3 ? to_real : to_half;
    return general;
}

/// Between scalars, or elements of vectors and matrices.
ConversionCost element_cost(TypeRef from, TypeRef to, int literal_bits) {
    if (from == to)
        return from ? ConversionCost::exactly(0) : ConversionCost{};
    if (!from || !to || !from->is(Kind::scalar) || !to->is(Kind::scalar))
        return {};
    const Number* source = number_of(from->name);
    const Number* target = number_of(to->name);
    if (!source || !target)
        return {0, general};
    return ConversionCost::exactly(scalar_cost(*source, *target, literal_bits));
}

bool is_real(const Number* number) {
    return number && number->kind == NumberKind::real;
}

/// A matrix is filled with a scalar of its own type, an int or a float.
ConversionCost scalar_to_matrix_cost(TypeRef from, TypeRef element) {
    if (from == element)
        return ConversionCost::exactly(scalar_to_matrix);
    if (!element || !element->is(Kind::scalar) || !number_of(from->name) ||
        !number_of(element->name))
        return {scalar_to_matrix, ConversionCost::unlimited};
    if (from->name == "int" && element->name == "int16_t")
        return ConversionCost::exactly(truncation);
    if (is_real(number_of(element->name)) && (from->name == "int" || from->name == "float"))
        return ConversionCost::exactly(scalar_to_matrix + (from->name == "int" ? to_real : 0));
    return ConversionCost::impossible();
}

bool has_fixed_size(TypeRef type) {
    return std::all_of(type->arguments.begin() + (type->is(Kind::scalar) ? 0 : 1),
                       type->arguments.end(),
                       [](TypeRef size) { return size && size->is(Kind::value); });
}

ConversionCost numeric_cost(const Argument& argument, TypeRef to) {
    const TypeRef from = argument.type;
    if (from->is(Kind::scalar) && to->is(Kind::scalar))
        return element_cost(from, to, argument.literal_bits);
    if (from->is(Kind::scalar) && to->is(Kind::matrix))
        return scalar_to_matrix_cost(from, to->arguments[0]);
    ConversionCost cost = element_cost(element_of(from), element_of(to), 0);
    if (from->kind == to->kind &&
        std::equal(from->arguments.begin() + 1, from->arguments.end(), to->arguments.begin() + 1))
        return is_complete(from) && is_complete(to) ? cost : ConversionCost{cost.low};
    if (from->is(Kind::matrix) || to->is(Kind::matrix)) {
        const bool open_size =
            from->kind == to->kind && !(has_fixed_size(from) && has_fixed_size(to));
        return open_size ? ConversionCost{1, ConversionCost::unlimited}
                         : ConversionCost::impossible();
    }
    const bool is_vector = to->is(Kind::vector);
    if (from->is(Kind::scalar))
        return cost += ConversionCost::exactly(scalar_to_vector);
    if (!has_fixed_size(from) || !has_fixed_size(to))
        return {1, ConversionCost::unlimited};
    // Sizes differ: but one element is as good as a scalar.
    if (from->arguments[1]->name != "1")
        return ConversionCost::impossible();
    if (!is_complete(from) || !is_complete(to))
        return {1, ConversionCost::unlimited};
    if (element_of(from) != element_of(to))
        return ConversionCost::impossible();
    return ConversionCost::exactly(vector_to_scalar + (is_vector ? scalar_to_vector : 0));
}

/// Constructors convert without being asked only where they say so.
bool may_convert_implicitly(Semantics& semantics, TypeRef type) {
    const std::vector<Found> constructors = semantics.members(type, "__init");
    return semantics.is_hidden() ||
           std::any_of(constructors.begin(), constructors.end(), [&](const Found& one) {
               const auto modifiers = one.declaration->node.fields("modifier");
               return std::any_of(modifiers.begin(), modifiers.end(), [&](SyntaxNode modifier) {
                   return semantics.source(one.declaration->file, modifier)
                       .starts_with("__implicit_conversion");
               });
           });
}

bool is_structure(TypeRef type) {
    return type->is(Kind::declared) && type->declaration->is(DeclarationKind::structure);
}

ConversionCost to_declared(Semantics& semantics, TypeRef from, TypeRef to) {
    const bool interface = to->declaration->is(DeclarationKind::interface);
    const bool structure = to->declaration->is(DeclarationKind::structure);
    if (!interface && !structure)
        return {1, ConversionCost::unlimited}; // enumerations
    if (from->kind == Kind::declared && from->declaration == to->declaration)
        return {0, ConversionCost::unlimited}; // arguments differ, or are not known
    switch (semantics.conforms(from, to)) {
    case Answer::yes:
        return interface ? ConversionCost::exactly(interface_cast) : ConversionCost{0, general};
    case Answer::maybe:
        return {1, ConversionCost::unlimited};
    case Answer::no:
        break;
    }
    if (interface)
        return is_structure(from) || is_numeric(from) ? ConversionCost::impossible()
                                                      : ConversionCost{};
    if ((is_structure(from) || is_numeric(from) || from->is(Kind::array) ||
         from->is(Kind::parameter)) &&
        !may_convert_implicitly(semantics, to))
        return ConversionCost::impossible();
    return {1, ConversionCost::unlimited};
}

} // namespace

ConversionCost& ConversionCost::operator+=(const ConversionCost& other) {
    const auto add = [](int a, int b) {
        return a == unlimited || b == unlimited ? unlimited : a + b;
    };
    low = add(low, other.low);
    high = add(high, other.high);
    return *this;
}

ConversionCost conversion_cost(Semantics& semantics, const Argument& argument, TypeRef to) {
    const TypeRef from = argument.type;
    if (!from || !to)
        return {};
    if (from == to)
        return is_complete(from) ? ConversionCost::exactly(0) : ConversionCost{};
    if (is_numeric(from) && is_numeric(to))
        return numeric_cost(argument, to);
    if (const TypeRef target = semantics.dereference(from)) {
        if (target == to)
            return ConversionCost::exactly(dereferencing);
        return {1, ConversionCost::unlimited};
    }
    if (to->is(Kind::declared))
        return to_declared(semantics, from, to);
    if (from->is(Kind::array) && to->is(Kind::array)) {
        if (from->arguments[0] != to->arguments[0])
            return is_complete(from->arguments[0]) && is_complete(to->arguments[0]) &&
                           !is_open(from) && !is_open(to)
                       ? ConversionCost::impossible()
                       : ConversionCost{};
        if (!to->arguments[1])
            return {0, unsized_array};
        const TypeRef size = from->arguments[1];
        return size && size->is(Kind::value) && to->arguments[1]->is(Kind::value)
                   ? ConversionCost::impossible()
                   : ConversionCost{};
    }
    const bool is_value = is_structure(from) || is_numeric(from) || from->is(Kind::array);
    if (is_value && (to->is(Kind::array) || (is_numeric(to) && !is_numeric(from))))
        return ConversionCost::impossible();
    if (is_numeric(from) && to->is(Kind::builtin) && to->name == "Optional" && is_complete(to) &&
        is_complete(from) && to->arguments.size() == 1 && !is_open(from) && !is_open(to))
        return to->arguments[0] == from ? ConversionCost::exactly(to_optional)
                                        : ConversionCost::impossible();
    return {1, ConversionCost::unlimited};
}

TypeRef joined_type(TypeTable& types, const Argument& left, const Argument& right) {
    const TypeRef a = left.type, b = right.type;
    if (!a || !b)
        return nullptr;
    if (a == b)
        return is_numeric(a) && element_of(a) == types.scalar("bool") ? nullptr : a;
    if (!is_numeric(a) || !is_numeric(b)) {
        // `x * 2` of a generic x
        if (a->is(Kind::parameter) && right.literal_bits)
            return a;
        return b->is(Kind::parameter) && left.literal_bits ? b : nullptr;
    }
    const TypeRef one = element_of(a), other = element_of(b);
    TypeRef element = one;
    if (one != other) {
        if (!one || !other || !one->is(Kind::scalar) || !other->is(Kind::scalar))
            return nullptr;
        const Number* first = number_of(one->name);
        const Number* second = number_of(other->name);
        if (!first || !second)
            return nullptr;
        // `x + flag`: of int alone it is known
        if ((first->rank == 0 && other->name != "int") || (second->rank == 0 && one->name != "int"))
            return nullptr;
        const bool small_literal =
            (left.literal_bits && second->rank < 3) || (right.literal_bits && first->rank < 3);
        if (small_literal && is_integer(*first) && is_integer(*second))
            return nullptr;
        // Operators look at the values of plain literals alone: `i + 1u` of an int is a uint.
        const auto bits = [](const Argument& argument, const Number& number) {
            const bool is_int = number.kind == NumberKind::signed_integer && number.rank == 3;
            return is_int ? argument.literal_bits : 0;
        };
        const int there = scalar_cost(*first, *second, bits(left, *first));
        const int back = scalar_cost(*second, *first, bits(right, *second));
        if (there == back)
            return nullptr;
        element = there < back ? other : one;
    }
    const auto with_element = [&](TypeRef shape) {
        Type changed = *shape;
        changed.arguments[0] = element;
        return types.make(std::move(changed));
    };
    if (a->is(Kind::scalar))
        return b->is(Kind::scalar) ? element : with_element(b);
    if (b->is(Kind::scalar))
        return with_element(a);
    if (a->kind != b->kind ||
        !std::equal(a->arguments.begin() + 1, a->arguments.end(), b->arguments.begin() + 1))
        return nullptr;
    return with_element(a);
}

} // namespace slimgrad
