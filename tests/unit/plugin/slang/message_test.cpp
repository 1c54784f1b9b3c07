#include "plugin/slang/message.h"

#include <doctest/doctest.h>

namespace slimgrad::slang_plugin {

TEST_CASE("requests come back as they were sent") {
    WorkerRequest sent;
    sent.compile.file = "k.slang";
    sent.compile.arguments = {"-D", "A=\xFF"};
    sent.compile.target = SlangTarget::cpp;
    sent.compile.overlay = {{"/a", std::string("\xEF\xBB\xBF\0\r\n", 6)}};
    sent.compile.project_root = "/project";
    sent.compile.reflection = false;
    sent.working_directory = "/folder";
    const Result<WorkerRequest> received = decode_request(encode(sent));
    REQUIRE(received.has_value());
    CHECK(received->compile.file == sent.compile.file);
    CHECK(received->compile.arguments == sent.compile.arguments);
    CHECK(received->compile.target == SlangTarget::cpp);
    CHECK(received->compile.overlay == sent.compile.overlay);
    CHECK(received->compile.project_root == "/project");
    CHECK(received->compile.checkpoint_report);
    CHECK_FALSE(received->compile.reflection);
    CHECK(received->working_directory == "/folder");
}

TEST_CASE("results come back as they were sent") {
    TypeLayout element;
    element.name = "float";
    element.scalar = ScalarType::float32;
    TypeLayout buffer;
    buffer.kind = TypeKind::structured_buffer;
    buffer.element = std::make_shared<const TypeLayout>(element);
    buffer.fields = {{"x", 4, buffer.element}, {"nothing", 0, nullptr}};

    CompileResult sent;
    sent.status = CompileStatus::refused;
    sent.detail = "why";
    sent.code = "code \xFF";
    sent.contexts = {{"f", {"k", 1, 2}, 8, {{{"k", 3, 4}, "float", 8, 2}}, false}};
    sent.diagnostics = {{DiagnosticSeverity::warning, "E1", "text", {"k", 5, 6}}};
    sent.dependencies = {"/k"};
    sent.reflection.globals = {{"b", 16, buffer, "SV_X"}};
    sent.reflection.entry_points = {{"main", "main_0", "compute", {8, 4, 2}, {}, 12}};
    sent.reflection.functions = {
        {"f", {"k", 1, 1}, "void", {{"x", "float", true, true, true}}, {"Cost"}, true, true}};
    sent.duration = std::chrono::milliseconds(42);

    const Result<CompileResult> received = decode_result(encode(sent));
    REQUIRE(received.has_value());
    CHECK(received->status == CompileStatus::refused);
    CHECK(received->code == sent.code);
    REQUIRE(received->contexts.size() == 1);
    CHECK_FALSE(received->contexts[0].outermost);
    CHECK(received->contexts[0].values.at(0).count == 2);
    CHECK(received->contexts[0].values.at(0).place == Place{"k", 3, 4});
    CHECK(received->diagnostics.at(0).severity == DiagnosticSeverity::warning);
    const ParameterLayout& global = received->reflection.globals.at(0);
    CHECK(global.offset == 16);
    REQUIRE(global.type.element);
    CHECK(global.type.element->scalar == ScalarType::float32);
    CHECK(global.type.fields.at(0).type->name == "float");
    CHECK_FALSE(global.type.fields.at(1).type);
    CHECK(received->reflection.entry_points.at(0).thread_group[1] == 4);
    CHECK(received->reflection.functions.at(0).parameters.at(0).no_diff);
    CHECK(received->duration.count() == 42);
}

TEST_CASE("anything else is an error") {
    CHECK_FALSE(decode_result("").has_value());
    CHECK_FALSE(decode_result("\xA0").has_value()); // an object without members
    CHECK_FALSE(decode_request(encode(CompileResult{})).has_value());
}

} // namespace slimgrad::slang_plugin
