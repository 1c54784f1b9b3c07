#include "rewriter/flow_reader.h"
#include "rewriter/macro_text.h"
#include "rewriter/macro_type.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace slimgrad {

namespace {

constexpr int deepest_node = 1500;

const DerivativeAnswer not_used = DerivativeAnswer::does_not("its value is not used");

template <std::size_t Size>
bool in(std::string_view word, const std::array<std::string_view, Size>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// What an operator does with the derivative of its result.
DerivativeAnswer of_operator(std::string_view op) {
    constexpr std::array<std::string_view, 4> arithmetic{"+", "-", "*", "/"};
    constexpr std::array<std::string_view, 8> comparison{
        "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    if (in(op, arithmetic))
        return {};
    if (in(op, comparison) || op == "!")
        return DerivativeAnswer::does_not("comparison");
    if (op == "%")
        return DerivativeAnswer::unknown("the derivative of '%' is not known");
    return DerivativeAnswer::does_not("integer"); // bits and shifts
}

/// Whether a derivative goes through a call: from its value, or to any of its arguments.
DerivativeUse through(const CallDerivative& derivative, const DerivativeAnswer& wanted) {
    DerivativeAnswer answer = either(wanted, derivative.receiver.derivative);
    for (const CallDerivative::Argument& argument : derivative.arguments)
        answer = either(answer, argument.derivative);
    return answer.use;
}

} // namespace

void FlowReader::expression(SyntaxNode node, const DerivativeAnswer& wanted) {
    if (!node)
        return;
    if (depth_ >= deepest_node)
        return set_incomplete("it is nested too deep");
    ++depth_;
    read_expression(node, wanted);
    --depth_;
}

void FlowReader::read_expression(SyntaxNode node, const DerivativeAnswer& wanted) {
    if (node.is("identifier") || node.is("member_expression") || node.is("subscript_expression") ||
        node.is("scope_expression") || node.is("generic_expression"))
        read_path(node, wanted);
    else if (node.is("call_expression"))
        call(node, wanted);
    else if (node.is("binary_expression"))
        binary(node, wanted);
    else if (node.is("unary_expression"))
        unary(node, wanted);
    else if (node.is("update_expression"))
        update(node, wanted);
    else if (node.is("assignment_expression"))
        assignment(node, wanted);
    else if (node.is("conditional_expression"))
        conditional(node, wanted);
    else if (node.is("parenthesized_expression") || node.is("try_expression"))
        read_children(node, wanted);
    else if (node.is("no_diff_expression"))
        no_diff(node.field("value"), wanted);
    else if (node.is("cast_expression"))
        value(node.field("value"),
              type_behind_macros(model_, text(node.field("type"))).value_or(""), wanted);
    else if (node.is("comma_expression")) {
        const auto parts = node.children();
        for (std::size_t i = 0; i < parts.size(); ++i)
            expression(parts[i], i + 1 < parts.size() ? not_used : wanted);
    } else if (node.is("initializer_list"))
        list(node, model_.type_of(site(node)), wanted);
    else if (node.is("lambda_expression"))
        lambda(node);
    else if (node.is("type_test_expression"))
        expression(node.field("value"), DerivativeAnswer::does_not("condition"));
    else if (node.is("type_cast_expression"))
        expression(node.field("value"), DerivativeAnswer::unknown("'as' may make it another type"));
    else if (node.is("spirv_asm_expression"))
        set_incomplete("it holds target code");
    else if (node.is("ERROR"))
        set_incomplete("it has a syntax error");
    else if (!node.is("derivative_expression") && !node.is("primitive_type"))
        read_children(node, DerivativeAnswer::unknown("what is done with it is not known"));
}

/// It silences the compiler: of calls only what has no derivative anyway is cut, tensors' elements
/// and __subscripts among them; elements of arrays and vectors are cut.
void FlowReader::no_diff(SyntaxNode value, const DerivativeAnswer& wanted) {
    SyntaxNode inner = value;
    while (inner.is("parenthesized_expression") && inner.children().size() == 1)
        inner = inner.children()[0];
    if (!inner.is("subscript_expression") || call_of(inner))
        return expression(value, wanted);
    Path path = path_of(inner);
    path.steps.pop_back();
    const std::string type = type_of(path, inner.field("base")).type;
    if (types_.is_gradient_tensor(type))
        return expression(value, wanted);
    expression(value, both(wanted, types_.element(type).empty()
                                       ? DerivativeAnswer::unknown("'no_diff' may cut it")
                                       : DerivativeAnswer::does_not("no_diff")));
}

void FlowReader::read_children(SyntaxNode node, const DerivativeAnswer& wanted) {
    for (SyntaxNode child : node.children())
        expression(child, wanted);
}

void FlowReader::condition(SyntaxNode node) {
    if (!node.is("condition_declaration"))
        return expression(node, DerivativeAnswer::does_not("condition"));
    const SyntaxNode initializer = node.field("value");
    expression(initializer, DerivativeAnswer::unknown("it is bound in a condition"));
    const SyntaxNode name = node.field("name");
    const Index variable = declare_local(name, model_.type_of(site(name)));
    define(variable, DefinitionKind::declaration, site(name), false);
}

void FlowReader::value(SyntaxNode node, std::string_view type, const DerivativeAnswer& wanted) {
    if (node.is("initializer_list"))
        return list(node, type, wanted);
    if (type.empty())
        return expression(node, wanted);
    expression(node, both(types_.of(type), wanted));
}

void FlowReader::list(SyntaxNode node, std::string_view type, const DerivativeAnswer& wanted) {
    const TypeDeclaration* declared = model_.find_type(type);
    const bool is_constructed =
        declared && std::any_of(model_.functions.begin(), model_.functions.end(),
                                [&](const Function& function) {
                                    return function.name == "__init" &&
                                           function.parent_type.starts_with(declared->name);
                                });
    const auto parts = node.children();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        DerivativeAnswer answer;
        std::string part_type;
        if (declared && !is_constructed && i < declared->fields.size())
            part_type = types_.member(type, declared->fields[i].name, answer);
        else if (!declared)
            part_type = types_.element(type);
        if (part_type.empty())
            answer = DerivativeAnswer::unknown("what it initializes is not known");
        value(parts[i], part_type, both(answer, wanted));
    }
}

void FlowReader::unary(SyntaxNode node, const DerivativeAnswer& wanted) {
    const std::string_view op = text(node.field("operator"));
    const SyntaxNode argument = node.field("argument");
    if (op == "*")
        return read_path(node, wanted);
    if (op == "&") {
        // Whoever has the address may write.
        const Path path = path_of(argument);
        expression(argument, DerivativeAnswer::unknown("its address is taken"));
        write_path(path, argument, DefinitionKind::argument, true);
        return;
    }
    if (const Call* operation = call_of(node)) {
        const CallDerivative derivative = derivative_of_call(model_, own_, *operation, wanted);
        expression(argument, derivative.arguments.empty() ? derivative.receiver.derivative
                                                          : derivative.arguments[0].derivative);
        return called(operation, node);
    }
    expression(argument, op == "-" || op == "+" ? wanted : both(wanted, of_operator(op)));
}

void FlowReader::binary(SyntaxNode node, const DerivativeAnswer& wanted) {
    const std::string_view op = text(node.field("operator"));
    const SyntaxNode left = node.field("left"), right = node.field("right");
    const Call* operation = call_of(node);
    DerivativeAnswer of_left = both(wanted, of_operator(op)), of_right = of_left;
    if (operation) {
        const CallDerivative derivative = derivative_of_call(model_, own_, *operation, wanted);
        if (derivative.arguments.size() == 2) {
            of_left = derivative.arguments[0].derivative;
            of_right = derivative.arguments[1].derivative;
        } else {
            of_left = of_right = DerivativeAnswer::unknown("an operator of the module");
        }
    }
    expression(left, of_left);
    if (op == "&&" || op == "||") {
        const BlockId after = new_block();
        graph_.add_edge(block_, after);
        continue_in(new_block());
        expression(right, of_right);
        continue_in(after);
    } else {
        expression(right, of_right);
    }
    if (operation)
        called(operation, node);
}

void FlowReader::conditional(SyntaxNode node, const DerivativeAnswer& wanted) {
    expression(node.field("condition"), DerivativeAnswer::does_not("condition"));
    const BlockId decided = block_, after = new_block();
    for (const char* branch : {"consequence", "alternative"}) {
        block_ = decided;
        continue_in(new_block());
        expression(node.field(branch), wanted);
        continue_in(after);
    }
}

void FlowReader::assignment(SyntaxNode node, const DerivativeAnswer& wanted) {
    const SyntaxNode left = node.field("left"), right = node.field("right");
    std::string_view op = text(node.field("operator"));
    const Path path = path_of(left);
    const PathType target = type_of(path, left);
    read_indices(path);
    const bool plain = op == "=";
    DerivativeAnswer answer = either(target.answer, wanted);
    if (answer.carries())
        answer.reason.clear(); // of what is written, not of what is read
    if (const Call* operation = call_of(node)) {
        answer = DerivativeAnswer::unknown("an operator of the module");
        called(operation, node);
    } else if (!plain) {
        op.remove_suffix(1);
        answer = both(answer, of_operator(op));
    }
    if (plain)
        value(right, right.is("initializer_list") ? target.type : "", answer);
    else
        expression(right, answer);
    if (!plain && path.variable != none)
        use(path.variable, site(left), answer);
    const Index definition =
        write_path(path, left, plain ? DefinitionKind::assignment : DefinitionKind::update, false);
    if (plain && definition != none)
        flow_.definitions[definition].value = site(right);
    if (plain && definition != none && !call_of(node) && !right.is("initializer_list"))
        values_.emplace(definition, site(right));
}

void FlowReader::update(SyntaxNode node, const DerivativeAnswer& wanted) {
    const SyntaxNode argument = node.field("argument");
    const Path path = path_of(argument);
    read_indices(path);
    if (path.variable != none)
        use(path.variable, site(argument), either(type_of(path, argument).answer, wanted));
    write_path(path, argument, DefinitionKind::update, false);
    if (const Call* operation = call_of(node))
        called(operation, node);
}

void FlowReader::lambda(SyntaxNode node) {
    const std::size_t names = names_.size();
    const BlockId end = new_block();
    graph_.add_edge(block_, end);
    continue_in(new_block());
    auto targets = std::exchange(targets_, {});
    const auto outer_end = std::exchange(lambda_end_, end);
    const auto outer_deferred = std::exchange(lambda_deferred_, deferred_.size());
    const DerivativeAnswer outer_body = body_;
    body_ = both(body_, DerivativeAnswer::unknown("in a lambda expression"));
    for (SyntaxNode parameter : node.field("parameters").children()) {
        const Index variable =
            declare_local(parameter.field("name"), text(parameter.field("type")));
        define(variable, DefinitionKind::declaration, site(parameter.field("name")), false);
    }
    const SyntaxNode body = node.field("body");
    if (body.is("block"))
        statement(body);
    else
        expression(body, {});
    continue_in(end);
    body_ = outer_body;
    lambda_deferred_ = outer_deferred;
    lambda_end_ = outer_end;
    targets_ = std::move(targets);
    names_.resize(names);
}

CallDerivative FlowReader::derivative_of(const Call& call, SyntaxNode receiver,
                                         const DerivativeAnswer& wanted) {
    if (receiver && call.kind == CallKind::plain && call.callee_kind == CalleeKind::builtin &&
        types_.is_gradient_tensor(type_of(path_of(receiver), receiver).type))
        return derivative_of_tensor_call(call, text(receiver), wanted);
    return derivative_of_call(model_, own_, call, wanted);
}

/// Whether the name before the `(` is known to be a function's or a type's, and no variable's.
bool FlowReader::names_function(const Call& call) const {
    if (call.target != none)
        return model_.functions[call.target].name == call.callee;
    return call.callee_kind == CalleeKind::builtin || call.callee_kind == CalleeKind::construction;
}

void FlowReader::call(SyntaxNode node, const DerivativeAnswer& wanted) {
    SyntaxNode callee = node.field("function"), receiver;
    if (callee.is("generic_expression") && !call_of(node)) { // `a < b > (c)` of a variable `a`
        const DerivativeAnswer answer = DerivativeAnswer::does_not("comparison");
        expression(callee.field("name"), answer);
        read_children(callee.field("arguments"), answer);
        return read_children(node.field("arguments"), answer);
    }
    for (;;) {
        if (callee.is("generic_expression"))
            callee = callee.field("name");
        else if (callee.is("derivative_expression"))
            callee = callee.field("function");
        else if (callee.is("parenthesized_expression") && callee.children().size() == 1)
            callee = callee.children()[0];
        else
            break;
    }
    if (callee.is("member_expression"))
        receiver = callee.field("object");
    else if (callee.is("call_expression") || callee.is("lambda_expression"))
        expression(callee, DerivativeAnswer::unknown("what is called has no name"));
    const Call* known = call_of(node);
    if (callee.is("identifier") && is_variable(text(callee)) && !(known && names_function(*known)))
        read_path(callee, DerivativeAnswer::unknown("it is called"));

    const auto arguments = node.field("arguments").children();
    CallDerivative derivative;
    if (known)
        derivative = derivative_of(*known, receiver, wanted);
    else
        set_incomplete("it has a call that is not in the model");
    derivative.arguments.resize(
        arguments.size(),
        {DerivativeAnswer::unknown("what is called is not known"), true, true, false});
    const bool computes = known && is_arithmetic_macro(*known);
    for (std::size_t i = 0; computes && i < arguments.size(); ++i)
        derivative.arguments[i] = {wanted};
    const bool writes_nothing = known && (computes || only_computes(*known));
    for (std::size_t i = 0; writes_nothing && !computes && i < arguments.size(); ++i)
        derivative.arguments[i] = {derivative.arguments[i].derivative};
    if (known && known->callee_kind == CalleeKind::macro && !writes_nothing)
        set_incomplete(fmt::format("what the macro {} does is not known", known->callee));

    struct Written {
        Path path;
        SyntaxNode node;
        DefinitionKind kind;
        bool may_stay;
    };
    std::vector<Written> written;
    const auto pass = [&](SyntaxNode argument, const CallDerivative::Argument& how,
                          DefinitionKind kind) {
        const Path path = path_of(argument);
        if (path.variable == none || !(how.may_be_written || how.is_memory))
            return value(argument, "", how.derivative);
        read_indices(path);
        if (how.is_read)
            use(path.variable, site(argument),
                how.is_memory ? how.derivative
                              : both(type_of(path, argument).answer, how.derivative));
        if (how.may_be_written)
            written.push_back({path, argument, kind, !how.is_replaced});
    };
    // The name of a type or a namespace is no receiver.
    const bool of_type = receiver.is("identifier") && !is_variable(text(receiver));
    if (receiver && !of_type)
        pass(receiver, derivative.receiver, DefinitionKind::receiver);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        pass(arguments[i], derivative.arguments[i], DefinitionKind::argument);
    called(known, node, through(derivative, wanted));
    for (const Written& w : written)
        write_path(w.path, w.node, w.kind, w.may_stay);
}

/// `SQ(x)` for `((x) * (x))`, where reading `x` once is as good as twice, and no operator of `x`
/// takes in what stands beside it.
bool FlowReader::is_arithmetic_macro(const Call& call) const {
    return call.callee_kind == CalleeKind::macro && !expanded_ &&
           is_arithmetic(model_, call.callee, call.arguments.size()) && has_plain_arguments(call);
}

/// `saturate(x)` for `clamp(x, 0, 1)`: derivatives are not followed through it, but nothing is
/// written.
bool FlowReader::only_computes(const Call& call) const {
    return call.callee_kind == CalleeKind::macro && !expanded_ &&
           slimgrad::only_computes(model_, call.callee, call.arguments.size()) &&
           has_plain_arguments(call);
}

bool FlowReader::has_plain_arguments(const Call& call) const {
    return std::all_of(call.arguments.begin(), call.arguments.end(), [&](const Site& argument) {
        const std::string_view text = model_.text(argument);
        const bool is_simple = text.find_first_of("=?<>&|^%") == std::string_view::npos &&
                               text.find("++") == std::string_view::npos &&
                               text.find("--") == std::string_view::npos;
        return is_simple && std::none_of(call_at_.begin(), call_at_.end(), [&](const auto& entry) {
                   return argument.range.contains(entry.second->site.range) &&
                          entry.second->callee_kind != CalleeKind::builtin &&
                          entry.second->callee_kind != CalleeKind::construction;
               });
    });
}

/// Notes what the function that runs there may write beside its arguments.
void FlowReader::called(const Call* call, SyntaxNode node, DerivativeUse derivative) {
    if (call && (call->callee_kind == CalleeKind::builtin ||
                 call->callee_kind == CalleeKind::construction || is_arithmetic_macro(*call) ||
                 only_computes(*call)))
        return;
    const ByteRange place = site(node).range;
    const auto [entry, is_new] =
        called_at_.try_emplace({place.begin, place.end}, Index(calls_.size()));
    if (is_new) {
        const bool own = !call || call->receiver.empty() || call->receiver == "this";
        const auto callees = call ? model_.callees(*call) : std::vector<Index>();
        const bool mutating =
            callees.empty() || std::any_of(callees.begin(), callees.end(), [&](Index callee) {
                const Function& function = model_.functions[callee];
                return function.has_attribute("mutating") || function.name == "set";
            });
        flow_.calls.push_back({site(node), both(body_, {derivative, ""}).use});
        calls_.push_back({site(node), loop_, call, true, own && mutating, own && mutating});
    }
    graph_.add_call(block_, entry->second);
}

} // namespace slimgrad
