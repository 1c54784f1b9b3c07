#pragma once

#include "plugin/slang/reflection.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace slimgrad::verify {

/// By type: which field of T a field of T.Differential belongs to, where their names differ.
using DerivativeMembers = std::map<std::string, std::map<std::string, std::string>>;

/// Generates Slang functions that take values of given types apart, down to their scalars:
/// overloads of
///
///     void slimgrad_store(inout uint at, T x)         x's bits into slimgrad_records[at], ...
///     void slimgrad_load(inout uint at, out T x)      and back
///     void slimgrad_draw(inout slimgrad_Draw draw, T x, out D v)   a random direction, of scalars
///                                                     as large as x or 1, or 0
///     T slimgrad_moved(T x, D v, double h)            x + h v
///     double slimgrad_dot(T x, D u)                   <x, u>
///     double slimgrad_magnitude(T x, D u)             the sum of |x_i u_i|
///
/// with D = T.Differential or T itself. They need slimgrad_records and slimgrad_component.
class ValueText {
  public:
    /// `differentials`: as in FunctionShape.
    ValueText(const std::map<std::string, TypeLayout>& differentials, DerivativeMembers members)
        : differentials_(differentials), members_(std::move(members)) {}

    /// How text names the type.
    std::string spelled(const TypeLayout& type) const;
    /// Why values of the type cannot be taken apart: "is a texture"; "" if they can.
    std::string problem(const TypeLayout& type) const;
    /// The type's Differential; an empty pointer where it is not differentiable.
    std::shared_ptr<const TypeLayout> differential(const TypeLayout& type) const;

    /// Words of a record that a value takes.
    std::uint64_t words(const TypeLayout& type) const;

    /// Scalars of a direction that has the type.
    std::uint32_t scalars(const TypeLayout& differential) const;

    /// Asks for slimgrad_store and slimgrad_load.
    void need(const TypeLayout& type);
    /// Asks for the functions of x and its differential.
    void need_pair(const TypeLayout& type, const TypeLayout& differential);

    /// All functions that were asked for.
    const std::string& text() const { return text_; }

  private:
    std::string field_of(const TypeLayout& type, const std::string& differential_field) const;

    const std::map<std::string, TypeLayout>& differentials_;
    DerivativeMembers members_;
    std::set<std::string> done_;
    std::string text_;
};

} // namespace slimgrad::verify
