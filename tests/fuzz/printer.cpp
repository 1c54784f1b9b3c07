#include "tests/fuzz/printer.h"

#include <fmt/format.h>
#include <set>

namespace slimgrad::hunt {
namespace {

using EK = Expression::Kind;
using SK = Statement::Kind;

std::string_view scalar_name(Precision precision) {
    return precision == Precision::single ? "float" : "double";
}

/// Digits that give the same number back, always with a point.
std::string real_text(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return value < 0 ? "(" + text + ")" : text;
}

class FunctionPrinter {
  public:
    FunctionPrinter(const Program& program, std::size_t index, const PrintStyle& style)
        : program_(program), function_(program.functions[index]), index_(index), style_(style) {}

    std::string print() {
        collect_constants();
        head();
        indent_ = 1;
        block(function_.body);
        if (function_.has_result)
            line(fmt::format("return {};", expression(function_.result)));
        text_ += "}\n";
        return std::move(text_);
    }

  private:
    void line(const std::string& text) {
        text_.append(static_cast<std::size_t>(indent_) * 4, ' ');
        text_ += text + '\n';
    }

    std::string constant_name(int counter) const {
        return fmt::format("{}n{}_{}", style_.prefix, index_, counter);
    }

    void collect_constants() {
        each_statement(function_.body, [&](const Statement& statement) {
            if (statement.kind == SK::loop && statement.loop.limit_kind == Loop::Limit::constant)
                line(fmt::format("static const int {} = {};", constant_name(statement.loop.counter),
                                 statement.loop.trips * statement.loop.step));
        });
    }

    void head() {
        if (!style_.primal_only) {
            if (function_.preference == Preference::recompute)
                line("[PreferRecompute(SideEffectBehavior.Allow)]");
            if (function_.preference == Preference::checkpoint)
                line("[PreferCheckpoint]");
            line("[Differentiable]");
        }
        std::string parameters;
        const auto add = [&](const std::string& text) {
            parameters += (parameters.empty() ? "" : ", ") + text;
        };
        for (const Parameter& parameter : function_.parameters) {
            std::string text = declarator(parameter.type, fmt::format("v{}", parameter.symbol));
            if (parameter.in_out)
                text = "inout " + text;
            const bool no_diff = parameter.no_diff || parameter.type == integer_type;
            add(no_diff && !style_.primal_only ? "no_diff " + text : text);
        }
        if (style_.primal_only && index_ + 1 == program_.functions.size())
            for (const Parameter& parameter : function_.parameters)
                add(declarator(parameter.type, fmt::format("b{}", parameter.symbol)));
        line(fmt::format("{} {}f{}({}) {{",
                         function_.has_result ? type_name(function_.result.type, style_) : "void",
                         style_.prefix, index_, parameters));
    }

    std::string declarator(const Type& type, const std::string& name) const {
        if (type.kind == Type::Kind::array)
            return fmt::format("{} {}[{}]", scalar_name(style_.precision), name, type.extent);
        return fmt::format("{} {}", type_name(type, style_), name);
    }

    void block(const std::vector<Statement>& statements) {
        for (const Statement& each : statements)
            statement(each);
    }

    void nested(const std::vector<Statement>& statements) {
        ++indent_;
        block(statements);
        --indent_;
    }

    void statement(const Statement& statement) {
        switch (statement.kind) {
        case SK::declare:
            return line(fmt::format(
                "{} = {};", declarator(statement.value.type, fmt::format("v{}", statement.symbol)),
                initializer(statement.value)));
        case SK::assign:
            return line(
                fmt::format("{} = {};", expression(statement.target), expression(statement.value)));
        case SK::call:
            return line(expression(statement.value) + ";");
        case SK::branch:
            line(fmt::format("if ({}) {{", expression(statement.value)));
            nested(statement.body);
            if (!statement.otherwise.empty()) {
                line("} else {");
                nested(statement.otherwise);
            }
            return line("}");
        case SK::loop:
            return loop(statement.loop, statement.body);
        case SK::leave:
            return line("break;");
        case SK::give:
            return line(fmt::format("return {};", expression(statement.value)));
        }
    }

    void loop(const Loop& loop, const std::vector<Statement>& body) {
        const std::string counter = fmt::format("v{}", loop.counter);
        const std::string limit =
            loop.limit_kind == Loop::Limit::literal    ? std::to_string(loop.trips * loop.step)
            : loop.limit_kind == Loop::Limit::constant ? constant_name(loop.counter)
                                                       : fmt::format("v{}", loop.limit);
        if (loop.is_while)
            line(fmt::format("int {} = 0;", counter));
        if (!style_.primal_only) {
            if (loop.attribute.kind == LoopAttribute::Kind::max_iters)
                line(fmt::format("[MaxIters({})]", loop.attribute.bound));
            if (loop.attribute.kind == LoopAttribute::Kind::force_unroll)
                line("[ForceUnroll]");
        }
        if (loop.is_while) {
            line(fmt::format("while ({} < {}) {{", counter, limit));
            nested(body);
            ++indent_;
            line(fmt::format("{0} = {0} + {1};", counter, loop.step));
            --indent_;
        } else {
            const std::string step =
                loop.step == 1 ? counter + "++" : fmt::format("{} += {}", counter, loop.step);
            line(loop.downwards
                     ? fmt::format("for (int {0} = {1}; {0} > 0; {0}--) {{", counter, limit)
                     : fmt::format("for (int {0} = 0; {0} < {1}; {2}) {{", counter, limit, step));
            nested(body);
        }
        line("}");
    }

    std::string list(const std::vector<Expression>& expressions) const {
        std::string text;
        for (const Expression& each : expressions)
            text += (text.empty() ? "" : ", ") + expression(each);
        return text;
    }

    std::string initializer(const Expression& value) const {
        const bool braces =
            value.kind == EK::construct &&
            (value.type.kind == Type::Kind::array || value.type.kind == Type::Kind::structure);
        return braces ? "{" + list(value.operands) + "}" : expression(value);
    }

    std::string expression(const Expression& e) const {
        const auto operand = [&](std::size_t i) { return expression(e.operands[i]); };
        switch (e.kind) {
        case EK::literal:
            return e.type == integer_type ? std::to_string(static_cast<int>(e.number))
                                          : real_text(e.number);
        case EK::variable:
            return fmt::format("{}{}", frozen_ ? 'b' : 'v', e.symbol);
        case EK::function:
            return fmt::format("{}({})", e.name, list(e.operands));
        case EK::infix:
            return fmt::format("({} {} {})", operand(0), e.name, operand(1));
        case EK::select:
            return fmt::format("({} ? {} : {})", operand(0), operand(1), operand(2));
        case EK::call:
            return fmt::format("{}f{}({})", style_.prefix, e.symbol, list(e.operands));
        case EK::component:
            return fmt::format("{}.{}", operand(0), "xyzw"[e.symbol]);
        case EK::swizzle:
            return fmt::format("{}.{}", operand(0), e.name);
        case EK::member:
            return fmt::format("{}.m{}", operand(0), e.symbol);
        case EK::element:
            return fmt::format("{}[{}]", operand(0), operand(1));
        case EK::construct:
            return fmt::format("{}({})", type_name(e.type, style_), list(e.operands));
        case EK::data:
            return fmt::format("gData[{}]", operand(0));
        case EK::weight:
            return style_.primal_only ? fmt::format("gMoved[{}]", operand(0))
                                      : fmt::format("weight({})", operand(0));
        case EK::custom:
            return fmt::format("{}({})", style_.primal_only ? "bend_primal" : "bend", operand(0));
        case EK::to_real:
            return fmt::format("{}({})", scalar_name(style_.precision), operand(0));
        case EK::detached: {
            if (!style_.primal_only)
                return fmt::format("detach({})", operand(0));
            frozen_ = true;
            std::string text = operand(0);
            frozen_ = false;
            return text;
        }
        }
        return "";
    }

    const Program& program_;
    const Function& function_;
    std::size_t index_;
    const PrintStyle& style_;
    std::string text_;
    int indent_ = 0;
    mutable bool frozen_ = false; ///< within detach, for central differences
};

} // namespace

std::string type_name(const Type& type, const PrintStyle& style) {
    const std::string_view scalar = scalar_name(style.precision);
    switch (type.kind) {
    case Type::Kind::real:
        return std::string(scalar);
    case Type::Kind::vector:
        return fmt::format("{}{}", scalar, type.extent);
    case Type::Kind::matrix:
        return fmt::format("{0}{1}x{1}", scalar, type.extent);
    case Type::Kind::array:
        return fmt::format("{}[{}]", scalar, type.extent);
    case Type::Kind::structure:
        return fmt::format("{}S{}", style.prefix, type.extent);
    case Type::Kind::integer:
        return "int";
    case Type::Kind::boolean:
        return "bool";
    }
    return "";
}

std::string root_name(const Program& program, const PrintStyle& style) {
    return fmt::format("{}f{}", style.prefix, program.functions.size() - 1);
}

std::string print_functions(const Program& program, const PrintStyle& style) {
    std::string text;
    for (std::size_t i = 0; i < program.structures.size(); ++i) {
        text += fmt::format("struct {}S{}{} {{", style.prefix, i,
                            style.primal_only ? "" : " : IDifferentiable");
        const std::vector<Type>& members = program.structures[i].members;
        for (std::size_t k = 0; k < members.size(); ++k)
            text += fmt::format(" {} m{};", type_name(members[k], style), k);
        text += " };\n";
    }
    for (std::size_t i = 0; i < program.functions.size(); ++i)
        text += FunctionPrinter(program, i, style).print();
    return text;
}

std::string print_shared(Precision precision) {
    return fmt::format(R"(StructuredBuffer<{0}> gIn;
StructuredBuffer<int> gCount;
StructuredBuffer<{0}> gData;
StructuredBuffer<{0}> gWeights;
RWStructuredBuffer<{0}> gWeightGradients;
RWStructuredBuffer<{0}> gOut;
[BackwardDerivative(weight_backward)]
{0} weight(int i) {{ return gWeights[i]; }}
void weight_backward(int i, {0} d) {{ gWeightGradients[i] += d; }}
[BackwardDerivative(bend_backward)]
{0} bend({0} x) {{ return x / (1.0 + x * x); }}
void bend_backward(inout DifferentialPair<{0}> x, {0} d) {{
    {0} q = 1.0 + x.p * x.p;
    x = diffPair(x.p, d * (1.0 - x.p * x.p) / (q * q));
}}
)",
                       scalar_name(precision));
}

std::string print_run(const Program& program, const PrintStyle& style) {
    std::string pairs, names, values, gradients;
    int input = 0, output = 1;
    const std::vector<Parameter>& parameters = program.functions.back().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Type& type = parameters[i].type;
        if (type == integer_type) {
            names += "gCount[0], ";
            values += "gCount[0], ";
            continue;
        }
        std::string value;
        const int count = scalar_count(type);
        for (int k = 0; k < count; ++k) {
            value += fmt::format("{}gIn[{}]", k ? ", " : "", input++);
            gradients += fmt::format("    gOut[base + {}] = a{}.d{};\n", output++, i,
                                     type == real_type ? "" : fmt::format(".{}", "xyzw"[k]));
        }
        if (!(type == real_type))
            value = fmt::format("{}({})", type_name(type, style), value);
        pairs += fmt::format("    var a{} = diffPair({});\n", i, value);
        names += fmt::format("a{}, ", i);
        values += value + ", ";
    }
    if (!values.empty())
        values.resize(values.size() - 2);
    const std::string root = root_name(program, style);
    return fmt::format(
        "void {}run(int base) {{\n"
        "    for (int i = 0; i < {}; i++) gWeightGradients[i] = 0.0;\n"
        "{}"
        "    bwd_diff({})({}{}(1.0));\n"
        "    gOut[base] = {}({});\n"
        "{}"
        "    for (int i = 0; i < {}; i++) gOut[base + {} + i] = gWeightGradients[i];\n"
        "}}\n",
        style.prefix, weight_elements, pairs, root, names, scalar_name(style.precision), root,
        values, gradients, weight_elements, output);
}

std::string print_module(const Program& program, Precision precision) {
    const PrintStyle style{"", precision, false};
    return print_shared(precision) + print_functions(program, style) + print_run(program, style) +
           "[shader(\"compute\")] [numthreads(1, 1, 1)]\n"
           "void gradMain(uint3 id : SV_DispatchThreadID) { run(int(id.x)); }\n";
}

} // namespace slimgrad::hunt
