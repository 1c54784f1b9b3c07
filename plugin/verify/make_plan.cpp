#include "plugin/verify/make_plan.h"

#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <vector>

namespace slimgrad::verify {
namespace {

constexpr std::uint64_t most_scalars = 1 << 20; ///< of one parameter that is no buffer
constexpr double default_integer_maximum = 16;
constexpr std::array<std::uint32_t, 3> line_of_threads{32, 1, 1}, plane_of_threads{8, 4, 1};

std::optional<ScalarKind> scalar_kind(ScalarType type) {
    switch (type) {
    case ScalarType::boolean:
        return ScalarKind::boolean;
    case ScalarType::int8:
        return ScalarKind::int8;
    case ScalarType::uint8:
        return ScalarKind::uint8;
    case ScalarType::int16:
        return ScalarKind::int16;
    case ScalarType::uint16:
        return ScalarKind::uint16;
    case ScalarType::int32:
        return ScalarKind::int32;
    case ScalarType::uint32:
        return ScalarKind::uint32;
    case ScalarType::int64:
        return ScalarKind::int64;
    case ScalarType::uint64:
        return ScalarKind::uint64;
    case ScalarType::half:
        return ScalarKind::half;
    case ScalarType::float32:
        return ScalarKind::float32;
    case ScalarType::float64:
        return ScalarKind::float64;
    case ScalarType::unknown:
        break;
    }
    return std::nullopt;
}

bool is_whole(double value) {
    return value == std::floor(value);
}

/// A name of [inputs] without its indices, and the first index: "gIn[3].mass" -> "gIn.mass", 3.
struct InputName {
    std::string name;
    std::optional<std::uint64_t> element;
};

InputName split(const std::string& text) {
    InputName result;
    const std::size_t open = text.find('['), close = text.find(']', open);
    if (open == std::string::npos || close == std::string::npos)
        return {text, {}};
    result.name = text.substr(0, open) + text.substr(close + 1);
    const std::string digits = text.substr(open + 1, close - open - 1);
    if (!digits.empty() && digits.size() < 19 &&
        std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
        result.element = std::stoull(digits);
    return result;
}

/// Whether a range's name means this scalar: the scalar itself, or a structure, vector or array
/// that it is part of.
bool covers(const std::string& name, const std::string& scalar) {
    return scalar.starts_with(name) && (scalar.size() == name.size() ||
                                        scalar[name.size()] == '.' || scalar[name.size()] == '[');
}

class Planner {
  public:
    explicit Planner(const PlanRequest& request) : request_(request), options_(*request.options) {
        for (const auto& [name, range] : options_.ranges)
            ranges_[name] = {range, false};
        for (const LoopToCover& loop : options_.loops) {
            if (!loop.trip_count_is_input || !loop.bound)
                continue;
            const double bound = static_cast<double>(*loop.bound);
            if (loop.input.empty())
                bounds_.insert(bound);
            else if (!has_range(loop.input, options_.ranges))
                ranges_[loop.input] = {{static_cast<double>(std::max<std::uint64_t>(
                                            loop.lowest, loop.tested_at_end ? 1 : 0)),
                                        bound},
                                       true};
        }
    }

    Result<InputPlan> run() {
        const auto& entries = request_.reflection->entry_points;
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const EntryPoint& e) {
            return e.name == request_.entry_point;
        });
        if (entry == entries.end())
            return fail(fmt::format("the module has no entry point '{}'", request_.entry_point));
        if (entry->stage.empty() && !cuda())
            return fail(fmt::format("{} is a CUDA kernel, which slangc does not emit for the CPU",
                                    entry->name));
        plan_.seed = options_.seed;
        plan_.machine = request_.machine;
        if (!entry->stage.empty())
            std::copy_n(entry->thread_group, 3, plan_.threads.begin());
        else
            plan_.threads = request_.use.plane ? plane_of_threads : line_of_threads;
        plan_.groups = {options_.threads, request_.defaults.rows, request_.defaults.layers};
        plan_.blocks.resize(2);
        plan_.blocks[0].bytes =
            bytes_of(request_.reflection->globals, request_.reflection->global_bytes);
        plan_.blocks[1].bytes = bytes_of(entry->uniforms, entry->uniform_bytes);
        for (const ParameterLayout& global : request_.reflection->globals)
            add(0, global.name, global.offset, global.type, is_used(global.name));
        for (const ParameterLayout& uniform : entry->uniforms)
            if (uniform.semantic.empty()) {
                plan_.blocks[1].offsets.push_back(uniform.offset);
                add(1, uniform.name, uniform.offset, uniform.type, true);
            }
        for (const auto& [name, given] : ranges_) {
            const InputRange& range = given.range;
            if (!(range.minimum <= range.maximum) || !std::isfinite(range.maximum - range.minimum))
                problem(
                    fmt::format("[inputs] gives {} the range [{}, {}], which holds nothing to draw",
                                name, range.minimum, range.maximum));
            if (!used_ranges_.contains(name) && !applies_to_element(name, range) && !given.assumed)
                plan_.unused_ranges.push_back(name);
        }
        if (!problem_.empty())
            return fail(problem_);
        return std::move(plan_);
    }

  private:
    static std::uint64_t bytes_of(const std::vector<ParameterLayout>& parameters,
                                  std::uint64_t bytes) {
        for (const ParameterLayout& parameter : parameters)
            bytes = std::max(bytes, parameter.offset + parameter.type.size);
        return bytes;
    }

    void problem(std::string message) {
        if (problem_.empty())
            problem_ = std::move(message);
    }

    bool is_used(const std::string& name) const {
        if (!request_.used_globals)
            return true;
        const auto& used = *request_.used_globals;
        return std::any_of(used.lower_bound(name + '_'), used.end(), [&](const std::string& word) {
            return word.starts_with(name + '_') &&
                   word.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
        });
    }

    /// Lays out one parameter, or a part of one, in a block.
    void add(std::size_t block, const std::string& name, std::uint64_t offset,
             const TypeLayout& type, bool used) {
        switch (type.kind) {
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::matrix:
            return add_scalars(plan_.blocks[block].slots, name, offset, type, true);
        case TypeKind::array:
        case TypeKind::structure:
            return each_part(name, offset, type,
                             [&](const std::string& part, std::uint64_t at, const TypeLayout& of) {
                                 add(block, part, at, of, used);
                             });
        case TypeKind::constant_buffer: {
            if (!type.element)
                return unusable(name, type, used);
            const std::size_t target = plan_.blocks.size();
            plan_.blocks.emplace_back().bytes = type.element->size;
            plan_.blocks[block].blocks.push_back({offset, static_cast<std::uint32_t>(target)});
            block_name_ = name;
            add(target, name, 0, *type.element, used);
            block_name_.clear();
            return;
        }
        case TypeKind::structured_buffer:
            return add_buffer(block, name, offset, type, HandleForm::pointer_and_count, used);
        case TypeKind::byte_address_buffer:
            return add_buffer(block, name, offset, type, HandleForm::pointer_and_bytes, used);
        case TypeKind::pointer:
            return add_buffer(block, name, offset, type, HandleForm::pointer, used);
        case TypeKind::texture:
            return add_texture(block, name, offset, type, used);
        case TypeKind::sampler:
            if (!cuda()) // there it is part of the texture
                unusable(name, type, used);
            return;
        case TypeKind::tensor_view:
            return add_tensor(block, name, offset, type,
                              default_sizes(request_.use.dimensions, request_.use.plane), used);
        case TypeKind::other:
            return unusable(name, type, used);
        }
    }

    bool cuda() const { return request_.machine == Machine::cuda; }

    /// A buffer of vectors or scalars, whose type is known by name only.
    std::optional<std::uint32_t> add_texels(const std::string& name, const ElementType& element,
                                            bool writable, std::uint64_t elements) {
        BufferPlan buffer;
        buffer.name = name;
        buffer.elements = elements;
        buffer.stride = static_cast<std::uint64_t>(element.components) * size_of(element.kind);
        buffer.writable = writable;
        for (std::uint32_t i = 0; i < element.components; ++i) {
            const std::string slot = element.components == 1 ? "" : fmt::format(".{}", "xyzw"[i]);
            buffer.slots.push_back({slot, i * size_of(element.kind), element.kind,
                                    values_for(name + slot, element.kind, false)});
        }
        plan_.buffers.push_back(std::move(buffer));
        return static_cast<std::uint32_t>(plan_.buffers.size() - 1);
    }

    /// Sizes by default, or as "t.size[0]" says.
    std::vector<std::uint32_t> sizes_of(const std::string& name, std::vector<std::uint32_t> sizes) {
        for (std::size_t i = 0; i < most_dimensions; ++i) {
            const std::string key = fmt::format("{}.size[{}]", name, i);
            const auto found = ranges_.find(key);
            if (found == ranges_.end() || !(found->second.range.maximum >= 1))
                continue;
            used_ranges_.insert(key);
            sizes.resize(std::max(sizes.size(), i + 1), 1);
            sizes[i] = static_cast<std::uint32_t>(
                std::min(found->second.range.maximum, static_cast<double>(most_elements)));
        }
        if (elements_of(sizes) > most_elements)
            problem(fmt::format("{} would have more than {} elements", name, most_elements));
        return sizes;
    }

    /// `shape`: its sizes, where no others are given.
    void add_tensor(std::size_t block, const std::string& name, std::uint64_t offset,
                    const TypeLayout& type, const std::vector<std::uint32_t>& shape, bool used) {
        if (!cuda())
            return unusable(name, type, used);
        const std::optional<ElementType> element = element_type(type.name);
        if (type.fields.empty() && element) {
            TensorHandle tensor;
            tensor.offset = offset;
            tensor.sizes = sizes_of(name, shape);
            tensor.strides = contiguous(tensor.sizes, element->components * size_of(element->kind));
            tensor.buffer = *add_texels(name, *element, true, elements_of(tensor.sizes));
            plan_.blocks[block].tensors.push_back(std::move(tensor));
            return;
        }
        if (type.fields.empty())
            return unusable(name, type, used);
        // DiffTensorView: the primal tensor goes by the name of the whole; its gradient has its
        // shape.
        const std::vector<std::uint32_t> sizes = sizes_of(name, shape);
        for (const FieldLayout& field : type.fields)
            for (const auto& [part, at, view] : views_in(field))
                add_tensor(block, field.name == "primal" ? name : gradient_tensor(name),
                           offset + at, *view, sizes, used);
    }

    struct View {
        std::string name;
        std::uint64_t offset = 0;
        const TypeLayout* type = nullptr;
    };
    /// The tensors in a field, whatever structures they are wrapped in.
    static std::vector<View> views_in(const FieldLayout& field) {
        if (field.type->kind == TypeKind::tensor_view)
            return {{field.name, field.offset, field.type.get()}};
        std::vector<View> views;
        for (const FieldLayout& inner : field.type->fields)
            for (View view : views_in(inner)) {
                view.offset += field.offset;
                views.push_back(std::move(view));
            }
        return views;
    }

    void add_texture(std::size_t block, const std::string& name, std::uint64_t offset,
                     const TypeLayout& type, bool used) {
        const std::optional<ElementType> element = element_type(type.name);
        const std::vector<std::uint32_t> sizes = texture_sizes(type.name);
        if (!cuda() || !element || sizes.empty())
            return unusable(name, type, used);
        TextureHandle texture;
        texture.offset = offset;
        texture.sizes = sizes_of(name, sizes);
        texture.buffer = *add_texels(name, *element, type.writable, elements_of(texture.sizes));
        plan_.blocks[block].textures.push_back(std::move(texture));
    }

    void unusable(const std::string& name, const TypeLayout& type, bool used) {
        if (used) // one that is never touched stays a null pointer
            problem(fmt::format("{} is a {}, which a kernel on the CPU cannot be given", name,
                                type.name.empty() ? "resource" : type.name));
    }

    template <class Function>
    void each_part(const std::string& name, std::uint64_t offset, const TypeLayout& type,
                   Function function) {
        if (type.kind == TypeKind::structure) {
            for (const FieldLayout& field : type.fields)
                function(name + '.' + field.name, offset + field.offset, *field.type);
            return;
        }
        if (!type.element || type.element_count > most_scalars)
            return problem(fmt::format("{} is an array of {} elements, too many to fill", name,
                                       type.element_count));
        for (std::uint64_t i = 0; i < type.element_count; ++i)
            function(fmt::format("{}[{}]", name, i), offset + i * type.stride, *type.element);
    }

    void add_scalars(std::vector<ScalarSlot>& slots, const std::string& name, std::uint64_t offset,
                     const TypeLayout& type, bool single) {
        const std::optional<ScalarKind> kind = scalar_kind(type.scalar);
        if (!kind)
            return problem(fmt::format("{} is a {}, whose values are not known", name, type.name));
        const std::uint64_t row_stride =
            type.kind == TypeKind::matrix && type.rows > 0 ? type.size / type.rows : 0;
        const std::uint32_t rows = type.kind == TypeKind::matrix ? type.rows : 1;
        const std::uint32_t columns = type.kind == TypeKind::scalar ? 1 : type.columns;
        for (std::uint32_t row = 0; row < rows; ++row)
            for (std::uint32_t column = 0; column < columns; ++column) {
                std::string slot = name;
                if (type.kind == TypeKind::matrix)
                    slot += fmt::format("[{}]", row);
                if (type.kind != TypeKind::scalar)
                    slot += columns <= 4 ? fmt::format(".{}", "xyzw"[column])
                                         : fmt::format("[{}]", column);
                slots.push_back(
                    {slot, offset + row * row_stride + column * size_of(*kind), *kind, {}});
                slots.back().values = values_for(slot, *kind, single);
            }
    }

    void add_buffer(std::size_t block, const std::string& name, std::uint64_t offset,
                    const TypeLayout& type, HandleForm form, bool used) {
        BufferPlan buffer;
        buffer.name = name;
        buffer.elements = form == HandleForm::pointer ? std::max(request_.elements, usual_elements)
                                                      : request_.elements;
        buffer.writable = type.writable || form == HandleForm::pointer;
        if (form == HandleForm::pointer_and_bytes) {
            buffer.stride = 4;
            buffer.slots.push_back(
                {"", 0, ScalarKind::word, values_for(name, ScalarKind::word, false)});
        } else {
            if (!type.element)
                return unusable(name, type, used);
            buffer.stride = type.stride ? type.stride : type.element->size;
            add_element(buffer.slots, name, 0, *type.element, used);
            for (ScalarSlot& slot : buffer.slots)
                slot.name.erase(0, name.size()); // a slot is named within its buffer
            if (buffer.slots.empty())
                return;
        }
        plan_.blocks[block].buffers.push_back(
            {offset, static_cast<std::uint32_t>(plan_.buffers.size()), form});
        plan_.buffers.push_back(std::move(buffer));
    }

    void add_element(std::vector<ScalarSlot>& slots, const std::string& name, std::uint64_t offset,
                     const TypeLayout& type, bool used) {
        switch (type.kind) {
        case TypeKind::scalar:
        case TypeKind::vector:
        case TypeKind::matrix:
            return add_scalars(slots, name, offset, type, false);
        case TypeKind::array:
        case TypeKind::structure:
            return each_part(name, offset, type,
                             [&](const std::string& part, std::uint64_t at, const TypeLayout& of) {
                                 add_element(slots, part, at, of, used);
                             });
        default:
            return unusable(name, type, used);
        }
    }

    /// The narrowest range that covers the scalar, else the default of its kind.
    Distribution values_for(const std::string& scalar, ScalarKind kind, bool single) {
        const InputRange* best = nullptr;
        std::size_t length = 0;
        for (const auto& [name, given] : ranges_) {
            // The members of a cbuffer are names of their own in the shader: "count" means
            // "Settings.count" too.
            if (!covers(name, scalar) &&
                (block_name_.empty() || !covers(block_name_ + '.' + name, scalar)))
                continue;
            used_ranges_.insert(name);
            if (name.size() >= length) {
                best = &given.range;
                length = name.size();
            }
        }
        return best ? configured(*best, single) : by_default(kind);
    }

    Distribution configured(const InputRange& range, bool single) const {
        Distribution values{range.minimum, range.maximum, {}};
        if (single && is_whole(range.minimum) && is_whole(range.maximum) &&
            range.maximum > range.minimum) {
            std::set<double> first{range.minimum, range.minimum + 1, range.maximum - 1,
                                   range.maximum};
            values.first.assign(first.begin(), first.end());
        }
        return values;
    }

    Distribution by_default(ScalarKind kind) const {
        if (kind == ScalarKind::boolean)
            return {0, 1, {}};
        if (is_floating(kind))
            return request_.defaults.floats;
        const double smallest = request_.defaults.smallest_integer;
        std::set<double> first;
        for (const double bound : bounds_)
            for (const double value : {0.0, 1.0, bound - 1, bound})
                first.insert(std::max(value, smallest));
        const double largest = bounds_.empty() ? default_integer_maximum : *bounds_.rbegin();
        return {smallest, std::max(largest, smallest), {first.begin(), first.end()}};
    }

    /// A range for one element of a buffer ("gIn[3]", "gParticles[3].mass"), or for a member of all
    /// its elements.
    bool applies_to_element(const std::string& text, const InputRange& range) {
        const InputName input = split(text);
        if (input.element.value_or(0) >= most_elements)
            return false;
        bool applied = false;
        for (BufferPlan& buffer : plan_.buffers)
            for (std::uint32_t slot = 0; slot < buffer.slots.size(); ++slot)
                if (input.element && covers(input.name, buffer.name + buffer.slots[slot].name)) {
                    buffer.exceptions.push_back({*input.element, slot, configured(range, true)});
                    buffer.elements = std::max(buffer.elements, *input.element + 1);
                    applied = true;
                }
        return applied;
    }

    const PlanRequest& request_;
    const VerifyOptions& options_;
    InputPlan plan_;
    struct Range {
        InputRange range;
        bool assumed = false; ///< from a loop's bound, not from the user
    };
    std::map<std::string, Range> ranges_;
    std::set<double> bounds_; ///< of loops whose trip count is an input nobody knows
    std::set<std::string> used_ranges_;
    std::string block_name_; ///< the constant buffer that is being laid out, if any
    std::string problem_;
};

} // namespace

CudaUse use_of(const CpuVariant& variant) {
    if (variant.machine != Machine::cuda)
        return {};
    return cuda_use(variant.emitted.empty() ? variant.code : variant.emitted);
}

std::string code_name(const Reflection& reflection, const std::string& entry_point) {
    for (const EntryPoint& entry : reflection.entry_points)
        if (entry.name == entry_point && !entry.code_name.empty())
            return entry.code_name;
    return entry_point;
}

bool has_range(const std::string& input, const InputRanges& ranges) {
    const std::string whole = split(input).name;
    return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return covers(range.first, input) || covers(range.first, whole);
    });
}

Result<InputPlan> make_plan(const PlanRequest& request) {
    return Planner(request).run();
}

} // namespace slimgrad::verify
