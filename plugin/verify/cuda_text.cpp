#include "plugin/verify/cuda_text.h"

#include "plugin/verify/cuda_host.h"
#include "rewriter/words.h"

#include <algorithm>

namespace slimgrad::verify {
namespace {

constexpr auto npos = std::string_view::npos;

/// Just past the bracket that closes the one at `open`; npos if none does. Brackets in texts do not
/// count.
std::size_t past_closing(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                if (text[i] == '\\')
                    ++i;
        } else if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if (c == ')' || c == ']' || c == '}') {
            if (--depth == 0)
                return i + 1;
        }
    }
    return npos;
}

/// The text in pieces: cut at `separator` where it stands outside of brackets and texts. With
/// `angles`, template arguments are in brackets too.
std::vector<std::string_view> split(std::string_view text, char separator, bool angles = false) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '[' || c == '{' || c == '"') {
            const std::size_t end = c == '"' ? text.find('"', i + 1) + 1 : past_closing(text, i);
            if (end == npos || end == 0)
                break;
            i = end - 1;
        } else if (angles && (c == '<' || c == '>')) {
            depth += c == '<' ? 1 : -1;
        } else if (c == separator && depth == 0) {
            parts.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    parts.push_back(text.substr(begin));
    return parts;
}

/// Trimmed, the ends of lines that go on included.
std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n\\";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == npos ? "" : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// On one line: a piece of a macro's body must not bring its ends of lines along.
std::string in_one_line(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool continues = text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n';
        result += continues || text[i] == '\n' ? ' ' : text[i];
    }
    return result;
}

/// `"code" : "=r"(a) : "l"(b) : "memory"` -> `"code", slimgrad_operand(a), slimgrad_operand(b)`.
std::string ptx_arguments(std::string_view content) {
    const std::vector<std::string_view> sections = split(content, ':');
    std::string result = in_one_line(without_blanks(sections.front()));
    for (std::size_t i = 1; i < sections.size() && i < 3; ++i)
        for (const std::string_view operand : split(sections[i], ',')) {
            const std::size_t open = operand.find('(');
            if (open != npos)
                result += ", slimgrad_operand" + in_one_line(without_blanks(operand.substr(open)));
        }
    return result;
}

/// The text with every `asm` statement as a call.
std::string without_asm(std::string_view text) {
    std::string result;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = text.find("asm", at)) != npos;) {
        const std::size_t word = at;
        at += 3;
        if ((word > 0 && is_name(text[word - 1])) || (at < text.size() && is_name(text[at])))
            continue;
        constexpr std::string_view blanks = " \t\n\\";
        std::size_t open = text.find_first_not_of(blanks, at);
        if (open != npos && text.substr(open).starts_with("volatile"))
            open = text.find_first_not_of(blanks, open + std::string_view("volatile").size());
        if (open == npos || text[open] != '(')
            continue;
        const std::size_t end = past_closing(text, open);
        if (end == npos)
            continue;
        result += text.substr(done, word - done);
        result += "slimgrad_ptx(" + ptx_arguments(text.substr(open + 1, end - open - 2)) + ")";
        done = at = end;
    }
    result += text.substr(done);
    return result;
}

/// Where Slang's prelude ends: the text goes on with the first place of the shader.
std::size_t end_of_prelude(std::string_view cuda) {
    const std::size_t line = cuda.find("\n#line ");
    return line == npos ? 0 : line + 1;
}

/// The names of a parameter list that are coordinates: all but a value to store. `array`: the
/// expression for their number where they are an array.
struct Coordinates {
    std::string names, array;
};

Coordinates coordinates(std::string_view parameters) {
    Coordinates result;
    for (std::string_view parameter : split(parameters, ',', true)) {
        parameter = without_blanks(parameter);
        const std::size_t bracket = parameter.find('[');
        const std::string_view declared = parameter.substr(0, bracket);
        std::size_t begin = declared.size();
        while (begin > 0 && is_name(declared[begin - 1]))
            --begin;
        if (without_blanks(declared.substr(0, begin)) == "T")
            continue;
        result.names += ", " + std::string(declared.substr(begin));
        if (bracket != npos)
            result.array = parameter.substr(bracket + 1, parameter.find(']') - bracket - 1);
    }
    return result;
}

constexpr std::string_view tensor_checks = R"(
struct TensorView;
template <class... C> static inline void slimgrad_check_tensor(const TensorView& tensor, C... coordinates);
static inline void slimgrad_check_tensor(const TensorView& tensor, uint2 at);
static inline void slimgrad_check_tensor(const TensorView& tensor, uint3 at);
static inline void slimgrad_check_tensor(const TensorView& tensor, uint4 at);
static inline void slimgrad_check_tensor_array(const TensorView& tensor, const uint* at, unsigned int count);
)";

constexpr std::string_view tensor_check_definitions = R"(
static inline void slimgrad_check_tensor_array(const TensorView& tensor, const uint* at, unsigned int count) {
    for (unsigned int i = 0; i < count; ++i)
        if (i >= tensor.dimensionCount || at[i] >= tensor.sizes[i])
            slimgrad_hooks.out_of_tensor(slimgrad_subscript, tensor.data, i, at[i], i < tensor.dimensionCount ? tensor.sizes[i] : 0, slimgrad_innermost);
    slimgrad_subscript = 0;
}
template <class... C> static inline void slimgrad_check_tensor(const TensorView& tensor, C... coordinates) {
    const uint at[] = {static_cast<uint>(coordinates)...};
    slimgrad_check_tensor_array(tensor, at, sizeof...(coordinates));
}
static inline void slimgrad_check_tensor(const TensorView& tensor, uint2 at) { slimgrad_check_tensor(tensor, at.x, at.y); }
static inline void slimgrad_check_tensor(const TensorView& tensor, uint3 at) { slimgrad_check_tensor(tensor, at.x, at.y, at.z); }
static inline void slimgrad_check_tensor(const TensorView& tensor, uint4 at) { slimgrad_check_tensor(tensor, at.x, at.y, at.z, at.w); }
)";

/// The prelude with a check at the start of every accessor of its TensorView.
std::string with_tensor_checks(const std::string& prelude) {
    const std::size_t begin = prelude.find("\nstruct TensorView\n{");
    const std::size_t end = prelude.find("\n};", begin);
    if (begin == npos || end == npos)
        return prelude;
    std::string result = prelude.substr(0, begin);
    result += tensor_checks;
    std::size_t done = begin;
    constexpr std::string_view mark = "__device__ ";
    for (std::size_t at = begin; (at = prelude.find(mark, at)) < end;) {
        const std::size_t open = prelude.find('(', at);
        const std::size_t close = past_closing(prelude, open);
        const std::size_t body = prelude.find('{', close);
        const Coordinates given =
            coordinates(std::string_view(prelude).substr(open + 1, close - open - 2));
        at = body + 1;
        if (given.names.empty() || given.names == ", ")
            continue; // data_ptr
        result += prelude.substr(done, at - done);
        result += given.array.empty() ? " slimgrad_check_tensor(*this" + given.names + ");"
                                      : " slimgrad_check_tensor_array(*this" + given.names + ", " +
                                            given.array + ");";
        done = at;
    }
    const std::size_t past = end + std::string_view("\n};").size();
    result += prelude.substr(done, past - done);
    result += tensor_check_definitions;
    result += prelude.substr(past);
    return result;
}

/// How many coordinates an argument stands for, by its own type or that of the variable: 2 for
/// `make_uint2 (a, b)` or `i_1`, where the text declares `uint2  i_1`.
std::uint32_t coordinates_of(std::string_view cuda, std::string_view argument) {
    while (argument.starts_with('(') && argument.ends_with(')'))
        argument = without_blanks(argument.substr(1, argument.size() - 2));
    for (std::uint32_t count = 2; count <= 4; ++count) {
        const std::string type = "uint" + std::to_string(count);
        if (argument.starts_with("make_" + type) || argument.starts_with(type))
            return count;
        for (std::size_t at = 0; (at = cuda.find(argument, at)) != npos; at += argument.size()) {
            const bool whole =
                at + argument.size() < cuda.size() && !is_name(cuda[at + argument.size()]);
            if (whole && at > type.size() &&
                without_blanks(cuda.substr(at - type.size() - 2, type.size() + 2)) == type)
                return count;
        }
    }
    return 1;
}

bool looks_at_y(std::string_view cuda, std::size_t place) {
    const std::size_t after = cuda.find_first_not_of(") ", place);
    if (after == npos || cuda[after] == '.')
        return after != npos && cuda.substr(after).starts_with(".y");
    if (cuda[after] != ';')
        return false;
    const std::size_t start = cuda.rfind('\n', place) + 1;
    const std::string_view statement = cuda.substr(start, place - start);
    const std::size_t assigned = statement.find(" = ");
    if (assigned == npos)
        return false;
    std::size_t begin = assigned;
    while (begin > 0 && is_name(statement[begin - 1]))
        --begin;
    return cuda.find(std::string(statement.substr(begin, assigned - begin)) + ".y") != npos;
}

std::string callers(std::string_view cuda) {
    std::string result = "\n";
    for (const EmittedKernel& kernel : emitted_kernels(cuda)) {
        std::string members, arguments;
        for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
            const std::string name = "p" + std::to_string(i);
            members += kernel.parameters[i].type + " " + name + "; ";
            arguments += (i ? ", p->" : "p->") + name;
        }
        const std::string type = "slimgrad_parameters_" + kernel.name;
        result += "struct " + type + " { " + members + "};\n";
        result += "extern \"C\" void slimgrad_call_" + kernel.name +
                  "(void* parameters) { auto* p = static_cast<" + type +
                  "*>(parameters); (void)p; " + name_on_host(kernel.name) + "(" + arguments +
                  "); }\n";
        // Sizes and offsets as the host's compiler sees them, for the runner to compare.
        result += "extern \"C\" const uint64_t slimgrad_layout_" + kernel.name + "[] = {" +
                  std::to_string(kernel.parameters.size()) + ", " +
                  (members.empty() ? "0" : "sizeof(" + type + ")");
        for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
            result += ", offsetof(" + type + ", p" + std::to_string(i) + ")";
        result += "};\n";
    }
    const std::string_view kernels = cuda.substr(end_of_prelude(cuda));
    if (kernels.find("__shared__") != npos)
        result +=
            "extern \"C\" unsigned char __start_slimgrad_shared[], __stop_slimgrad_shared[];\n"
            "extern \"C\" unsigned char* const slimgrad_shared_ends[] = {__start_slimgrad_shared, "
            "__stop_slimgrad_shared};\n";
    if (kernels.find("SLANG_globalParams;") != npos)
        // The text only declares it: on a device `extern "C"` does not.
        result +=
            "extern \"C\" { decltype(SLANG_globalParams) SLANG_globalParams; }\n"
            "extern \"C\" const uint64_t slimgrad_global_bytes = sizeof(SLANG_globalParams);\n";
    return result;
}

/// What follows the prelude, with the kernels' names on the host.
std::string with_renamed_kernels(std::string_view cuda) {
    std::string result;
    std::size_t done = end_of_prelude(cuda);
    for (const EmittedKernel& kernel : emitted_kernels(cuda)) {
        result += cuda.substr(done, kernel.name_at - done);
        result += name_on_host(kernel.name);
        done = kernel.name_at + kernel.name.size();
    }
    result += cuda.substr(done);
    return result;
}

} // namespace

std::string name_on_host(std::string_view kernel) {
    return "slimgrad_kernel_" + std::string(kernel);
}

HostText host_text(std::string_view cuda, bool checked) {
    HostText result;
    const std::size_t end = end_of_prelude(cuda);
    std::string prelude = without_asm(cuda.substr(0, end));
    // cuda_host/half.h stands in for it.
    constexpr std::string_view half = "#include <cuda_fp16.h>";
    if (const std::size_t at = prelude.find(half); at != npos)
        prelude.erase(at, half.size());
    if (checked)
        prelude = with_tensor_checks(prelude);
    result.before = std::string(cuda_host_text) + "#define SLANG_CUDA_ENABLE_HALF 1\n" + prelude;
    result.kernels = without_asm(with_renamed_kernels(cuda));
    result.after = callers(cuda);
    return result;
}

std::vector<EmittedKernel> emitted_kernels(std::string_view cuda) {
    std::vector<EmittedKernel> result;
    constexpr std::string_view mark = "__global__";
    for (std::size_t at = end_of_prelude(cuda); (at = cuda.find(mark, at)) != npos;) {
        at += mark.size();
        std::size_t open = cuda.find('(', at);
        if (open != npos &&
            without_blanks(cuda.substr(at, open - at)).ends_with("__launch_bounds__"))
            open = cuda.find('(', past_closing(cuda, open));
        const std::size_t close = open == npos ? npos : past_closing(cuda, open);
        if (close == npos)
            break;
        std::size_t name = open;
        while (name > at && is_name(cuda[name - 1]))
            --name;
        const std::size_t next = cuda.find_first_not_of(" \t\r\n", close);
        if (next == npos || cuda[next] != '{')
            continue; // a declaration
        EmittedKernel kernel{std::string(cuda.substr(name, open - name)), {}, name};
        const std::string_view list = without_blanks(cuda.substr(open + 1, close - open - 2));
        if (!list.empty())
            for (std::string_view parameter : split(list, ',', true)) {
                parameter = without_blanks(parameter);
                std::size_t begin = parameter.size();
                while (begin > 0 && is_name(parameter[begin - 1]))
                    --begin;
                kernel.parameters.push_back(
                    {in_one_line(without_blanks(parameter.substr(0, begin))),
                     std::string(parameter.substr(begin))});
            }
        result.push_back(std::move(kernel));
        at = next;
    }
    return result;
}

CudaUse cuda_use(std::string_view cuda) {
    CudaUse use;
    const std::string_view text = cuda.substr(end_of_prelude(cuda));
    use.shared_memory = text.find("__shared__") != npos;
    use.atomics = text.find("atomic") != npos;
    for (const std::string_view place : {"threadIdx", "blockIdx"})
        for (std::size_t at = 0; (at = text.find(place, at)) != npos;) {
            at += place.size();
            use.plane = use.plane || looks_at_y(text, at);
        }
    for (const std::string_view accessor : {").load<", ").store<", ").data_ptr_at<"})
        for (std::size_t at = 0; (at = text.find(accessor, at)) != npos;) {
            const std::size_t open = text.find(">((", at += accessor.size());
            const std::size_t close = open == npos ? npos : past_closing(text, open + 1);
            if (close == npos)
                break;
            const auto arguments = split(text.substr(open + 2, close - open - 3), ',');
            const std::uint32_t values = accessor == ").store<" ? 1 : 0;
            const auto count = static_cast<std::uint32_t>(arguments.size()) - values;
            use.dimensions = std::max(
                use.dimensions,
                count > 1 ? count : coordinates_of(text, without_blanks(arguments.front())));
        }
    return use;
}

} // namespace slimgrad::verify
