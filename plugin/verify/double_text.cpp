#include "plugin/verify/double_text.h"

#include "plugin/verify/source_tokens.h"
#include "rewriter/preprocessor.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string_view>

namespace slimgrad::verify {

namespace {

using Kind = SourceToken::Kind;

constexpr std::array<std::string_view, 6> narrow_types = {"float16_t",  "float32_t", "min16float",
                                                          "min10float", "float",     "half"};

bool is_extent(char c) {
    return c >= '1' && c <= '4';
}

/// `double3` for `half3`; nothing for other names.
std::optional<std::string> wide_type(std::string_view word) {
    for (const std::string_view type : narrow_types) {
        if (!word.starts_with(type))
            continue;
        const std::string_view shape = word.substr(type.size());
        const bool scalar = shape.empty();
        const bool vector = shape.size() == 1 && is_extent(shape[0]);
        const bool matrix =
            shape.size() == 3 && is_extent(shape[0]) && shape[1] == 'x' && is_extent(shape[2]);
        if (scalar || vector || matrix)
            return "double" + std::string(shape);
    }
    return std::nullopt;
}

/// Why a text that uses this builtin means something else in 64 bits.
std::string_view obstacle(std::string_view word) {
    static const std::map<std::string_view, std::string_view> exact = {
        {"bit_cast", "converts bits"},
        {"reinterpret", "converts bits"},
        {"f32tof16", "converts bits"},
        {"f16tof32", "converts bits"},
        {"f32tof16_", "converts bits"},
        {"f16tof32_", "converts bits"},
        {"sizeof", "depends on the size of types"},
        {"alignof", "depends on the size of types"},
        {"offsetof", "depends on the size of types"},
        {"__sizeOf", "depends on the size of types"},
        {"__alignOf", "depends on the size of types"},
        {"__offsetOf", "depends on the size of types"},
        {"__intrinsic_asm", "is target code"},
        {"__requirePrelude", "is target code"},
        {"__target_intrinsic", "is target code"},
        {"__specialized_for_target", "is target code"},
        {"spirv_asm", "is target code"},
        {"ByteAddressBuffer", "is addressed in bytes"},
        {"RWByteAddressBuffer", "is addressed in bytes"},
        {"RasterizerOrderedByteAddressBuffer", "is addressed in bytes"},
        {"bfloat16_t", "has no form in 64 bits"},
        {"BFloat16", "has no form in 64 bits"},
        {"FloatE4M3", "has no form in 64 bits"},
        {"FloatE5M2", "has no form in 64 bits"},
        {"CoopVec", "has no form in 64 bits"},
        {"CoopMat", "has no form in 64 bits"},
        {"TorchTensor", "has no form in 64 bits"},
    };
    if (const auto found = exact.find(word); found != exact.end())
        return found->second;
    for (const std::string_view prefix :
         {"asuint", "asint", "asfloat", "asdouble", "packHalf", "unpackHalf", "packUnorm",
          "packSnorm", "unpackUnorm", "unpackSnorm"}) {
        if (word.starts_with(prefix))
            return "converts bits";
    }
    return {};
}

/// Methods of textures that take coordinates: `t.SampleLevel(s, uv, 0)`.
bool takes_coordinates(std::string_view method) {
    return method == "Sample" || method.starts_with("SampleLevel") ||
           method.starts_with("SampleGrad") || method.starts_with("SampleBias") ||
           method.starts_with("SampleCmp") || method.starts_with("Gather") ||
           method.starts_with("CalculateLevelOfDetail");
}

/// Types whose element type stays: `Texture2D<float4>`.
bool keeps_elements(std::string_view word) {
    if (word.starts_with("RasterizerOrdered"))
        word.remove_prefix(std::string_view("RasterizerOrdered").size());
    if (word.starts_with("RW"))
        word.remove_prefix(2);
    return word.starts_with("Texture") || word == "Buffer" || word == "_Texture";
}

bool is(const std::vector<SourceToken>& tokens, std::size_t at, std::string_view text) {
    return at < tokens.size() && tokens[at].text == text;
}

/// The index after the `>` that closes the `<` at `at`; `at` where none does.
std::size_t after_arguments(const std::vector<SourceToken>& tokens, std::size_t at) {
    int depth = 0;
    for (std::size_t i = at; i < tokens.size(); ++i) {
        depth += tokens[i].text == "<" ? 1 : tokens[i].text == ">" ? -1 : 0;
        if (depth == 0)
            return i + 1;
        if (tokens[i].text == ";" || tokens[i].text == "{")
            break;
    }
    return at;
}

std::string wide_literal(std::string_view number) {
    const bool hexadecimal = number.starts_with("0x") || number.starts_with("0X");
    const std::size_t digits = number.find_last_not_of(hexadecimal ? "hHlL" : "fFhHlL");
    return std::string(number.substr(0, digits + 1)) + "l";
}

struct Replacement {
    ByteRange range;
    std::string text;
};

/// The replacements in one part of a text. Error: an obstacle; its place is an offset only, in
/// `at`.
Result<std::vector<Replacement>> replacements(const ModuleModel& model, std::string_view text,
                                              ByteRange part, std::uint32_t& at) {
    const std::vector<SourceToken> tokens = source_tokens(text, part);
    std::vector<Replacement> result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const SourceToken& token = tokens[i];
        at = token.range.begin;
        if (token.kind == Kind::number && is_float_literal(token.text)) {
            if (is(tokens, i + 1, "##"))
                return fail(fmt::format("'{}' is pasted with '##'", token.text));
            result.push_back({token.range, wide_literal(token.text)});
        }
        if (token.kind != Kind::word)
            continue;
        const bool member = i > 0 && tokens[i - 1].text == ".";
        const bool own = !model.find_functions(token.text).empty(); // no builtin
        if (const std::string_view why = obstacle(token.text); !why.empty() && !own)
            return fail(fmt::format("'{}' {}", token.text, why));
        if (member && !own && takes_coordinates(token.text))
            return fail(fmt::format("'{}' rounds coordinates to 32 bits", token.text));
        if (i > 0 && tokens[i - 1].text == "##" &&
            (token.text == "f" || token.text == "F" || token.text == "h" || token.text == "H"))
            return fail(fmt::format("'{}' is pasted with '##'", token.text));
        if (keeps_elements(token.text) && is(tokens, i + 1, "<")) {
            i = std::max(after_arguments(tokens, i + 1), i + 1) - 1;
        } else if (token.text == "DiffTensorView" && !is(tokens, i + 1, "<") && !member) {
            result.push_back({token.range, "DiffTensorView<double>"});
        } else if (const std::optional<std::string> type = wide_type(token.text); type && !member) {
            result.push_back({token.range, *type});
        }
    }
    return result;
}

std::string with_replacements(std::string_view text, std::vector<Replacement> all) {
    std::sort(all.begin(), all.end(), [](const Replacement& a, const Replacement& b) {
        return a.range.begin < b.range.begin;
    });
    std::string result;
    std::size_t at = 0;
    for (const Replacement& one : all) {
        if (one.range.begin < at)
            continue; // seen already
        result += text.substr(at, one.range.begin - at);
        result += one.text;
        at = one.range.end;
    }
    result += text.substr(at);
    return result;
}

/// "materials/brdf" for `import materials.brdf;` and `import "materials/brdf.slang";`, which the
/// tokens have no strings of.
std::string file_stem(std::string name) {
    const std::size_t slash = name.rfind('/');
    if (slash != std::string::npos)
        name.erase(0, slash + 1);
    if (name.ends_with(".slang"))
        name.resize(name.size() - 6);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// An import that is none of the files: what it declares stays as it is.
std::optional<Error> foreign_import(const ModuleModel& model, std::uint32_t file,
                                    std::string_view text) {
    const std::vector<SourceToken> tokens =
        source_tokens(text, {0, static_cast<std::uint32_t>(text.size())});
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const bool includes = tokens[i].text == "import" || tokens[i].text == "__include";
        const bool starts = i == 0 || tokens[i - 1].text == ";" || tokens[i - 1].text == "}" ||
                            tokens[i - 1].text == "public" || tokens[i - 1].text == "__exported" ||
                            tokens[i - 1].text == "export";
        if (!includes || !starts)
            continue;
        std::size_t end = i + 1;
        while (end < tokens.size() && tokens[end].text != ";")
            ++end;
        if (end == tokens.size())
            continue;
        const std::uint32_t first = tokens[i].range.end;
        std::string name(text.substr(first, tokens[end].range.begin - first));
        std::erase_if(name, [](char c) { return c == ' ' || c == '\t' || c == '"' || c == '\n'; });
        if (end > i + 1) // a name, not a string
            std::replace(name.begin(), name.end(), '.', '/');
        const std::string stem = file_stem(name);
        const bool known =
            std::any_of(model.files.begin(), model.files.end(),
                        [&](const SourceFile& other) { return file_stem(other.path()) == stem; });
        if (!known)
            return Error{
                fmt::format("'{}' is imported and not among the files that are retyped", name),
                model.place(file, tokens[i].range.begin)};
    }
    return std::nullopt;
}

} // namespace

Result<FileTexts> retype_to_double(const ModuleModel& model,
                                   const std::vector<std::string>& defines) {
    const ActiveText active = preprocess(model.files, defines);
    FileTexts changed;
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const SourceFile& source = model.files[file];
        const std::string_view text = active.texts[file];
        if (std::optional<Error> import = foreign_import(model, file, text))
            return tl::unexpected(*import);
        std::uint32_t at = 0;
        Result<std::vector<Replacement>> found =
            replacements(model, text, {0, static_cast<std::uint32_t>(text.size())}, at);
        if (!found)
            return fail(found.error().message, model.place(file, at));
        for (const MacroDefinition& macro : active.macros) {
            if (macro.file != file)
                continue;
            Result<std::vector<Replacement>> more =
                replacements(model, source.text(), macro.range, at);
            if (!more)
                return fail(more.error().message, model.place(file, at));
            found->insert(found->end(), more->begin(), more->end());
        }
        if (!found->empty())
            changed[source.path()] = with_replacements(source.text(), std::move(*found));
    }
    return changed;
}

Result<ModuleVariant> in_double(const ModuleVariant& variant, const ModuleModel& model) {
    Result<FileTexts> texts = retype_to_double(model, macro_definitions(variant.slang_arguments));
    if (!texts)
        return tl::unexpected(texts.error());
    ModuleVariant result = variant;
    for (auto& [path, text] : *texts)
        result.overlay[path] = std::move(text);
    bool defines = false; // the argument before was a lone -D
    for (std::string& argument : result.slang_arguments) {
        const bool macro = defines || argument.starts_with("-D");
        defines = argument == "-D";
        const std::size_t value = argument.find('=');
        if (!macro || value == std::string::npos)
            continue;
        std::uint32_t at = 0;
        const ByteRange part{static_cast<std::uint32_t>(value + 1),
                             static_cast<std::uint32_t>(argument.size())};
        Result<std::vector<Replacement>> found = replacements(model, argument, part, at);
        if (!found)
            return fail(fmt::format("{} in the option '{}'", found.error().message, argument));
        argument = with_replacements(argument, std::move(*found));
    }
    return result;
}

Result<DoubleVariants> both_in_double(const ModuleVariant& original,
                                      const ModuleModel& original_model,
                                      const ModuleVariant& rewritten,
                                      const ModuleModel& rewritten_model) {
    Result<ModuleVariant> first = in_double(original, original_model);
    if (!first)
        return tl::unexpected(first.error());
    Result<ModuleVariant> second = in_double(rewritten, rewritten_model);
    if (!second)
        return tl::unexpected(second.error());
    return DoubleVariants{std::move(*first), std::move(*second)};
}

} // namespace slimgrad::verify
