#include "rewriter/body_reader.h"

#include "rewriter/declarator_type.h"
#include "rewriter/macro_type.h"
#include "rewriter/prefix.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace slimgrad {

namespace {

/// One scalar of a floating-point type.
bool is_float(std::string_view type) {
    return type == "float" || type == "double" || type == "half" || type == "float16_t" ||
           type == "float32_t" || type == "float64_t";
}

// Statements and expressions nested deeper are not read but count as broken: the walk is recursive.
constexpr int deepest_node = 1500;

} // namespace

BodyReader::BodyReader(FileReader& reader, Index function)
    : reader_(reader), model_(reader.model), function_(function) {
    for (const Parameter& parameter : model_.functions[function].parameters)
        names_.add(parameter.name, none);
}

void BodyReader::visit(SyntaxNode node) {
    if (!node)
        return;
    if (reader_.expanded && reader_.expanded->is_open_body(node.range()))
        return macro_body();
    if (depth_ >= deepest_node) {
        model_.unread.push_back(reader_.site(node));
        return;
    }
    ++depth_;
    visit_node(node);
    --depth_;
}

void BodyReader::visit_node(SyntaxNode node) {
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
        {"type_alias_declaration", &BodyReader::type_alias},
        {"using_declaration", nullptr},
        {"continue_statement", nullptr},
    };
    const auto found = handlers.find(node.kind());
    if (found == handlers.end())
        visit_all(node);
    else if (found->second)
        (this->*found->second)(node);
}

void BodyReader::visit_all(SyntaxNode node) {
    for (SyntaxNode child : node.children())
        visit(child);
}

/// Names declared inside end with the node.
void BodyReader::scope(SyntaxNode node) {
    const std::size_t outer_names = names_.mark();
    visit_all(node);
    names_.leave(outer_names);
}

void BodyReader::switch_statement(SyntaxNode node) {
    visit(node.field("condition"));
    breakables_.push_back({none, std::exchange(label_, {})});
    const bool outer = std::exchange(in_target_switch_, node.is("target_switch_statement"));
    scope(node.field("body"));
    in_target_switch_ = outer;
    breakables_.pop_back();
}

void BodyReader::case_clause(SyntaxNode node) {
    // `case cuda:` of a target switch names a target, not a value.
    const SyntaxNode value = node.field("value");
    const bool target = std::exchange(in_target_switch_, false);
    for (SyntaxNode child : node.children()) {
        if (!target || child.range() != value.range())
            visit(child);
    }
    in_target_switch_ = target;
}

void BodyReader::labeled_statement(SyntaxNode node) {
    label_ = reader_.source(node.field("label"));
    visit(node.field("body"));
    label_.clear();
}

void BodyReader::for_statement(SyntaxNode node) {
    const std::size_t outer_names = names_.mark();
    // Once, before the first trip.
    visit(node.field("initializer"));
    // `Range(0, 5)` of a `$for` is syntax, no call.
    const SyntaxNode range = node.field("range");
    visit(reader_.source(range.field("function")) == "Range" ? range.field("arguments") : range);
    if (node.is("compile_time_for_statement"))
        add_local(node.field("name"), "let", {}, true);
    const Index loop = open_loop(node);
    visit(node.field("condition"));
    visit(node.field("body"));
    const bool outer_update = std::exchange(in_update_, true);
    visit(node.field("update"));
    in_update_ = outer_update;
    close_loop(loop);
    names_.leave(outer_names);
}

void BodyReader::while_statement(SyntaxNode node) {
    const Index loop = open_loop(node);
    visit(node.field("condition"));
    visit(node.field("body"));
    close_loop(loop);
}

Index BodyReader::open_loop(SyntaxNode node) {
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
    if (reader_.expanded) {
        place_macro_loop(loop, node, keyword);
    } else {
        loop.keyword = keyword.range().begin;
        loop.site = reader_.site({loop.keyword, node.range().end});
        loop.with_attributes = node.range();
        loop.body = node.field("body").range();
        loop.attributes = read_prefix(reader_, node).attributes;
    }
    loop.function = function_;
    loop.parent = loop_;
    exits_.push_back(read_counted_loop(reader_, node, loop));
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

/// A loop whose head a macro holds: what follows the macro's use is its body.
void BodyReader::place_macro_loop(Loop& loop, SyntaxNode node, SyntaxNode keyword) {
    const ExpandedUse& use = *reader_.expanded;
    loop.from_macro = true;
    loop.keyword = use.keyword_in_file(keyword.range().begin);
    loop.body = macro_statement_.field("body").range();
    loop.site = {reader_.file, {use.use().begin, loop.body.end}};
    loop.with_attributes = {macro_statement_.range().begin, loop.body.end};
    loop.attributes = read_prefix(reader_, node).attributes;
    for (Attribute& attribute : loop.attributes) {
        attribute.from_macro = true;
        attribute.site = {reader_.file, use.use()};
        attribute.group = use.use();
    }
    if (node.range() != use.statement().range())
        return;
    // Those that stand before the macro.
    const FileReader file{model_, reader_.file, reader_.text};
    auto own = read_prefix(file, macro_statement_).attributes;
    loop.attributes.insert(loop.attributes.begin(), std::make_move_iterator(own.begin()),
                           std::make_move_iterator(own.end()));
}

/// "" where it is neither a local variable nor a parameter.
std::string BodyReader::type_of_counter(const Loop& loop) const {
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

void BodyReader::close_loop(Index loop) {
    breakables_.pop_back();
    exits_.pop_back();
    loop_ = model_.loops[loop].parent;
}

void BodyReader::break_statement(SyntaxNode node) {
    if (!reader_.expanded && !exits_.empty() && exits_.back() == node.range())
        return; // the loop's condition
    const std::string label = reader_.source(node.field("label"));
    for (std::size_t i = breakables_.size(); i-- > 0;) {
        // Every loop on the way to a labelled statement is left.
        if (breakables_[i].loop != none)
            model_.loops[breakables_[i].loop].has_break = true;
        if (label.empty() || breakables_[i].label == label)
            break;
    }
}

void BodyReader::leaving_statement(SyntaxNode node) {
    visit_all(node);
    for (const Breakable& breakable : breakables_) {
        if (breakable.loop != none)
            model_.loops[breakable.loop].has_break = true;
    }
}

void BodyReader::macro_statement(SyntaxNode node) {
    const SyntaxNode macro = node.field("macro");
    if (const ExpandedUse* use = model_.expanded_use(reader_.site(macro))) {
        const SyntaxNode outer = std::exchange(macro_statement_, node);
        reader_.expanded = use;
        visit(use->statement());
        reader_.expanded = nullptr;
        macro_statement_ = outer;
    } else {
        visit(macro);
        breakables_.push_back({});
        visit(node.field("body"));
        breakables_.pop_back();
    }
    visit(node.field("alternative"));
}

/// The statement that follows the macro, in the file again.
void BodyReader::macro_body() {
    const ExpandedUse* use = std::exchange(reader_.expanded, nullptr);
    visit(macro_statement_.field("body"));
    reader_.expanded = use;
}

void BodyReader::variables(SyntaxNode node) {
    Prefix prefix = read_prefix(reader_, node);
    add_prefix_of_type(reader_, node.field("type"), prefix);
    const bool may_assign = node.field("type").is("macro_type") &&
                            !type_behind_macros(model_, reader_.source(node.field("type")));
    const bool is_let = bool(node.token("let"));
    const bool is_const = is_let || std::any_of(prefix.modifiers.begin(), prefix.modifiers.end(),
                                                [](const auto& word) {
                                                    return word == "const" || word == "constexpr";
                                                });
    for (SyntaxNode declarator : node.fields("declarator")) {
        for (SyntaxNode child : declarator.children()) {
            if (child.is("array_suffix"))
                visit(child.field("size"));
        }
        const SyntaxNode value = declarator.field("value");
        if (may_assign)
            access(declarator.field("name"), AccessKind::read_write);
        visit(value); // before the name is known: `float x = x;` reads the outer one
        const SyntaxNode type = declarator_type(node, declarator);
        const std::string text = type     ? declared_type(reader_, type, declarator)
                                 : is_let ? "let"
                                          : "var";
        add_local(declarator.field("name"), text, value, is_const);
        model_.locals.back().is_static = std::find(prefix.modifiers.begin(), prefix.modifiers.end(),
                                                   "static") != prefix.modifiers.end();
    }
}

void BodyReader::condition_declaration(SyntaxNode node) {
    visit(node.field("value"));
    const bool is_let = bool(node.token("let"));
    add_local(node.field("name"), is_let ? "let" : "var", node.field("value"), is_let);
}

void BodyReader::add_local(SyntaxNode name, const std::string& type, SyntaxNode value,
                           bool is_const) {
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
Index BodyReader::find_local(const std::string& name) const {
    return names_.find(name);
}

void BodyReader::catch_clause(SyntaxNode node) {
    const std::size_t outer_names = names_.mark();
    add_parameters(node.field("parameters"));
    visit(node.field("body"));
    names_.leave(outer_names);
}

void BodyReader::add_parameters(SyntaxNode list) {
    for (SyntaxNode parameter : list.children())
        names_.add(reader_.source(parameter.field("name")), none);
}

/// What it stands for holds in its block alone.
void BodyReader::type_alias(SyntaxNode node) {
    model_.aliases.push_back({reader_.source(node.field("name")), ""});
}

void read_body(FileReader& reader, Index function, SyntaxNode body) {
    BodyReader(reader, function).visit(body);
}

} // namespace slimgrad
