#include "plugin/slang/message.h"

#include "plugin/cache/json_fields.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace nlohmann {

template <> struct adl_serializer<std::shared_ptr<const slimgrad::TypeLayout>> {
    static void to_json(json& j, const std::shared_ptr<const slimgrad::TypeLayout>& layout);
    static void from_json(const json& j, std::shared_ptr<const slimgrad::TypeLayout>& layout);
};

template <> struct adl_serializer<std::optional<slimgrad::TypeLayout>> {
    static void to_json(json& j, const std::optional<slimgrad::TypeLayout>& layout);
    static void from_json(const json& j, std::optional<slimgrad::TypeLayout>& layout);
};

} // namespace nlohmann

namespace slimgrad {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldLayout, name, offset, type)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TypeLayout, kind, name, scalar, rows, columns, element_count,
                                   stride, size, alignment, writable, element, fields)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterLayout, name, offset, type, semantic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EntryPoint, name, code_name, stage, thread_group, uniforms,
                                   uniform_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionSignature::Parameter, name, type, is_in, is_out, no_diff)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionSignature, name, place, result_type, parameters,
                                   attributes, differentiable, generic)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionShape::Value, name, type, is_in, is_out, no_diff)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FunctionShape, name, known, problem, has_this, parameters,
                                   result, result_no_diff, differentials)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reflection, globals, global_bytes, entry_points, functions,
                                   shapes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Diagnostic, severity, code, message, place)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointValue, place, type, bytes, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CheckpointContext, function, place, bytes, values, outermost)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileRequest, file, arguments, target, overlay, project_root,
                                   checkpoint_report, reflection, shapes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileResult, status, detail, code, syntax_tree, contexts,
                                   diagnostics, dependencies, reflection, duration)

namespace slang_plugin {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerRequest, compile, working_directory)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileLookup, question, path, answer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WorkerReply, result, lookups)

} // namespace slang_plugin
} // namespace slimgrad

namespace nlohmann {

using LayoutSerializer = adl_serializer<std::shared_ptr<const slimgrad::TypeLayout>>;

void LayoutSerializer::to_json(json& j, const std::shared_ptr<const slimgrad::TypeLayout>& layout) {
    if (layout)
        j = *layout;
    else
        j = nullptr;
}

void LayoutSerializer::from_json(const json& j,
                                 std::shared_ptr<const slimgrad::TypeLayout>& layout) {
    if (j.is_null())
        layout = nullptr;
    else
        layout = std::make_shared<const slimgrad::TypeLayout>(j.get<slimgrad::TypeLayout>());
}

using OptionalLayoutSerializer = adl_serializer<std::optional<slimgrad::TypeLayout>>;

void OptionalLayoutSerializer::to_json(json& j, const std::optional<slimgrad::TypeLayout>& layout) {
    if (layout)
        j = *layout;
    else
        j = nullptr;
}

void OptionalLayoutSerializer::from_json(const json& j,
                                         std::optional<slimgrad::TypeLayout>& layout) {
    if (j.is_null())
        layout.reset();
    else
        layout = j.get<slimgrad::TypeLayout>();
}

} // namespace nlohmann

namespace slimgrad::slang_plugin {
namespace {

template <class T> std::string encode_value(const T& value) {
    std::string bytes;
    nlohmann::json::to_cbor(nlohmann::json(value), bytes);
    return bytes;
}

template <class T> Result<T> decode_value(std::string_view bytes) {
    try {
        return nlohmann::json::from_cbor(bytes).get<T>();
    } catch (const nlohmann::json::exception& exception) {
        return fail(std::string("not a message of the Slang worker: ") + exception.what());
    }
}

} // namespace

std::string encode(const WorkerRequest& request) {
    return encode_value(request);
}
std::string encode(const WorkerReply& reply) {
    return encode_value(reply);
}
std::string encode(const CompileResult& result) {
    return encode_value(result);
}
std::string encode(const std::vector<FileLookups>& lookups) {
    return encode_value(lookups);
}

Result<WorkerRequest> decode_request(std::string_view message) {
    return decode_value<WorkerRequest>(message);
}

Result<WorkerReply> decode_reply(std::string_view message) {
    return decode_value<WorkerReply>(message);
}

Result<CompileResult> decode_result(std::string_view message) {
    return decode_value<CompileResult>(message);
}

Result<std::vector<FileLookups>> decode_lookups(std::string_view message) {
    return decode_value<std::vector<FileLookups>>(message);
}

} // namespace slimgrad::slang_plugin
