#include "plugin/verify/value_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace slimgrad::verify {
namespace {

bool is_floating(ScalarType type) {
    return type == ScalarType::half || type == ScalarType::float32 || type == ScalarType::float64;
}

/// A field of this name is no field of the program: tuples and optional values.
bool is_anonymous(const TypeLayout& type) {
    return std::any_of(type.fields.begin(), type.fields.end(),
                       [](const FieldLayout& field) { return field.name.empty(); });
}

std::string_view scalar_name(ScalarType type) {
    switch (type) {
    case ScalarType::boolean:
        return "bool";
    case ScalarType::int8:
        return "int8_t";
    case ScalarType::uint8:
        return "uint8_t";
    case ScalarType::int16:
        return "int16_t";
    case ScalarType::uint16:
        return "uint16_t";
    case ScalarType::int32:
        return "int";
    case ScalarType::uint32:
        return "uint";
    case ScalarType::int64:
        return "int64_t";
    case ScalarType::uint64:
        return "uint64_t";
    case ScalarType::half:
        return "half";
    case ScalarType::float32:
        return "float";
    case ScalarType::float64:
        return "double";
    case ScalarType::unknown:
        break;
    }
    return "";
}

bool takes_two_words(ScalarType type) {
    return type == ScalarType::int64 || type == ScalarType::uint64 || type == ScalarType::float64;
}

std::shared_ptr<const TypeLayout> shared(TypeLayout layout) {
    return std::make_shared<const TypeLayout>(std::move(layout));
}

/// What `x[i]` is, for a vector, a matrix or an array.
TypeLayout element_of(const TypeLayout& type) {
    if (type.kind == TypeKind::array)
        return *type.element;
    TypeLayout element;
    element.scalar = type.scalar;
    if (type.kind == TypeKind::matrix) {
        element.kind = TypeKind::vector;
        element.columns = type.columns;
    } else {
        element.kind = TypeKind::scalar;
        element.name = scalar_name(type.scalar);
    }
    return element;
}

std::uint64_t element_count(const TypeLayout& type) {
    return type.kind == TypeKind::array    ? type.element_count
           : type.kind == TypeKind::matrix ? type.rows
                                           : type.columns;
}

bool is_indexed(const TypeLayout& type) {
    return type.kind == TypeKind::array || type.kind == TypeKind::matrix ||
           type.kind == TypeKind::vector;
}

} // namespace

std::string ValueText::spelled(const TypeLayout& type) const {
    switch (type.kind) {
    case TypeKind::vector:
        return fmt::format("vector<{},{}>", scalar_name(type.scalar), type.columns);
    case TypeKind::matrix:
        return fmt::format("matrix<{},{},{}>", scalar_name(type.scalar), type.rows, type.columns);
    case TypeKind::array:
        return fmt::format("Array<{},{}>", spelled(*type.element), type.element_count);
    default:
        return type.name; // of an enumeration its own, not its scalar's
    }
}

std::string ValueText::problem(const TypeLayout& type) const {
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::vector:
    case TypeKind::matrix:
        return type.scalar == ScalarType::unknown ? "is a " + type.name : "";
    case TypeKind::array:
        if (!type.element || type.element_count == 0)
            return "is an array of unknown size";
        return problem(*type.element);
    case TypeKind::structure:
        if (is_anonymous(type))
            return "is a " + type.name;
        for (const FieldLayout& field : type.fields)
            if (std::string why = problem(*field.type); !why.empty())
                return fmt::format("has a field {} that {}", field.name, why);
        return "";
    default:
        return "is a " + (type.name.empty() ? "resource" : type.name);
    }
}

std::shared_ptr<const TypeLayout> ValueText::differential(const TypeLayout& type) const {
    switch (type.kind) {
    case TypeKind::scalar:
    case TypeKind::vector:
    case TypeKind::matrix:
        return is_floating(type.scalar) ? shared(type) : nullptr;
    case TypeKind::array: {
        std::shared_ptr<const TypeLayout> element =
            type.element ? differential(*type.element) : nullptr;
        if (!element)
            return nullptr;
        TypeLayout result = type;
        result.element = element;
        return shared(std::move(result));
    }
    case TypeKind::structure: {
        const auto found = differentials_.find(type.name);
        return found == differentials_.end() ? nullptr : shared(found->second);
    }
    default:
        return nullptr;
    }
}

std::uint64_t ValueText::words(const TypeLayout& type) const {
    if (is_indexed(type))
        return element_count(type) * words(element_of(type));
    if (type.kind != TypeKind::structure)
        return takes_two_words(type.scalar) ? 2 : 1;
    std::uint64_t sum = 0;
    for (const FieldLayout& field : type.fields)
        sum += words(*field.type);
    return sum;
}

std::uint32_t ValueText::scalars(const TypeLayout& differential) const {
    if (is_indexed(differential))
        return static_cast<std::uint32_t>(element_count(differential)) *
               scalars(element_of(differential));
    if (differential.kind != TypeKind::structure)
        return 1;
    std::uint32_t sum = 0;
    for (const FieldLayout& field : differential.fields)
        sum += scalars(*field.type);
    return sum;
}

void ValueText::need(const TypeLayout& type) {
    const std::string name = spelled(type);
    if (!done_.insert(name).second)
        return;
    std::string store, load;
    if (is_indexed(type)) {
        const TypeLayout element = element_of(type);
        need(element);
        store = fmt::format("for (int i = 0; i < {}; ++i) slimgrad_store(at, x[i]);",
                            element_count(type));
        load =
            fmt::format("for (int i = 0; i < {}; ++i) {{ {} e; slimgrad_load(at, e); x[i] = e; }}",
                        element_count(type), spelled(element));
    } else if (type.kind == TypeKind::structure) {
        for (const FieldLayout& field : type.fields) {
            need(*field.type);
            store += fmt::format("slimgrad_store(at, x.{}); ", field.name);
            load += fmt::format("{{ {} e; slimgrad_load(at, e); x.{} = e; }} ",
                                spelled(*field.type), field.name);
        }
    } else {
        std::string to_words, from_words;
        switch (type.scalar) {
        case ScalarType::float64:
            to_words = "uint low, high; asuint(x, low, high);";
            from_words = "asdouble(low, high)";
            break;
        case ScalarType::int64:
        case ScalarType::uint64:
            to_words = "uint low = uint(uint64_t(x)), high = uint(uint64_t(x) >> 32);";
            from_words = fmt::format("({})((uint64_t(high) << 32) | uint64_t(low))", name);
            break;
        case ScalarType::float32:
            to_words = "uint low = asuint(x);";
            from_words = "asfloat(low)";
            break;
        case ScalarType::half:
            to_words = "uint low = f32tof16(float(x));";
            from_words = "half(f16tof32(low))";
            break;
        case ScalarType::boolean:
            to_words = "uint low = x ? 1u : 0u;";
            from_words = "low != 0u";
            break;
        default: // smaller integers, enumerations
            to_words = "uint low = uint(int(x));";
            from_words = fmt::format("({})int(low)", name);
            break;
        }
        store = to_words + " slimgrad_records[at++] = low;";
        load = "uint low = slimgrad_records[at++];";
        if (takes_two_words(type.scalar)) {
            store += " slimgrad_records[at++] = high;";
            load += " uint high = slimgrad_records[at++];";
        }
        load += " x = " + from_words + ";";
    }
    text_ += fmt::format("void slimgrad_store(inout uint at, {} x) {{ {} }}\n", name, store);
    text_ += fmt::format("void slimgrad_load(inout uint at, out {} x) {{ {} }}\n", name, load);
}

void ValueText::need_pair(const TypeLayout& type, const TypeLayout& differential) {
    const std::string name = spelled(type), d_name = spelled(differential);
    if (!done_.insert(name + " " + d_name).second)
        return;
    std::string draw, moved, dot, magnitude;
    if (is_indexed(type)) {
        const TypeLayout element = element_of(type), d_element = element_of(differential);
        need_pair(element, d_element);
        const std::string loop = fmt::format("for (int i = 0; i < {}; ++i) ", element_count(type));
        draw = loop + fmt::format("{{ {} e; slimgrad_draw(draw, x[i], e); v[i] = e; }}",
                                  spelled(d_element));
        moved = loop + "y[i] = slimgrad_moved(x[i], v[i], h);";
        dot = loop + "sum += slimgrad_dot(x[i], u[i]);";
        magnitude = loop + "sum += slimgrad_magnitude(x[i], u[i]);";
    } else if (type.kind == TypeKind::structure) {
        for (const FieldLayout& field : differential.fields) {
            const std::string own = field_of(type, field.name);
            for (const FieldLayout& candidate : type.fields)
                if (candidate.name == own)
                    need_pair(*candidate.type, *field.type);
            draw += fmt::format("{{ {0} e; slimgrad_draw(draw, x.{1}, e); v.{2} = e; }} ",
                                spelled(*field.type), own, field.name);
            moved += fmt::format("y.{0} = slimgrad_moved(x.{0}, v.{1}, h); ", own, field.name);
            dot += fmt::format("sum += slimgrad_dot(x.{}, u.{}); ", own, field.name);
            magnitude += fmt::format("sum += slimgrad_magnitude(x.{}, u.{}); ", own, field.name);
        }
    } else {
        draw = fmt::format("v = {}(slimgrad_component(draw, double(x)));", d_name);
        moved = fmt::format("y = x + {}(h * double(v));", name);
        dot = "sum = double(x) * double(u);";
        magnitude = "sum = abs(double(x) * double(u));";
    }
    text_ += fmt::format("void slimgrad_draw(inout slimgrad_Draw draw, {} x, out {} v) {{ {} }}\n",
                         name, d_name, draw);
    text_ +=
        fmt::format("{0} slimgrad_moved({0} x, {1} v, double h) {{ {0} y = x; {2} return y; }}\n",
                    name, d_name, moved);
    text_ += fmt::format(
        "double slimgrad_dot({} x, {} u) {{ double sum = double(0); {} return sum; }}\n", name,
        d_name, dot);
    text_ += fmt::format(
        "double slimgrad_magnitude({} x, {} u) {{ double sum = double(0); {} return sum; }}\n",
        name, d_name, magnitude);
}

std::string ValueText::field_of(const TypeLayout& type,
                                const std::string& differential_field) const {
    if (const auto renamed = members_.find(type.name); renamed != members_.end())
        if (const auto field = renamed->second.find(differential_field);
            field != renamed->second.end())
            return field->second;
    return differential_field;
}

} // namespace slimgrad::verify
