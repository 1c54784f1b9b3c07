#pragma once

#include "rewriter/result.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

/// How a structure becomes a JSON value and back: by all of its fields, in their order. It does not
/// compile where one is missing, so that none is forgotten in what is kept for later runs.
#define SLIMGRAD_JSON_OF_ALL_FIELDS(Type, ...)                                                     \
    inline void bind_all_fields(const Type& value) {                                               \
        [[maybe_unused]] const auto& [__VA_ARGS__] = value;                                        \
    }                                                                                              \
    NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, __VA_ARGS__)

namespace nlohmann {

template <class T> struct adl_serializer<std::optional<T>> {
    static void to_json(json& j, const std::optional<T>& value) {
        if (value)
            j = *value;
        else
            j = nullptr;
    }
    static void from_json(const json& j, std::optional<T>& value) {
        if (j.is_null())
            value.reset();
        else
            value = j.get<T>();
    }
};

template <> struct adl_serializer<std::chrono::milliseconds> {
    static void to_json(json& j, std::chrono::milliseconds duration) { j = duration.count(); }
    static void from_json(const json& j, std::chrono::milliseconds& duration) {
        duration = std::chrono::milliseconds(j.get<std::int64_t>());
    }
};

} // namespace nlohmann

namespace slimgrad {

SLIMGRAD_JSON_OF_ALL_FIELDS(Place, file, line, column)

/// Bytes for a value that has such fields: texts are bytes there, too, as shaders need not be
/// UTF-8.
template <class T> std::string to_bytes(const T& value) {
    std::string bytes;
    nlohmann::json::to_cbor(nlohmann::json(value), bytes);
    return bytes;
}

/// Nothing: these are not the bytes of one.
template <class T> std::optional<T> from_bytes(std::string_view bytes) try {
    return nlohmann::json::from_cbor(bytes).get<T>();
} catch (const nlohmann::json::exception&) {
    return std::nullopt;
}

} // namespace slimgrad
