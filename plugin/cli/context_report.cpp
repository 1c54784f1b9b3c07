#include "plugin/cli/context_report.h"

#include "plugin/cuda/cuda_text.h"
#include "plugin/rewrite/rewrite_cuda.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;

Place place_of(const nlohmann::json& object) {
    return {object.at("file"), object.at("line"), 0};
}

Json place_json(const Place& place) {
    return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

} // namespace

Result<std::vector<CudaContext>> parse_cuda_contexts(std::string_view report) {
    std::vector<CudaContext> contexts;
    try {
        const nlohmann::json document = nlohmann::json::parse(report);
        for (const nlohmann::json& object : document.at("contexts")) {
            CudaContext& context = contexts.emplace_back();
            context.record = object.at("name");
            context.function = function_of_record(context.record);
            context.kind = object.at("kind");
            context.size = object.at("size");
            context.alignment = object.at("alignment");
            context.reported_size = object.at("reported_size");
            context.place = place_of(object);
            for (const nlohmann::json& field : object.at("fields"))
                context.fields.push_back({field.at("name"), field.at("type"), field.at("offset"),
                                          field.at("size"), field.at("alignment"),
                                          place_of(field)});
        }
    } catch (const nlohmann::json::exception&) {
        return fail("slimgrad-clang printed a report that is none");
    }
    std::stable_sort(contexts.begin(), contexts.end(),
                     [](const auto& a, const auto& b) { return a.size > b.size; });
    return contexts;
}

CudaContexts read_cuda_contexts(const std::string& cuda_text) {
    CudaRewriteOptions options;
    options.passes.clear();
    options.defines = read_cuda_text(cuda_text).defines;
    const Result<RewrittenCuda> answer = rewrite_cuda(cuda_text, options);
    if (!answer)
        return {{}, to_string(answer.error())};
    Result<std::vector<CudaContext>> contexts = parse_cuda_contexts(answer->report);
    if (!contexts)
        return {{}, to_string(contexts.error())};
    return {std::move(*contexts), ""};
}

std::string cuda_contexts_text(const CudaContexts& layouts, const SlangNames& names,
                               const TextOptions& options) {
    if (!layouts.problem.empty())
        return fmt::format("  no layouts of contexts: {}\n", printable(layouts.problem));
    std::string text;
    bool differs = false;
    const auto place_text = [&](const Place& place) {
        // Nothing that its reader could open.
        if (place.file == "core" || place.file.ends_with(".meta.slang"))
            return std::string("(Slang's core module)");
        return printable(to_string(display_place(place, options.directory)));
    };
    for (const CudaContext& context : layouts.contexts) {
        // A record of both holds the two others; the builtin functions' are in the JSON output.
        if (context.kind == "both" || context.fields.empty())
            continue;
        fmt::format_to(std::back_inserter(text), "  {} {} of {}{}{}: {} B, aligned to {}",
                       place_text(names.place(context.function).value_or(context.place)),
                       context.kind, options.style.bold(),
                       printable(names.function(context.function)), options.style.reset(),
                       context.size, context.alignment);
        if (context.kind == "stored" && context.reported_size != context.size) {
            differs = true;
            fmt::format_to(std::back_inserter(text), " (reported: {} B)", context.reported_size);
        }
        text += '\n';
        std::size_t type_width = 0;
        for (const CudaContext::Field& field : context.fields)
            type_width = std::max(type_width, names.type(field.type).size());
        for (const CudaContext::Field& field : context.fields)
            fmt::format_to(std::back_inserter(text), "    at {:>6}  {:<{}}  {:>6} B  {}\n",
                           field.offset, printable(names.type(field.type)), type_width, field.size,
                           place_text(field.place));
    }
    if (text.empty())
        return "";
    return "  contexts in CUDA's memory, for each thread" +
           std::string(differs ? "; Slang's report counts a bool as 4 B and aligns a vector as its "
                                 "elements:\n"
                               : ":\n") +
           text;
}

nlohmann::ordered_json cuda_contexts_json(const CudaContexts& layouts) {
    Json contexts = Json::array();
    for (const CudaContext& context : layouts.contexts) {
        Json fields = Json::array();
        for (const CudaContext::Field& field : context.fields)
            fields.push_back({{"name", field.name},
                              {"type", field.type},
                              {"offset", field.offset},
                              {"size", field.size},
                              {"alignment", field.alignment},
                              {"place", place_json(field.place)}});
        contexts.push_back({{"record", context.record},
                            {"function", context.function},
                            {"kind", context.kind},
                            {"size", context.size},
                            {"alignment", context.alignment},
                            {"reported_size", context.reported_size},
                            {"place", place_json(context.place)},
                            {"fields", std::move(fields)}});
    }
    return {{"layouts", std::move(contexts)}, {"no_layouts", layouts.problem}};
}

} // namespace slimgrad
