#include "plugin/clang/frame_limit.h"

#include "plugin/clang/parse_cuda.h"
#include "plugin/cuda/frame_size.h"

#include <algorithm>
#include <clang/AST/Attr.h>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>

namespace slimgrad {
namespace {

/// A variable whose bytes count: it holds a context, or the arrays that the pass single-copy has
/// taken out of one and its owner keeps (context_arrays.h).
bool counts(clang::QualType type) {
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return holds_stored_context(type) ||
           (record && record->getName().starts_with("slimgrad_arrays_of_"));
}

class FrameAdder {
  public:
    FrameAdder(clang::ASTContext& context, const GeneratedCode& code)
        : context_(context), code_(code) {}

    std::uint64_t deepest(const GeneratedFunction& function) {
        const clang::FunctionDecl* key = function.definition->getCanonicalDecl();
        if (const auto known = known_.find(key); known != known_.end())
            return known->second;
        if (!chain_.insert(key).second)
            return 0;
        std::uint64_t callee_bytes = 0;
        for (const clang::CallExpr* call : function.calls)
            if (const GeneratedFunction* callee = code_.find(call->getDirectCallee()))
                callee_bytes = std::max(callee_bytes, deepest(*callee));
        chain_.erase(key);
        return known_[key] = own_bytes(function) + callee_bytes;
    }

  private:
    std::uint64_t own_bytes(const GeneratedFunction& function) const {
        std::uint64_t bytes = 0;
        const auto add = [&](const clang::VarDecl* variable) {
            if (counts(variable->getType()))
                bytes += static_cast<std::uint64_t>(
                    context_.getTypeSizeInChars(variable->getType()).getQuantity());
        };
        for (const clang::VarDecl* variable : function.locals)
            add(variable);
        for (const clang::ParmVarDecl* parameter : function.definition->parameters())
            add(parameter);
        return bytes;
    }

    clang::ASTContext& context_;
    const GeneratedCode& code_;
    std::map<const clang::FunctionDecl*, std::uint64_t> known_;
    std::set<const clang::FunctionDecl*> chain_;
};

std::uint64_t bytes_of(const std::vector<ContextFrame>& frames, const std::string& kernel) {
    const auto found = std::find_if(frames.begin(), frames.end(), [&](const ContextFrame& frame) {
        return frame.kernel == kernel;
    });
    return found == frames.end() ? 0 : found->bytes;
}

/// The passes that make a frame smaller and have not changed this text.
std::string_view help(const std::vector<Pass>& changed) {
    const auto ran = [&](Pass pass) {
        return std::find(changed.begin(), changed.end(), pass) != changed.end();
    };
    return ran(Pass::heap) ? ""
           : ran(Pass::single_copy)
               ? "; the pass heap moves them to global memory"
               : "; the pass single-copy keeps one copy of them, heap moves them to global memory";
}

} // namespace

std::vector<ContextFrame> context_frames(clang::ASTContext& context, const GeneratedCode& code) {
    FrameAdder adder(context, code);
    std::vector<ContextFrame> frames;
    for (const GeneratedFunction& function : code.functions) {
        if (!function.definition->hasAttr<clang::CUDAGlobalAttr>())
            continue;
        Place place = place_of(context.getSourceManager(), function.definition->getLocation());
        place.column = 0; // of the generated text
        frames.push_back(
            {function.definition->getNameAsString(), std::move(place), adder.deepest(function)});
    }
    return frames;
}

void report_frames(const std::vector<ContextFrame>& given, const std::vector<ContextFrame>& written,
                   RewriteResult& result) {
    for (const ContextFrame& frame : given) {
        result.kernels.push_back(
            {{"name", frame.kernel}, {"stack_bytes_of_contexts", frame.bytes}});
        const std::uint64_t left = bytes_of(written, frame.kernel);
        if (fit_of_frame(frame.bytes) < FrameFit::costly)
            continue;
        RewriteNote note;
        note.pass = "frame-limit";
        note.place = frame.place;
        if (fit_of_frame(left) < FrameFit::costly) {
            note.message = fmt::format("'{}' had {} bytes of checkpoint contexts in the frames of "
                                       "each thread, {} are left",
                                       frame.kernel, frame.bytes, left);
        } else {
            note.severity = RewriteNote::Severity::warning;
            note.message = fmt::format(
                "'{}' has up to {} bytes of checkpoint contexts in the frames of each thread{}, "
                "fewer "
                "where ptxas merges copies{}{}",
                frame.kernel, left,
                left < frame.bytes ? fmt::format(" ({} as generated)", frame.bytes) : "",
                frame_consequence(left), help(result.changed));
        }
        result.notes.push_back(std::move(note));
    }
}

} // namespace slimgrad
