#include "plugin/verify/replay_text.h"

#include <fmt/format.h>
#include <memory>

namespace slimgrad::verify {
namespace {

bool holds_half(const TypeLayout& type) {
    if (type.element && type.kind == TypeKind::array)
        return holds_half(*type.element);
    for (const FieldLayout& field : type.fields)
        if (holds_half(*field.type))
            return true;
    return type.scalar == ScalarType::half;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

class Generator {
  public:
    Generator(const ReplayRequest& request, ValueText& values)
        : request_(request), values_(values) {}

    Result<ReplayText> run() {
        const FunctionShape& shape = *request_.shape;
        for (std::size_t i = 0; i < shape.parameters.size(); ++i)
            if (const auto added = parameter(i, shape.parameters[i]); !added)
                return tl::unexpected(added.error());
        if (shape.result)
            if (const auto added = result(*shape.result, shape.result_no_diff); !added)
                return tl::unexpected(added.error());
        if (argument_ != request_.passed.size())
            return fail(fmt::format("{} is called with {} arguments where {} were expected",
                                    "bwd_diff(" + request_.function + ")", request_.passed.size(),
                                    argument_));
        if (gradients_.empty())
            return fail(fmt::format("{} returns nothing that has a gradient", request_.function));
        if (directions_.empty() && !request_.moves_buffers)
            return fail(fmt::format("{} takes nothing that has a gradient", request_.function));
        write();
        return std::move(text_);
    }

  private:
    /// The expression of the next argument of bwd_diff(f), if it is passed through.
    std::string next_passed() {
        const std::size_t at = argument_++;
        return at < request_.passed.size() ? request_.passed[at] : "";
    }

    Result<void> parameter(std::size_t index, const FunctionShape::Value& value) {
        const std::string x = fmt::format("x{}", index), v = fmt::format("v{}", index),
                          u = fmt::format("u{}", index), y = fmt::format("y{}", index);
        const std::string type = values_.spelled(value.type);
        const auto differential = value.no_diff ? nullptr : values_.differential(value.type);
        if (!differential && !value.is_in) { // no part of bwd_diff(f)
            forward_setup_ += fmt::format("{} {}; ", type, y);
            step_setup_ += fmt::format("{} {}; ", type, y);
            forward_arguments_.push_back(y);
            step_arguments_.push_back(y);
            return {};
        }
        if (const std::string passed = next_passed(); !passed.empty())
            return pass(x, type, value, passed);
        if (const std::string why = values_.problem(value.type); !why.empty())
            return fail(fmt::format("{}'s parameter {} {}", request_.function, value.name, why));
        text_.half = text_.half || holds_half(value.type);
        if (!differential)
            return recorded(x, y, value);

        const std::string d_type = values_.spelled(*differential);
        values_.need_pair(value.type, *differential);
        if (value.is_in) {
            record(value.type, x, x + ".p");
            capture_parameters_.push_back(fmt::format("inout DifferentialPair<{}> {}", type, x));
            directions_ +=
                fmt::format("    {0} {1}; slimgrad_draw(slimgrad_v, {2}, {1});\n", d_type, v, x);
            text_.scalars += values_.scalars(*differential);
            argument_ends_.push_back(text_.scalars);
            // A zero of one's own, `T.Differential z = {}`, crashes slangc for some generic T.
            backward_setup_ += fmt::format("        DifferentialPair<{}> p{} = diffPair({}{});\n",
                                           type, index, x, value.is_out ? ", " + u : "");
            backward_arguments_.push_back(fmt::format("p{}", index));
            backward_sum_ += fmt::format(
                "        slimgrad_results[slimgrad_base + {0}u] += slimgrad_dot(p{2}.d, {3});\n"
                "        slimgrad_results[slimgrad_base + {1}u] += slimgrad_magnitude(p{2}.d, "
                "{3});\n",
                ReplayResults::backward, ReplayResults::backward_magnitude, index, v);
            values_.need_pair(*differential, *differential);
            forward_setup_ +=
                fmt::format("DifferentialPair<{}> p{} = diffPair({}, {}); ", type, index, x, v);
            step_setup_ +=
                fmt::format("{} {} = slimgrad_moved({}, {}, slimgrad_h); ", type, y, x, v);
        } else {
            capture_parameters_.push_back(fmt::format("{} {}", d_type, x));
            backward_arguments_.push_back(u);
            forward_setup_ += fmt::format("DifferentialPair<{}> p{}; ", type, index);
            step_setup_ += fmt::format("{} {}; ", type, y);
        }
        forward_arguments_.push_back(fmt::format("p{}", index));
        step_arguments_.push_back(y);
        if (value.is_out) {
            gradient(*differential, u, value.is_in ? x + ".d" : x);
            forward_sum(fmt::format("p{}", index), u);
            step_sum(y, u);
        }
        return {};
    }

    /// A buffer and the like: bwd_diff(f) takes it as f does.
    Result<void> pass(const std::string& x, const std::string& type,
                      const FunctionShape::Value& value, const std::string& expression) {
        if (value.is_out)
            return fail(fmt::format("{} may change its parameter {}, which cannot be recorded",
                                    request_.function, value.name));
        capture_parameters_.push_back(fmt::format("{} {}", type, x));
        for (auto* list : {&backward_arguments_, &forward_arguments_, &step_arguments_})
            list->push_back(x);
        passed_parameters_.push_back(fmt::format("{} {}", type, x));
        passed_expressions_.push_back(expression);
        return {};
    }

    /// A parameter that is not differentiated. An inout one is `in` to bwd_diff(f).
    Result<void> recorded(const std::string& x, const std::string& y,
                          const FunctionShape::Value& value) {
        const std::string type = values_.spelled(value.type);
        capture_parameters_.push_back(fmt::format("{} {}", type, x));
        record(value.type, x, x);
        backward_arguments_.push_back(x);
        const std::string& given = value.is_out ? y : x;
        if (value.is_out) {
            forward_setup_ += fmt::format("{} {} = {}; ", type, y, x);
            step_setup_ += fmt::format("{} {} = {}; ", type, y, x);
        }
        forward_arguments_.push_back(given);
        step_arguments_.push_back(given);
        return {};
    }

    Result<void> result(const TypeLayout& type, bool no_diff) {
        const auto differential = no_diff ? nullptr : values_.differential(type);
        if (!differential)
            return {};
        if (const std::string why = values_.problem(type); !why.empty())
            return fail(fmt::format("{} returns what {}", request_.function, why));
        next_passed();
        text_.half = text_.half || holds_half(type);
        values_.need_pair(type, *differential);
        result_type_ = values_.spelled(type);
        capture_parameters_.push_back(fmt::format("{} slimgrad_u", values_.spelled(*differential)));
        gradient(*differential, "u", "slimgrad_u");
        last_backward_argument_ = "u";
        forward_sum("r", "u");
        step_sum("r", "u");
        return {};
    }

    /// A gradient of something that f returns, as the kernel gives it.
    void gradient(const TypeLayout& differential, const std::string& u, const std::string& from) {
        values_.need_pair(differential, differential);
        record(differential, u, from);
        gradients_ += fmt::format("{}slimgrad_dot({}, {})", gradients_.empty() ? "" : " + ", u, u);
        random_gradients_ += fmt::format(" {{ {0} e = {1}; slimgrad_draw(slimgrad_u, e, {1}); }}",
                                         values_.spelled(differential), u);
    }

    void forward_sum(const std::string& pair, const std::string& u) {
        forward_sum_ +=
            fmt::format("slimgrad_results[slimgrad_base + {0}u] += "
                        "slimgrad_dot({2}.d, {3}); slimgrad_results[slimgrad_base + "
                        "{1}u] += slimgrad_magnitude({2}.d, {3}); ",
                        ReplayResults::forward, ReplayResults::forward_magnitude, pair, u);
    }

    void step_sum(const std::string& y, const std::string& u) {
        step_sum_ += fmt::format("slimgrad_results[slimgrad_base + {}u + uint(k)] += "
                                 "slimgrad_dot({}, {}); ",
                                 ReplayResults::values, y, u);
        magnitude_sum_ += fmt::format("slimgrad_results[slimgrad_base + {}u] += "
                                      "slimgrad_magnitude({}, {}); ",
                                      ReplayResults::magnitude, y, u);
    }

    /// A record's next value: what the capture function calls `from` is `to` in the replay.
    void record(const TypeLayout& type, const std::string& to, const std::string& from) {
        values_.need(type);
        text_.words += values_.words(type);
        stores_ += fmt::format("        slimgrad_store(at, {});\n", from);
        loads_ += fmt::format("    {0} {1}; slimgrad_load(at, {1});\n", values_.spelled(type), to);
    }

    /// A method is called on its object, which bwd_diff and fwd_diff take first.
    std::string call_of_function() const {
        if (!request_.shape->has_this)
            return fmt::format("{}({})", request_.function, joined(step_arguments_));
        std::size_t name = request_.function.size();
        for (int depth = 0; name > 0; --name) {
            const char c = request_.function[name - 1];
            depth += c == '>' ? 1 : c == '<' ? -1 : 0;
            if (depth == 0 && (c == '.' || c == ':'))
                break;
        }
        const std::vector<std::string> arguments(step_arguments_.begin() + 1,
                                                 step_arguments_.end());
        return fmt::format("{}.{}({})", step_arguments_.front(), request_.function.substr(name),
                           joined(arguments));
    }

    void write() {
        std::vector<std::string> backward = backward_arguments_;
        if (!last_backward_argument_.empty())
            backward.push_back(last_backward_argument_);
        std::vector<std::string> real;
        for (std::size_t i = 0; i < capture_parameters_.size(); ++i)
            real.push_back(capture_parameters_[i].substr(capture_parameters_[i].rfind(' ') + 1));
        // A custom derivative that calls bwd_diff is called by replays, too: they record nothing.
        text_.capture = fmt::format(
            "void slimgrad_capture_{0}({1})\n{{\n"
            "    if (slimgrad_steps[0] == double(0)) {{\n"
            "        const uint base = SLIMGRAD_BASE;\n"
            "        const uint count = slimgrad_records[base];\n"
            "        const uint place = slimgrad_place(count);\n"
            "        if (place < {2}u) {{\n"
            "            uint at = base + 1u + place * {3}u;\n{4}        }}\n"
            "        slimgrad_records[base] = count + 1u;\n    }}\n"
            "    {5}\n}}\n",
            request_.site, joined(capture_parameters_), most_recorded_calls, text_.words, stores_,
            request_.records_only
                ? ""
                : fmt::format("bwd_diff({})({});", request_.function, joined(real)));

        std::vector<std::string> call_parameters{"uint at", "uint slimgrad_call"};
        std::vector<std::string> call_arguments{"slimgrad_at", "slimgrad_call"};
        call_parameters.insert(call_parameters.end(), passed_parameters_.begin(),
                               passed_parameters_.end());
        call_arguments.insert(call_arguments.end(), passed_expressions_.begin(),
                              passed_expressions_.end());
        const bool returns = !result_type_.empty();
        std::string body = loads_;
        body += "    slimgrad_Draw slimgrad_u = slimgrad_draw_all(slimgrad_call);\n";
        body += fmt::format("    if (!({} != double(0))) {{{} }}\n", gradients_, random_gradients_);
        if (!directions_.empty()) {
            std::string ends;
            for (const std::uint32_t end : argument_ends_)
                ends += fmt::format("{}{}u", ends.empty() ? "" : ", ", end);
            const std::size_t count = argument_ends_.size();
            body +=
                fmt::format("    uint slimgrad_ends[{0}] = {{ {1} }};\n"
                            "    const uint slimgrad_argument = (slimgrad_sample / 2u) % {0}u;\n"
                            "    slimgrad_Draw slimgrad_v = slimgrad_draw_some(slimgrad_u, {0}u, "
                            "slimgrad_argument == 0u ? 0u : slimgrad_ends[slimgrad_argument - 1u], "
                            "slimgrad_ends[slimgrad_argument], {2}u);\n",
                            count, ends, text_.scalars);
            body += directions_;
        }
        // The primal first: custom derivatives may write what it reads.
        body +=
            fmt::format("    const int slimgrad_count = int(abs(slimgrad_steps[0]));\n"
                        "    const uint slimgrad_base = slimgrad_call * ({}u + "
                        "uint(slimgrad_count));\n"
                        "    for (int k = 0; k < slimgrad_count; ++k) {{\n"
                        "        const double slimgrad_h = slimgrad_steps[k + 1];\n"
                        "        {}\n        {}{};\n        {}\n"
                        "        if (slimgrad_h == double(0)) {{ {}}}\n    }}\n",
                        ReplayResults::values, step_setup_, returns ? result_type_ + " r = " : "",
                        call_of_function(), step_sum_, magnitude_sum_);
        body += fmt::format("    {{\n{}        bwd_diff({})({});\n{}    }}\n", backward_setup_,
                            request_.function, joined(backward), backward_sum_);
        if (request_.forward && !directions_.empty())
            body +=
                fmt::format("    {{\n        {}\n        {}fwd_diff({})({});\n        {}\n    }}\n",
                            forward_setup_,
                            returns ? fmt::format("DifferentialPair<{}> r = ", result_type_) : "",
                            request_.function, joined(forward_arguments_), forward_sum_);
        text_.replay = fmt::format(
            "void slimgrad_replay_call_{0}({1})\n{{\n{2}}}\n"
            "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
            "void slimgrad_replay_{0}({3})\n{{\n{7}"
            "    const uint start = slimgrad_records[slimgrad_sample];\n"
            "    const uint calls = slimgrad_records[start];\n"
            "    slimgrad_results[{4}] = double(calls);\n"
            "    for (uint slimgrad_call = 0u; slimgrad_call < calls; ++slimgrad_call) {{\n"
            "        const uint slimgrad_at = start + 1u + slimgrad_call * {5}u;\n"
            "        slimgrad_replay_call_{0}({6});\n    }}\n}}\n",
            request_.site, joined(call_parameters), body,
            passed_expressions_.empty() ? "" : request_.entry_parameters, ReplayResults::calls,
            text_.words, joined(call_arguments), request_.passed_variables);
    }

    const ReplayRequest& request_;
    ValueText& values_;
    ReplayText text_;
    std::size_t argument_ = 0;                 ///< of bwd_diff(f)
    std::vector<std::uint32_t> argument_ends_; ///< of the arguments that move, in scalars of v
    std::vector<std::string> capture_parameters_, passed_parameters_, passed_expressions_;
    std::vector<std::string> backward_arguments_, forward_arguments_, step_arguments_;
    std::string last_backward_argument_, result_type_;
    std::string stores_, loads_, directions_, gradients_, random_gradients_;
    std::string backward_setup_, backward_sum_, forward_setup_, forward_sum_;
    std::string step_setup_, step_sum_, magnitude_sum_;
};

} // namespace

Result<ReplayText> ReplayText::generate(const ReplayRequest& request, ValueText& values) {
    return Generator(request, values).run();
}

std::string ReplayText::capture_at(std::uint64_t base) const {
    const std::string word = "SLIMGRAD_BASE";
    std::string text = capture;
    return text.replace(text.find(word), word.size(), fmt::format("{}u", base));
}

std::size_t backward_arity(const FunctionShape& shape, const ValueText& values) {
    std::size_t arity = 0;
    for (const FunctionShape::Value& value : shape.parameters)
        if (value.is_in || (!value.no_diff && values.differential(value.type)))
            ++arity;
    return arity + (shape.result && !shape.result_no_diff && values.differential(*shape.result));
}

std::string replay_prelude() {
    return R"(
RWStructuredBuffer<uint> slimgrad_records;
RWStructuredBuffer<double> slimgrad_results;
StructuredBuffer<double> slimgrad_steps;
uniform uint slimgrad_sample;
double slimgrad_random(inout uint key)
{
    key = key * 747796405u + 2891336453u;
    uint word = ((key >> ((key >> 28u) + 4u)) ^ key) * 277803737u;
    word = (word >> 22u) ^ word;
    return (double(word) - double(2147483648u)) / double(2147483648u);
}
struct slimgrad_Draw
{
    uint key;
    uint at;      // scalars drawn so far
    uint first;   // scalars that move
    uint last;
    uint subset;  // not 0: only some of them
}
double slimgrad_component(inout slimgrad_Draw draw, double x)
{
    const double value = slimgrad_random(draw.key) * max(double(1), abs(x));
    const uint at = draw.at++;
    uint chosen = draw.subset + at * 2u;
    if (at < draw.first || at >= draw.last ||
        (draw.subset != 0u && slimgrad_random(chosen) < double(0)))
        return double(0);
    return value;
}
slimgrad_Draw slimgrad_draw_all(uint call)
{
    slimgrad_Draw draw;
    draw.key = (slimgrad_sample * 64u + call) * 2654435761u + 1u;
    draw.at = 0u;
    draw.first = 0u;
    draw.last = 0xffffffffu;
    draw.subset = 0u;
    return draw;
}
// Of eight samples two move everything, one a part, one a single scalar, four one argument; where
// there is but one argument, two of the four a single scalar instead.
slimgrad_Draw slimgrad_draw_some(slimgrad_Draw all, uint arguments, uint first, uint last,
                                 uint scalars)
{
    slimgrad_Draw draw = all;
    draw.at = 0u;
    draw.subset = 0u;
    const uint turn = slimgrad_sample % 8u;
    if (slimgrad_steps[0] < double(0)) {
        draw.last = 0u;
    } else if (turn == 6u || (arguments == 1u && turn % 4u == 1u)) {
        draw.first = (slimgrad_sample / 4u) % scalars;
        draw.last = draw.first + 1u;
    } else if (turn % 2u == 1u) {
        draw.first = first;
        draw.last = last;
    } else if (turn == 2u && scalars > 2u) {
        draw.subset = slimgrad_sample * 2246822519u + 1u;
    }
    return draw;
}
// Where the record of a call goes: the first in order, later ones in the place of another or
// nowhere, so that what is kept at the end is from all over the run.
uint slimgrad_place(uint count)
{
    if (count < 64u)
        return count;
    uint key = count * 2654435761u + 1u;
    slimgrad_random(key);
    return (key ^ (key >> 15u)) % (count + 1u);
}
)";
}

} // namespace slimgrad::verify
