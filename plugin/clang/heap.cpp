#include "plugin/clang/heap.h"

#include "plugin/clang/context_arrays.h"
#include "plugin/clang/embedded_files.h"
#include "plugin/clang/heap_size.h"
#include "plugin/clang/parse_cuda.h"
#include "plugin/clang/text_edits.h"
#include "plugin/clang/zero_fill.h"

#include <algorithm>
#include <clang/AST/Attr.h>
#include <fmt/core.h>
#include <utility>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;

/// By its name, as OptiX itself tells.
bool is_optix_program(llvm::StringRef name) {
    for (const char* prefix :
         {"__raygen__", "__intersection__", "__anyhit__", "__closesthit__", "__miss__",
          "__exception__", "__direct_callable__", "__continuation_callable__"})
        if (name.starts_with(prefix))
            return true;
    return false;
}

class Heap {
  public:
    Heap(clang::ASTContext& context, const RewriteOptions& options, RewriteResult& result)
        : context_(context), options_(options), result_(result),
          code_(read_generated_code(context)),
          edits_(context.getSourceManager(), context.getLangOpts()),
          arrays_(
              context, code_, Pass::heap, true,
              [&](const ContextArrays::Choice& choice) {
                  return choice.looped && choice.bytes >= options.heap_threshold;
              },
              result.notes) {}

    bool run() {
        if (arrays_.empty() || !can_be_given())
            return false;
        for (const auto& [record, parts] : arrays_.parts())
            edit_record(record, parts);
        ZeroFill fills(
            context_, code_, arrays_, edits_,
            [&](const clang::FieldDecl* field, const std::vector<std::string>& indices,
                const std::string& value) {
                std::string text =
                    fmt::format("(&{})->{}.store(", filled_, field->getNameAsString());
                for (const std::string& index : indices)
                    text += index + ", ";
                return text + value + ");";
            },
            [](std::uint64_t declared) {
                return fmt::format("int(slimgrad_checkpoint_slots({}))", declared);
            });
        for (const GeneratedFunction& function : code_.functions)
            edit_function(function, fills);
        insert_runtime();
        return edits_.apply(result_.text);
    }

  private:
    static bool is_kernel(const GeneratedFunction& function) {
        return function.definition->hasAttr<clang::CUDAGlobalAttr>();
    }

    /// Every function that needs a part of the slice has to get it from a kernel.
    bool can_be_given() {
        if (std::none_of(code_.functions.begin(), code_.functions.end(),
                         [&](const GeneratedFunction& function) {
                             return is_kernel(function) && !frame(function).zero();
                         }))
            return false;
        for (const GeneratedFunction& function : code_.functions) {
            if (frame(function).too_deep())
                return refuse(function, "arrays lie within more than four loops");
            const bool needs = arrays_.of(function).produces || !frame(function).zero();
            if (!needs)
                continue;
            if (!is_kernel(function) && function.definition->isExternC())
                return refuse(function, "other code calls a device function that needs it");
            if (is_optix_program(function.definition->getName()))
                return refuse(function, "an OptiX program has no place in a grid");
        }
        return true;
    }
    bool refuse(const GeneratedFunction& function, const char* why) {
        result_.notes.push_back(
            {RewriteNote::Severity::note, "heap",
             place_of(context_.getSourceManager(), function.definition->getLocation()),
             fmt::format("no context is put into the heap: {}", why)});
        return false;
    }

    // --- sizes ----------------------------------------------------------------------------------

    clang::QualType element(const clang::FieldDecl* field, HeapSize::Slots& slots) const {
        clang::QualType type = field->getType();
        for (std::size_t i = 0; i < arrays_.dimensions(field); ++i) {
            const FixedArrayType array = *fixed_array(type);
            slots.push_back(array.extent);
            type = array.element;
        }
        return type;
    }

    /// Elements are whole words. An element that is a moved context is counted as it will be: a
    /// handle of 8 bytes in place of each of its arrays.
    HeapSize size(const clang::FieldDecl* field) const {
        HeapSize::Slots slots;
        const clang::QualType type = element(field, slots);
        return {(bytes(type).first + 3) / 4 * 4, std::move(slots)};
    }
    /// Size and alignment.
    std::pair<std::uint64_t, std::uint64_t> bytes(clang::QualType type) const {
        const auto given = std::pair<std::uint64_t, std::uint64_t>(
            context_.getTypeSizeInChars(type).getQuantity(),
            context_.getTypeAlignInChars(type).getQuantity());
        if (!arrays_.holds(type))
            return given;
        if (const std::optional<FixedArrayType> array = fixed_array(type)) {
            const auto one = bytes(array->element);
            return {one.first * array->extent, one.second};
        }
        std::uint64_t size = 0, alignment = 1;
        for (const clang::FieldDecl* field : record_of(type)->fields()) {
            const auto member = arrays_.moved(field) ? std::pair<std::uint64_t, std::uint64_t>(8, 8)
                                                     : bytes(field->getType());
            size = (size + member.second - 1) / member.second * member.second + member.first;
            alignment = std::max(alignment, member.second);
        }
        return {(size + alignment - 1) / alignment * alignment, alignment};
    }

    /// What a context's arrays need; `until`: those before this member.
    HeapSize size(Record record, const clang::FieldDecl* until = nullptr,
                  bool inner = false) const {
        HeapSize sum;
        const ContextParts& parts = arrays_.parts().at(record);
        for (const clang::FieldDecl* field : parts.arrays) {
            if (field == until && !inner)
                return sum;
            sum += size(field);
        }
        for (const clang::FieldDecl* field : parts.inner) {
            if (field == until)
                return sum;
            const ArrayElements elements = elements_of(field->getType());
            HeapSize all = size(record_of(elements.type));
            for (const std::uint64_t extent : elements.extents)
                all = all.times(extent);
            sum += all;
        }
        return sum;
    }

    /// What a function and the functions it calls keep while it runs, but for its result.
    HeapSize frame(const GeneratedFunction& function) {
        const clang::FunctionDecl* key = function.definition;
        if (const auto known = frames_.find(key); known != frames_.end())
            return known->second;
        frames_[key] = {}; // Slang has no recursion
        HeapSize own, callees;
        for (const Record record : arrays_.of(function).places)
            own += size(record);
        for (const clang::CallExpr* call : function.calls)
            if (const GeneratedFunction* callee = code_.find(call->getDirectCallee()))
                callees = HeapSize::either(callees, frame(*callee));
        own += callees;
        return frames_[key] = own;
    }

    // --- text -----------------------------------------------------------------------------------

    std::string handle(const clang::FieldDecl* field) const {
        HeapSize::Slots slots;
        std::string text = fmt::format(
            "SlimgradCheckpointArray{}<{}", arrays_.zeros_needed(field) ? "OrZeros" : "",
            element(field, slots).getAsString(clang::PrintingPolicy(context_.getLangOpts())));
        for (const std::uint64_t extent : slots)
            text += fmt::format(", {}u", extent);
        return text + ">";
    }
    std::string bound_handle(Record record, const clang::FieldDecl* field) const {
        return fmt::format("{}{{slimgrad_slice + ({})}}", handle(field),
                           size(record, field).expression());
    }

    void edit_record(Record record, const ContextParts& parts) {
        for (const clang::FieldDecl* field : parts.arrays)
            edits_.replace(field->getTypeSourceInfo()->getTypeLoc().getSourceRange(),
                           handle(field));
        if (!first_ || offset(record->getBeginLoc()) < offset(first_->getBeginLoc()))
            first_ = record;
    }

    void edit_function(const GeneratedFunction& function, ZeroFill& fills) {
        const ContextFunction& own = arrays_.of(function);
        const HeapSize needs = frame(function);
        if (!is_kernel(function)) {
            std::string parameters;
            if (own.produces)
                parameters += ", SlimgradCheckpointSlice slimgrad_slice";
            if (!needs.zero())
                parameters += ", SlimgradCheckpointSlice slimgrad_scratch";
            for (const clang::FunctionDecl* declaration : function.definition->redecls())
                if (!parameters.empty())
                    edits_.insert_before(declaration->getFunctionTypeLoc().getRParenLoc(),
                                         parameters.substr(declaration->getNumParams() ? 0 : 2));
        } else if (!needs.zero()) {
            edits_.insert_after(function.definition->getBody()->getBeginLoc(),
                                fmt::format(" const SlimgradCheckpointSlice slimgrad_scratch = "
                                            "slimgrad_checkpoint_slice({});",
                                            needs.expression()));
            describe(function, needs);
        }
        filled_ = own.filled ? own.filled->getNameAsString() : "";
        if (own.filled)
            bind(own);
        for (const clang::CallExpr* call : function.calls)
            edit_call(own, call);
        for (const Use& use : function.uses)
            edit_use(function, use, own, fills);
        edit_lists(function, own, fills);
        fills.shrink(function);
        fills.remove_unused(function);
    }

    void edit_call(const ContextFunction& own, const clang::CallExpr* call) {
        const GeneratedFunction* callee = code_.find(call->getDirectCallee());
        if (!callee)
            return;
        std::string arguments;
        for (const ProducerCall& producer : own.calls)
            if (producer.call == call)
                arguments += ", " + place(own, producer);
        if (!frame(*callee).zero()) {
            HeapSize places;
            for (const Record record : own.places)
                places += size(record);
            arguments += fmt::format(", slimgrad_scratch + ({})", places.expression());
        }
        if (!arguments.empty())
            edits_.insert_before(call->getRParenLoc(),
                                 arguments.substr(call->getNumArgs() ? 0 : 2));
    }

    std::string place(const ContextFunction& own, const ProducerCall& call) const {
        if (!call.target) {
            HeapSize before;
            for (std::size_t i = 0; i < call.place; ++i)
                before += size(own.places[i]);
            return fmt::format("slimgrad_scratch + ({})", before.expression());
        }
        const PathStep& member = call.target->path[0];
        std::string text = fmt::format("slimgrad_slice + ({})",
                                       size(own.produces, member.field, true).expression());
        // As an element's own indices, these may not leave the array.
        const std::vector<std::uint64_t> extents = elements_of(member.field->getType()).extents;
        for (std::size_t i = 0; i + 1 < call.target->path.size(); ++i) {
            HeapSize element = size(call.record);
            for (std::size_t inner = i + 1; inner < extents.size(); ++inner)
                element = element.times(extents[inner]);
            text += fmt::format(" + slimgrad_checkpoint_index({}, {}) * ({})",
                                edits_.source(call.target->path[i + 1].index->getSourceRange()),
                                extents[i], element.expression());
        }
        return text;
    }

    void bind(const ContextFunction& own) {
        const clang::InitListExpr* list = list_of(own.filled);
        if (list && !is_empty(list))
            return; // edit_lists
        std::string text;
        for (const clang::FieldDecl* field : arrays_.parts().at(own.produces).arrays)
            text += fmt::format(" (&{})->{} = {};", filled_, field->getNameAsString(),
                                bound_handle(own.produces, field));
        edits_.insert_after(above(context_, own.filled)->getEndLoc(), text);
    }

    void edit_use(const GeneratedFunction& function, const Use& use, const ContextFunction& own,
                  ZeroFill& fills) {
        for (std::size_t i = 0; i < use.path.size(); ++i) {
            const clang::FieldDecl* field = use.path[i].field;
            if (!arrays_.moved(field))
                continue;
            if (i + 1 == use.path.size()) { // zeros: all else was refused
                if (use.variable == own.filled)
                    continue; // ZeroFill's
                edits_.replace(use.other_side->getSourceRange(), handle(field) + "{}");
                for (const Use& source : function.uses)
                    if (source.assignment == use.assignment && source.kind == Use::Kind::read)
                        fills.forget(source.root);
                continue;
            }
            const bool stored = use.kind == Use::Kind::written;
            const std::size_t dimensions = arrays_.dimensions(field);
            edits_.replace_between(use.path[i].whole->getEndLoc(),
                                   use.path[i + 1].index->getBeginLoc(),
                                   stored ? ".store(" : ".load(");
            for (std::size_t k = 1; k < dimensions; ++k)
                edits_.replace_between(use.path[i + k].index->getEndLoc(),
                                       use.path[i + k + 1].index->getBeginLoc(), ", ");
            const clang::Expr* last = use.path[i + dimensions].index;
            if (stored) {
                edits_.replace_between(last->getEndLoc(), use.other_side->getBeginLoc(), ", ");
                edits_.insert_after(use.other_side->getEndLoc(), ")");
            } else {
                const clang::Expr* element = use.path[i + dimensions].whole;
                const auto* address = address_of(element);
                edits_.replace({element->getEndLoc(), element->getEndLoc()}, address ? ")}" : ")");
                if (address) // `(&array[i])->member`: what is loaded has no address of its own
                    edits_.replace({address->getOperatorLoc(), address->getOperatorLoc()},
                                   loaded(field) + "{");
            }
        }
    }

    /// The `&` around an element; or null.
    const clang::UnaryOperator* address_of(const clang::Expr* element) const {
        const clang::Stmt* outer = above(context_, element);
        while (outer && isa<clang::ParenExpr, clang::ImplicitCastExpr>(outer))
            outer = above(context_, outer);
        const auto* unary = llvm::dyn_cast_or_null<clang::UnaryOperator>(outer);
        return unary && unary->getOpcode() == clang::UO_AddrOf ? unary : nullptr;
    }
    std::string loaded(const clang::FieldDecl* field) const {
        HeapSize::Slots slots;
        return fmt::format(
            "SlimgradCheckpointLoaded<{}>",
            element(field, slots).getAsString(clang::PrintingPolicy(context_.getLangOpts())));
    }

    void edit_lists(const GeneratedFunction& function, const ContextFunction& own,
                    ZeroFill& fills) {
        for (const Variable variable : function.locals) {
            const auto parts = arrays_.parts().find(record_of(variable->getType()));
            if (parts == arrays_.parts().end() || !variable->hasInit())
                continue;
            const clang::InitListExpr* list = list_of(variable);
            if (!list || is_empty(list)) // an empty handle stands for zeros
                continue;
            for (const clang::FieldDecl* field : parts->second.arrays) {
                const clang::Expr* zeros = list->getInit(field->getFieldIndex());
                edits_.replace(zeros->getSourceRange(), variable == own.filled
                                                            ? bound_handle(own.produces, field)
                                                            : handle(field) + "{}");
                for (const Use& use : function.uses)
                    if (use.in_list && inside(context_, use.root, zeros))
                        fills.forget(use.root);
            }
        }
    }

    /// The constant that tells the host what a kernel needs.
    void describe(const GeneratedFunction& kernel, const HeapSize& needs) {
        const std::string name = kernel.definition->getNameAsString();
        std::string terms;
        nlohmann::json listed = nlohmann::json::array();
        for (const auto& [slots, bytes] : needs.terms()) {
            std::string numbers;
            for (std::size_t i = 0; i < 4; ++i)
                numbers += fmt::format(", {}u", i < slots.size() ? slots[i] : 0);
            terms += fmt::format("{}SLIMGRAD_CHECKPOINT_TERM({}ull{})", terms.empty() ? "" : ", ",
                                 bytes, numbers);
            listed.push_back({{"bytes", bytes}, {"slots", slots}});
        }
        tables_ += fmt::format("extern \"C\" {{ __constant__ SlimgradCheckpointKernel<{0}> "
                               "slimgrad_checkpoint_of_{1} = {{ "
                               "slimgrad_checkpoint_version, SLIMGRAD_CHECKPOINT_LAYOUT, {0}u, "
                               "{2}u, {{ {3} }} }}; }}\n",
                               needs.terms().size(), name, kernels_++, terms);
        result_.heap[name] = {{"stride", (needs.most() + 7) / 8 * 8}, {"terms", listed}};
    }

    void insert_runtime() {
        std::string text = fmt::format("\n#define SLIMGRAD_CHECKPOINT_LAYOUT {}\n",
                                       static_cast<int>(options_.heap_layout));
        for (const EmbeddedFile& file : embedded_files)
            if (file.name == "checkpoint_heap.cuh")
                text += file.text;
        edits_.insert_in_front(end_of_prelude(), text);
        edits_.append(fmt::format(
            "\n{}extern \"C\" {{ __constant__ unsigned int slimgrad_checkpoint_kernels = {}u; }}\n",
            tables_, kernels_));
    }

    /// Where the shader's own code begins, so that none of its lines moves.
    clang::SourceLocation end_of_prelude() const {
        const clang::SourceManager& sources = context_.getSourceManager();
        const std::size_t line = sources.getBufferData(sources.getMainFileID()).find("\n#line ");
        return line == llvm::StringRef::npos ? first_->getBeginLoc()
                                             : sources.getLocForStartOfFile(sources.getMainFileID())
                                                   .getLocWithOffset(static_cast<int>(line) + 1);
    }

    unsigned offset(clang::SourceLocation place) const {
        const clang::SourceManager& sources = context_.getSourceManager();
        return sources.getFileOffset(sources.getExpansionLoc(place));
    }

    clang::ASTContext& context_;
    const RewriteOptions& options_;
    RewriteResult& result_;
    const GeneratedCode code_;
    TextEdits edits_;
    const ContextArrays arrays_;
    std::map<const clang::FunctionDecl*, HeapSize> frames_;
    Record first_ = nullptr; ///< of the records that change, in the text's order
    std::string filled_;     ///< the variable of the function that is edited
    std::string tables_;
    unsigned kernels_ = 0;
};

} // namespace

bool heap(clang::ASTContext& context, const RewriteOptions& options, RewriteResult& result) {
    return Heap(context, options, result).run();
}

} // namespace slimgrad
