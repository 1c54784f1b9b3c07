#include "rewriter/file_reader.h"
#include "rewriter/prefix.h"
#include "rewriter/scoped_names.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace slimgrad {

namespace {

/// One scalar of a floating-point type.
bool is_float(std::string_view type) {
    return type == "float" || type == "double" || type == "half" || type == "float16_t" ||
           type == "float32_t" || type == "float64_t";
}

// Statements and expressions nested deeper are not read but count as broken: the walk is recursive.
constexpr int deepest_node = 1500;

/// A statement that `break` can leave. What a macro opens is not known; it takes a `break` for
/// itself.
struct Breakable {
    Index loop = none; ///< none for a switch or a macro
    std::string label;
};

class BodyReader {
  public:
    BodyReader(FileReader& reader, Index function)
        : reader_(reader), model_(reader.model), function_(function) {
        for (const Parameter& parameter : model_.functions[function].parameters)
            names_.add(parameter.name, none);
    }

    void visit(SyntaxNode node) {
        if (!node)
            return;
        if (depth_ >= deepest_node) {
            model_.unread.push_back(reader_.site(node));
            return;
        }
        ++depth_;
        visit_node(node);
        --depth_;
    }

  private:
    using Handler = void (BodyReader::*)(SyntaxNode);

    void visit_node(SyntaxNode node) {
        static const std::map<std::string_view, Handler> handlers{
            {"block", &BodyReader::scope},
            {"case_clause", &BodyReader::case_clause},
            {"switch_statement", &BodyReader::switch_statement},
            {"target_switch_statement", &BodyReader::switch_statement},
            {"variable_declaration", &BodyReader::variables},
            {"condition_declaration", &BodyReader::condition_declaration},
            {"if_statement", &BodyReader::scope},
            {"for_statement", &BodyReader::for_statement},
            {"compile_time_for_statement", &BodyReader::for_statement},
            {"while_statement", &BodyReader::while_statement},
            {"do_statement", &BodyReader::while_statement},
            {"labeled_statement", &BodyReader::labeled_statement},
            {"break_statement", &BodyReader::break_statement},
            {"return_statement", &BodyReader::leaving_statement},
            {"throw_statement", &BodyReader::leaving_statement},
            {"discard_statement", &BodyReader::leaving_statement},
            {"macro_statement", &BodyReader::macro_statement},
            {"catch_clause", &BodyReader::catch_clause},
            {"lambda_expression", &BodyReader::lambda},
            {"assignment_expression", &BodyReader::assignment},
            {"update_expression", &BodyReader::update},
            {"unary_expression", &BodyReader::unary},
            {"no_diff_expression", &BodyReader::no_diff},
            {"call_expression", &BodyReader::call},
            {"derivative_expression", &BodyReader::derivative},
            {"cast_expression", &BodyReader::value_only},
            {"type_cast_expression", &BodyReader::value_only},
            {"type_test_expression", &BodyReader::value_only},
            {"identifier", &BodyReader::read},
            {"scope_expression", &BodyReader::read},
            {"generic_expression", &BodyReader::read},
            {"member_expression", &BodyReader::read},
            {"subscript_expression", &BodyReader::read},
            // What no value is read from.
            {"attribute_list", nullptr},
            {"modifier", nullptr},
            {"primitive_type", nullptr},
            {"struct_declaration", nullptr},
            {"enum_declaration", nullptr},
            {"type_alias_declaration", nullptr},
            {"using_declaration", nullptr},
            {"continue_statement", nullptr},
        };
        const auto found = handlers.find(node.kind());
        if (found == handlers.end())
            visit_all(node);
        else if (found->second)
            (this->*found->second)(node);
    }

    void visit_all(SyntaxNode node) {
        for (SyntaxNode child : node.children())
            visit(child);
    }

    // ---- Statements

    /// Names declared inside end with the node.
    void scope(SyntaxNode node) {
        const std::size_t outer_names = names_.mark();
        visit_all(node);
        names_.leave(outer_names);
    }

    void switch_statement(SyntaxNode node) {
        visit(node.field("condition"));
        breakables_.push_back({none, std::exchange(label_, {})});
        const bool outer = std::exchange(in_target_switch_, node.is("target_switch_statement"));
        scope(node.field("body"));
        in_target_switch_ = outer;
        breakables_.pop_back();
    }

    void case_clause(SyntaxNode node) {
        // `case cuda:` of a target switch names a target, not a value.
        const SyntaxNode value = node.field("value");
        const bool target = std::exchange(in_target_switch_, false);
        for (SyntaxNode child : node.children()) {
            if (!target || child.range() != value.range())
                visit(child);
        }
        in_target_switch_ = target;
    }

    void labeled_statement(SyntaxNode node) {
        label_ = reader_.source(node.field("label"));
        visit(node.field("body"));
        label_.clear();
    }

    void for_statement(SyntaxNode node) {
        const std::size_t outer_names = names_.mark();
        // Once, before the first trip.
        visit(node.field("initializer"));
        visit(node.field("range"));
        if (node.is("compile_time_for_statement"))
            add_local(node.field("name"), "let", {}, true);
        const Index loop = open_loop(node);
        visit(node.field("condition"));
        visit(node.field("body"));
        visit(node.field("update"));
        close_loop(loop);
        names_.leave(outer_names);
    }

    void while_statement(SyntaxNode node) {
        const Index loop = open_loop(node);
        visit(node.field("condition"));
        visit(node.field("body"));
        close_loop(loop);
    }

    Index open_loop(SyntaxNode node) {
        Loop loop;
        const bool is_do = node.is("do_statement"), is_while = node.is("while_statement");
        const bool compile_time = node.is("compile_time_for_statement");
        loop.kind = is_do          ? LoopKind::do_while_loop
                    : is_while     ? LoopKind::while_loop
                    : compile_time ? LoopKind::compile_time_for
                                   : LoopKind::for_loop;
        const SyntaxNode keyword = node.token(is_do          ? "do"
                                              : is_while     ? "while"
                                              : compile_time ? "$for"
                                                             : "for");
        loop.keyword = keyword.range().begin;
        loop.site = reader_.site({loop.keyword, node.range().end});
        loop.with_attributes = node.range();
        loop.body = node.field("body").range();
        loop.attributes = read_prefix(reader_, node).attributes;
        loop.function = function_;
        loop.parent = loop_;
        read_counted_loop(reader_, node, loop);
        if (!loop.counter.empty()) {
            loop.counter_local = find_local(loop.counter);
            loop.counter_is_float = is_float(type_of_counter(loop));
        }
        const Index index = Index(model_.loops.size());
        model_.loops.push_back(std::move(loop));
        loop_ = index;
        breakables_.push_back({index, std::exchange(label_, {})});
        return index;
    }

    /// "" where it is neither a local variable nor a parameter.
    std::string type_of_counter(const Loop& loop) const {
        if (loop.counter_local != none)
            return model_.locals[loop.counter_local].type;
        if (function_ == none)
            return "";
        for (const Parameter& parameter : model_.functions[function_].parameters) {
            if (parameter.name == loop.counter)
                return parameter.type;
        }
        return "";
    }

    void close_loop(Index loop) {
        breakables_.pop_back();
        loop_ = model_.loops[loop].parent;
    }

    void break_statement(SyntaxNode node) {
        const std::string label = reader_.source(node.field("label"));
        for (std::size_t i = breakables_.size(); i-- > 0;) {
            // Every loop on the way to a labelled statement is left.
            if (breakables_[i].loop != none)
                model_.loops[breakables_[i].loop].has_break = true;
            if (label.empty() || breakables_[i].label == label)
                break;
        }
    }

    void leaving_statement(SyntaxNode node) {
        visit_all(node);
        for (const Breakable& breakable : breakables_) {
            if (breakable.loop != none)
                model_.loops[breakable.loop].has_break = true;
        }
    }

    void macro_statement(SyntaxNode node) {
        visit(node.field("macro"));
        breakables_.push_back({});
        visit(node.field("body"));
        breakables_.pop_back();
    }

    void variables(SyntaxNode node) {
        const Prefix prefix = read_prefix(reader_, node);
        const bool is_let = bool(node.token("let"));
        const bool is_const =
            is_let ||
            std::any_of(prefix.modifiers.begin(), prefix.modifiers.end(),
                        [](const auto& word) { return word == "const" || word == "constexpr"; });
        for (SyntaxNode declarator : node.fields("declarator")) {
            for (SyntaxNode child : declarator.children()) {
                if (child.is("array_suffix"))
                    visit(child.field("size"));
            }
            const SyntaxNode value = declarator.field("value");
            visit(value); // before the name is known: `float x = x;` reads the outer one
            const SyntaxNode type =
                node.field("type") ? node.field("type") : declarator.field("type");
            const std::string text = type     ? declared_type(reader_, type, declarator)
                                     : is_let ? "let"
                                              : "var";
            add_local(declarator.field("name"), text, value, is_const);
            model_.locals.back().is_static =
                std::find(prefix.modifiers.begin(), prefix.modifiers.end(), "static") !=
                prefix.modifiers.end();
        }
    }

    void condition_declaration(SyntaxNode node) {
        visit(node.field("value"));
        const bool is_let = bool(node.token("let"));
        add_local(node.field("name"), is_let ? "let" : "var", node.field("value"), is_let);
    }

    void add_local(SyntaxNode name, const std::string& type, SyntaxNode value, bool is_const) {
        LocalVariable local;
        local.name = reader_.source(name);
        local.type = type;
        if (value)
            local.initializer = reader_.site(value);
        local.site = reader_.site(name);
        local.function = function_;
        local.loop = loop_;
        local.is_const = is_const;
        names_.add(local.name, Index(model_.locals.size()));
        model_.locals.push_back(std::move(local));
    }

    /// The local variable that a name means here; none for parameters, globals and members.
    Index find_local(const std::string& name) const { return names_.find(name); }

    void catch_clause(SyntaxNode node) {
        const std::size_t outer_names = names_.mark();
        add_parameters(node.field("parameters"));
        visit(node.field("body"));
        names_.leave(outer_names);
    }

    void add_parameters(SyntaxNode list) {
        for (SyntaxNode parameter : list.children())
            names_.add(reader_.source(parameter.field("name")), none);
    }

    // ---- Expressions

    void lambda(SyntaxNode node) {
        const std::size_t outer_names = names_.mark();
        add_parameters(node.field("parameters"));
        // A return or break in it leaves the lambda alone.
        std::vector<Breakable> outer = std::exchange(breakables_, {});
        visit(node.field("body"));
        breakables_ = std::move(outer);
        names_.leave(outer_names);
    }

    void assignment(SyntaxNode node) {
        const bool plain = reader_.source(node.field("operator")) == "=";
        access(node.field("left"), plain ? AccessKind::write : AccessKind::read_write);
        visit(node.field("right"));
    }

    void update(SyntaxNode node) { access(node.field("argument"), AccessKind::read_write); }

    void unary(SyntaxNode node) {
        const std::string op = reader_.source(node.field("operator"));
        if (op == "*")
            access(node, AccessKind::read);
        else if (op == "&") // whoever has the address may write
            access(node.field("argument"), AccessKind::read_write);
        else
            visit(node.field("argument"));
    }

    void read(SyntaxNode node) { access(node, AccessKind::read); }

    void value_only(SyntaxNode node) { visit(node.field("value")); }

    void no_diff(SyntaxNode node) {
        // `no_diff f(x)`, `no_diff(f(x))`, `no_diff f(x).y`
        SyntaxNode value = node.field("value");
        for (;;) {
            if (value.is("parenthesized_expression") && value.children().size() == 1)
                value = value.children()[0];
            else if (value.is("member_expression"))
                value = value.field("object");
            else if (value.is("subscript_expression"))
                value = value.field("base");
            else
                break;
        }
        if (value.is("call_expression"))
            no_diff_call_ = value.range();
        visit(node.field("value"));
    }

    /// The derivative as a value: no call, its function no access.
    void derivative(SyntaxNode) {}

    /// What is called, taken apart: `x.m<T>`, `A::f`, `bwd_diff(f)`, `float3`.
    void callee(SyntaxNode node, Call& call, SyntaxNode& receiver) {
        if (node.is("derivative_expression")) {
            if (call.kind == CallKind::plain) {
                const bool forward =
                    reader_.source(node.field("operator")).find("fwd") != std::string::npos;
                call.kind = forward ? CallKind::forward_derivative : CallKind::backward_derivative;
            }
            callee(node.field("function"), call, receiver);
        } else if (node.is("parenthesized_expression") && node.children().size() == 1) {
            callee(node.children()[0], call, receiver);
        } else if (node.is("generic_expression")) {
            for (SyntaxNode argument : node.field("arguments").children())
                call.generic_arguments.push_back(reader_.source(argument));
            callee(node.field("name"), call, receiver);
        } else if (node.is("member_expression")) {
            receiver = node.field("object");
            call.receiver = reader_.source(receiver);
            call.callee = reader_.source(node.field("member"));
        } else if (node.is("scope_expression")) {
            call.receiver = reader_.source(node.field("scope"));
            call.callee = reader_.source(node.field("member"));
        } else if (node.is("call_expression") || node.is("lambda_expression")) {
            receiver = node; // `f(x)(y)`: the callee has no name
        } else {
            call.callee = reader_.source(node);
        }
    }

    void call(SyntaxNode node) {
        Call call;
        SyntaxNode receiver;
        callee(node.field("function"), call, receiver);
        const SyntaxNode list = node.field("arguments");
        const auto arguments = list.children();
        for (SyntaxNode argument : arguments)
            call.arguments.push_back(reader_.site(argument));
        call.site = reader_.site(node);
        call.open_parenthesis = list.range().begin;
        call.function = function_;
        call.loop = loop_;
        call.no_diff = no_diff_call_ == node.range();
        const Index index = Index(model_.calls.size());
        model_.calls.push_back(std::move(call));

        if (is_place(receiver))
            receiver_of_ = index;
        visit(receiver);
        for (std::uint32_t i = 0; i < arguments.size(); ++i) {
            if (is_place(arguments[i]))
                argument_of_ = {index, i};
            visit(arguments[i]);
        }
    }

    /// Whether the expression is one variable with members and subscripts, which a callee can
    /// write.
    bool is_place(SyntaxNode node) const {
        for (;;) {
            if (node.is("parenthesized_expression") && node.children().size() == 1)
                node = node.children()[0];
            else if (node.is("member_expression"))
                node = node.field("object");
            else if (node.is("subscript_expression"))
                node = node.field("base");
            else if (node.is("unary_expression") && reader_.source(node.field("operator")) == "*")
                node = node.field("argument");
            else
                return node.is("identifier") || node.is("scope_expression");
        }
    }

    /// An occurrence of a variable with all that is applied to it.
    void access(SyntaxNode node, AccessKind kind) {
        Access access;
        access.kind = kind;
        access.site = reader_.site(node);
        access.function = function_;
        access.loop = loop_;
        // They speak of this node alone, not of what is inside its brackets.
        std::tie(access.argument_of, access.argument_index) =
            std::exchange(argument_of_, {none, 0});
        access.receiver_of = std::exchange(receiver_of_, none);
        access.as_argument = access.argument_of != none;
        // A macro may do anything with its argument.
        if (access.as_argument &&
            model_.is_function_like_macro(model_.calls[access.argument_of].callee))
            access.kind = AccessKind::read_write;

        std::vector<SyntaxNode> indices; // like the members, the last one first
        SyntaxNode base = node;
        for (;;) {
            if (base.is("member_expression")) {
                access.members.push_back(reader_.source(base.field("member")));
                base = base.field("object");
            } else if (base.is("subscript_expression")) {
                const auto index = base.fields("index");
                if (!access.subscript) {
                    access.subscript =
                        reader_.site({base.token("[").range().begin, base.range().end});
                    if (!index.empty())
                        access.subscript_index =
                            reader_.site({index.front().range().begin, index.back().range().end});
                }
                indices.insert(indices.end(), index.rbegin(), index.rend());
                base = base.field("base");
            } else if (base.is("parenthesized_expression") && base.children().size() == 1) {
                base = base.children()[0];
            } else if (base.is("unary_expression") &&
                       reader_.source(base.field("operator")) == "*") {
                base = base.field("argument");
            } else {
                break;
            }
        }
        std::reverse(access.members.begin(), access.members.end());
        std::reverse(indices.begin(), indices.end());
        if (base.is("generic_expression"))
            base = base.field("name");
        if (base.is("scope_expression"))
            base = base.field("member");
        if (base.is("identifier")) {
            access.name = reader_.source(base);
            access.local = find_local(access.name);
            model_.accesses.push_back(std::move(access));
        } else {
            visit(base); // `f(x).d`
            if (kind != AccessKind::read || node.is("unary_expression"))
                model_.accesses.push_back(std::move(access));
        }
        for (SyntaxNode index : indices)
            visit(index);
    }

    FileReader& reader_;
    ModuleModel& model_;
    const Index function_;
    Index loop_ = none;
    int depth_ = 0;
    bool in_target_switch_ = false;
    std::string label_;                 ///< of the statement that comes next
    std::vector<Breakable> breakables_; ///< outermost first
    ScopedNames names_;                 ///< parameters are none
    std::pair<Index, std::uint32_t> argument_of_{
        none, 0}; ///< what the node that is visited next stands alone in
    Index receiver_of_ = none;
    ByteRange no_diff_call_{};
};

} // namespace

void read_body(FileReader& reader, Index function, SyntaxNode body) {
    BodyReader(reader, function).visit(body);
}

} // namespace slimgrad
