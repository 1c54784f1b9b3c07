#include "plugin/clang/rewrite.h"

#include "plugin/clang/context_layout.h"
#include "plugin/clang/frame_limit.h"
#include "plugin/clang/generated_code.h"
#include "plugin/clang/heap.h"
#include "plugin/clang/parse_cuda.h"
#include "plugin/clang/repair_extents.h"
#include "plugin/clang/single_copy.h"
#include "plugin/cuda/cuda_text.h"

#include <algorithm>
#include <set>
#include <utility>

namespace slimgrad {
namespace {

std::string_view name_of(RewriteNote::Severity severity) {
    switch (severity) {
    case RewriteNote::Severity::error:
        return "error";
    case RewriteNote::Severity::warning:
        return "warning";
    case RewriteNote::Severity::note:
        return "note";
    }
    return "";
}

} // namespace

std::string_view name_of(Pass pass) {
    switch (pass) {
    case Pass::repair_extents:
        return "repair-extents";
    case Pass::single_copy:
        return "single-copy";
    case Pass::heap:
        return "heap";
    }
    return "";
}

nlohmann::json RewriteResult::report() const {
    nlohmann::json passes = nlohmann::json::array(), all_notes = nlohmann::json::array();
    for (const Pass pass : changed)
        passes.push_back(name_of(pass));
    for (const RewriteNote& note : notes)
        all_notes.push_back({{"severity", name_of(note.severity)},
                             {"pass", note.pass},
                             {"file", note.place.file},
                             {"line", note.place.line},
                             {"column", note.place.column},
                             {"message", note.message},
                             {"repaired", note.repaired}});
    return {{"changed", !changed.empty()},
            {"passes", passes},
            {"contexts", contexts},
            {"kernels", kernels},
            {"notes", all_notes}};
}

namespace {

/// Two arrays of one nest of loops are one finding.
void drop_repeated(std::vector<RewriteNote>& notes) {
    std::set<std::pair<Place, std::string>> seen;
    std::erase_if(notes, [&](const RewriteNote& note) {
        return !seen.emplace(note.place, note.message).second;
    });
}

} // namespace

Result<RewriteResult> rewrite(std::string_view text, const RewriteOptions& options) {
    RewriteResult result;
    result.text = text;
    std::vector<std::string> macros = options.macros;
    for (std::string& define : read_cuda_text(text).defines)
        macros.push_back(std::move(define));
    Result<std::unique_ptr<clang::ASTUnit>> unit = parse_cuda(text, macros);
    if (!unit)
        return tl::unexpected<Error>(unit.error());
    clang::ASTContext& given = (*unit)->getASTContext();
    const GeneratedCode given_code = read_generated_code(given);
    for (const ContextLayout& layout : context_layouts(given, given_code))
        result.contexts.push_back(to_json(layout));
    const std::vector<ContextFrame> given_frames = context_frames(given, given_code);
    if (std::find(options.passes.begin(), options.passes.end(), Pass::repair_extents) ==
        options.passes.end())
        find_transposed_extents(given, result);
    // What the heap takes, single_copy need not.
    for (const Pass pass : {Pass::repair_extents, Pass::heap, Pass::single_copy}) {
        if (std::find(options.passes.begin(), options.passes.end(), pass) == options.passes.end())
            continue;
        bool changed = false;
        switch (pass) {
        case Pass::repair_extents:
            changed = repair_extents((*unit)->getASTContext(), result);
            break;
        case Pass::single_copy:
            changed = single_copy((*unit)->getASTContext(), result);
            break;
        case Pass::heap:
            changed = heap((*unit)->getASTContext(), options, result);
            break;
        }
        if (!changed)
            continue;
        result.changed.push_back(pass);
        unit = parse_cuda(result.text, macros);
        if (!unit)
            return fail("the text does not compile after " + std::string(name_of(pass)) + ": " +
                            unit.error().message,
                        unit.error().place);
    }
    std::vector<ContextFrame> written_frames = given_frames;
    if (!result.changed.empty()) {
        clang::ASTContext& written = (*unit)->getASTContext();
        written_frames = context_frames(written, read_generated_code(written));
    }
    report_frames(given_frames, written_frames, result);
    drop_repeated(result.notes);
    for (nlohmann::json& kernel : result.kernels)
        if (const auto needs = result.heap.find(kernel.at("name").get<std::string>());
            needs != result.heap.end())
            kernel["heap"] = needs->second;
    return result;
}

} // namespace slimgrad
