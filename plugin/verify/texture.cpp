#include "plugin/verify/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace slimgrad::verify {
namespace {

using Cell = std::array<std::int64_t, 3>;

/// How many of the coordinates are filtered; the one after them is a layer, if the form has any.
std::uint32_t filtered(TextureForm form) {
    switch (form) {
    case TextureForm::line:
    case TextureForm::line_array:
        return 1;
    case TextureForm::volume:
        return 3;
    default:
        return 2;
    }
}

std::size_t texel_bytes(const HostTexture& texture) {
    return static_cast<std::size_t>(texture.components) * size_of(texture.kind);
}

unsigned char* texel_at(const HostTexture& texture, const Cell& cell) {
    std::uint64_t index = 0;
    for (std::size_t i = 3; i-- > 0;)
        index = index * texture.sizes[i] + static_cast<std::uint64_t>(cell[i]);
    return texture.texels + index * texel_bytes(texture);
}

double component(const HostTexture& texture, const Cell& cell, std::uint32_t i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, texel_at(texture, cell) + i * size_of(texture.kind), size_of(texture.kind));
    return value_of_bits(bits, texture.kind);
}

std::uint32_t as_word(double value, ScalarKind kind) {
    if (is_floating(kind))
        return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

Texel texel_of(const HostTexture& texture, const Cell& cell) {
    Texel result{};
    for (std::uint32_t i = 0; i < texture.components; ++i)
        result[i] = as_word(component(texture, cell, i), texture.kind);
    return result;
}

std::int64_t clamped(std::int64_t value, std::uint32_t size) {
    return std::clamp<std::int64_t>(value, 0, static_cast<std::int64_t>(size) - 1);
}

std::int64_t wrapped(std::int64_t value, std::uint32_t size) {
    const auto count = static_cast<std::int64_t>(size);
    return (value % count + count) % count;
}

/// The face that a direction points to, and the place on it.
struct FacePlace {
    std::int64_t face = 0;
    float x = 0, y = 0;
};

FacePlace face_of(const float* direction) {
    const float x = direction[0], y = direction[1], z = direction[2];
    const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
    const auto place = [](std::int64_t face, float s, float t, float major) {
        return FacePlace{face, (s / major + 1) / 2, (t / major + 1) / 2};
    };
    if (ax >= ay && ax >= az)
        return x > 0 ? place(0, -z, -y, ax) : place(1, z, -y, ax);
    if (ay >= az)
        return y > 0 ? place(2, x, z, ay) : place(3, x, -z, ay);
    return z > 0 ? place(4, x, -y, az) : place(5, -x, -y, az);
}

/// Coordinates far beyond what an integer holds, and what is no number, are none.
float usable(float coordinate) {
    return std::isfinite(coordinate) ? std::fmod(coordinate, 65536.0f) : 0.0f;
}

} // namespace

Texel sample(const HostTexture& texture, TextureForm form, const float* coordinates) {
    const std::uint32_t count = filtered(form);
    const bool cube = form == TextureForm::cube || form == TextureForm::cube_array;
    float place[3] = {coordinates[0], coordinates[1], coordinates[2]};
    Cell base{};
    if (cube) {
        const FacePlace on = face_of(coordinates);
        place[0] = on.x, place[1] = on.y;
        const std::int64_t layer =
            form == TextureForm::cube_array ? std::lround(usable(coordinates[3])) : 0;
        base[2] = clamped(layer * 6 + on.face, texture.sizes[2]);
    } else if (form == TextureForm::line_array || form == TextureForm::plane_array) {
        base[count] = clamped(std::lround(usable(coordinates[count])), texture.sizes[count]);
    }
    double weights[3] = {};
    for (std::uint32_t i = 0; i < count; ++i) {
        const double at = static_cast<double>(usable(place[i])) * texture.sizes[i] -
                          (is_floating(texture.kind) ? 0.5 : 0.0);
        base[i] = static_cast<std::int64_t>(std::floor(at));
        weights[i] = at - std::floor(at);
    }
    const auto inside = [&](Cell cell) {
        for (std::uint32_t i = 0; i < count; ++i)
            cell[i] =
                cube ? clamped(cell[i], texture.sizes[i]) : wrapped(cell[i], texture.sizes[i]);
        return cell;
    };
    if (!is_floating(texture.kind))
        return texel_of(texture, inside(base));
    Texel result{};
    for (std::uint32_t i = 0; i < texture.components; ++i) {
        double sum = 0;
        for (std::uint32_t corner = 0; corner < 1u << count; ++corner) {
            Cell cell = base;
            double weight = 1;
            for (std::uint32_t axis = 0; axis < count; ++axis) {
                const bool upper = corner >> axis & 1;
                cell[axis] += upper;
                weight *= upper ? weights[axis] : 1 - weights[axis];
            }
            if (weight != 0)
                sum += weight * component(texture, inside(cell), i);
        }
        result[i] = as_word(sum, texture.kind);
    }
    return result;
}

Texel fetch(const HostTexture& texture, TextureForm, const int* coordinates) {
    Cell cell{};
    for (std::uint32_t i = 0; i < 3; ++i)
        cell[i] = clamped(i < texture.dimensions ? coordinates[i] : 0, texture.sizes[i]);
    return texel_of(texture, cell);
}

void* address(const HostTexture& texture, TextureForm, const int* coordinates) {
    Cell cell{};
    for (std::uint32_t i = 0; i < texture.dimensions; ++i) {
        cell[i] = coordinates[i];
        if (cell[i] < 0 || cell[i] >= static_cast<std::int64_t>(texture.sizes[i]))
            return nullptr;
    }
    return texel_at(texture, cell);
}

} // namespace slimgrad::verify
