#include "rewriter/body_resolver.h"

#include "rewriter/declarator_type.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

// As deep as the model's own reader of bodies goes.
constexpr int deepest_node = 1500;

} // namespace

BodyResolver::BodyResolver(Semantics& semantics, ResolutionRecord* record, Declaration& scope,
                           std::uint32_t file)
    : semantics_(semantics), record_(record), scope_(&scope), file_(file) {
    semantics_.set_scope(&scope);
}

void BodyResolver::resolve_function(Index function, SyntaxNode body, SyntaxNode accessor) {
    function_ = function;
    if (accessor) {
        add_parameters(accessor.field("parameters"));
        if (!accessor.field("parameters") && source(accessor.field("kind")) == "set") {
            Declaration& value = semantics_.declarations().add_local(DeclarationKind::variable,
                                                                     "newValue", file_, scope_);
            value.known_type = semantics_.declared_type(*scope_);
            value.state = Declaration::State::read;
            locals_.add(value);
        }
    }
    visit(body);
}

void BodyResolver::visit(SyntaxNode node) {
    static const std::map<std::string_view, Handler> handlers{
        {"block", &BodyResolver::block},
        {"case_list", &BodyResolver::block},
        {"case_clause", &BodyResolver::case_clause},
        {"if_statement", &BodyResolver::block},
        {"switch_statement", &BodyResolver::visit_children},
        {"target_switch_statement", &BodyResolver::visit_children},
        {"variable_declaration", &BodyResolver::variables},
        {"condition_declaration", &BodyResolver::condition_variable},
        {"for_statement", &BodyResolver::loop},
        {"compile_time_for_statement", &BodyResolver::loop},
        {"while_statement", &BodyResolver::loop},
        {"do_statement", &BodyResolver::loop},
        {"do_catch_statement", &BodyResolver::visit_children},
        {"catch_clause", &BodyResolver::catch_clause},
        {"labeled_statement", &BodyResolver::visit_children},
        {"macro_statement", &BodyResolver::macro_statement},
        {"expression_statement", &BodyResolver::visit_children},
        {"return_statement", &BodyResolver::visit_children},
        {"throw_statement", &BodyResolver::visit_children},
        {"defer_statement", &BodyResolver::visit_children},
        {"comma_expression", &BodyResolver::visit_children},
        {"ERROR", &BodyResolver::visit_children},
        {"struct_declaration", &BodyResolver::local_declaration},
        {"enum_declaration", &BodyResolver::local_declaration},
        {"type_alias_declaration", &BodyResolver::local_declaration},
        {"function_declaration", &BodyResolver::local_declaration},
        {"using_declaration", &BodyResolver::use_namespace},
        {"attribute_list", &BodyResolver::skip},
        {"modifier", &BodyResolver::skip},
        {"break_statement", &BodyResolver::skip},
        {"continue_statement", &BodyResolver::skip},
    };
    if (!node || depth_ >= deepest_node)
        return;
    if (const ExpandedUse* use = expanded(); use && use->is_open_body(node.range()))
        return macro_body();
    ++depth_;
    const auto found = handlers.find(node.kind());
    if (found != handlers.end())
        (this->*found->second)(node);
    else
        read(node);
    --depth_;
}

void BodyResolver::visit_children(SyntaxNode node) {
    for (SyntaxNode child : node.children())
        visit(child);
}

void BodyResolver::block(SyntaxNode node) {
    const std::size_t outer = locals_.mark();
    visit_children(node);
    locals_.leave(outer);
}

void BodyResolver::loop(SyntaxNode node) {
    const std::size_t outer = locals_.mark();
    // Once, before the first trip.
    visit(node.field("initializer"));
    compile_time_range(node.field("range"));
    if (node.is("compile_time_for_statement"))
        add_local(node.field("name"), semantics_.types().scalar("int"));
    const Index around = loop_;
    for (std::string_view word : {"for", "while", "do", "$for"}) {
        const SyntaxNode keyword = node.token(word);
        if (!keyword || !record_)
            continue;
        const ExpandedUse* use = expanded();
        const std::uint32_t begin = keyword.range().begin;
        const Index loop = use ? record_->loop_at(use->file(), use->keyword_in_file(begin))
                               : record_->loop_at(file_, begin);
        if (loop != none)
            loop_ = loop;
    }
    for (std::string_view part : {"condition", "body", "update"})
        visit(node.field(part));
    loop_ = around;
    locals_.leave(outer);
}

/// `Range(0, 4)` behind `in` is syntax.
void BodyResolver::compile_time_range(SyntaxNode range) {
    const bool is_range =
        range && range.is("call_expression") && source(range.field("function")) == "Range";
    if (!is_range)
        return visit(range);
    const SyntaxNode list = range.field("arguments");
    if (Call* call = record_ ? record_->call_at(file_, list.range().begin) : nullptr)
        call->callee_kind = CalleeKind::builtin;
    visit_children(list);
}

void BodyResolver::case_clause(SyntaxNode node) {
    const SyntaxNode value = node.field("value");
    for (SyntaxNode child : node.children()) {
        // A bare word may be a target's name, which means nothing here.
        if (child.range() != value.range() || !value.is("identifier"))
            visit(child);
    }
}

Declaration& BodyResolver::add_local(SyntaxNode name, TypeRef type, SyntaxNode value) {
    Declaration& local =
        semantics_.declarations().add_local(DeclarationKind::variable, source(name), file_, scope_);
    local.known_type = type;
    local.value = value;
    local.state = Declaration::State::read;
    locals_.add(local);
    if (record_ && function_ != none && type)
        record_->add_type(site(name), type);
    return local;
}

void BodyResolver::variables(SyntaxNode node) {
    for (SyntaxNode declarator : node.fields("declarator")) {
        for (SyntaxNode child : declarator.children()) {
            if (child.is("array_suffix"))
                visit(child.field("size"));
        }
        const SyntaxNode value = declarator.field("value");
        const SyntaxNode type_node = declarator_type(node, declarator);
        Expression initial;
        if (value)
            initial = read(value);
        TypeRef type = nullptr;
        if (type_node)
            type = semantics_.read_declared(type_node, declarator, scope());
        else if (!initial.is_type)
            type = initial.type;
        add_local(declarator.field("name"), type, value);
    }
}

void BodyResolver::condition_variable(SyntaxNode node) {
    const Expression value = read(node.field("value"));
    TypeRef type = value.type;
    if (type && type->is(Type::Kind::builtin) && type->name == "Optional" &&
        !type->arguments.empty())
        type = type->arguments[0];
    else if (!node.field("value").is("type_cast_expression"))
        type = nullptr;
    add_local(node.field("name"), type);
}

void BodyResolver::local_declaration(SyntaxNode node) {
    for (Declaration* declaration : semantics_.declarations().add_local(node, file_, scope_))
        locals_.add(*declaration);
}

void BodyResolver::use_namespace(SyntaxNode node) {
    scope_->imported.push_back({file_, node.field("name")});
}

const ExpandedUse* BodyResolver::expanded() const {
    const ModuleModel& model = semantics_.model();
    return file_ < model.files.size() ? nullptr : &model.expanded_uses[file_ - model.files.size()];
}

Site BodyResolver::site(SyntaxNode node) const {
    const ExpandedUse* use = expanded();
    return use ? Site{use->file(), use->in_file(node.range())} : Site{file_, node.range()};
}

Call* BodyResolver::known_call(SyntaxNode node) const {
    if (!record_)
        return nullptr;
    const std::uint32_t open = node.field("arguments").range().begin;
    const ExpandedUse* use = expanded();
    return use ? record_->call_at(use->file(), use->in_file(node.range(), open))
               : record_->call_at(file_, open);
}

/// `EACH(i, n) { .. }`: what the macro stands for, if that is known.
void BodyResolver::macro_statement(SyntaxNode node) {
    const ModuleModel& model = semantics_.model();
    const ExpandedUse* use = expanded() ? nullptr : model.expanded_use(site(node.field("macro")));
    if (!use)
        return visit_children(node);
    const SyntaxNode outer = std::exchange(macro_statement_, node);
    outer_file_ = std::exchange(
        file_, std::uint32_t(model.files.size() + (use - model.expanded_uses.data())));
    visit(use->statement());
    file_ = outer_file_;
    macro_statement_ = outer;
    visit(node.field("alternative"));
}

/// The statement that follows the macro, in the file again.
void BodyResolver::macro_body() {
    const std::uint32_t use = std::exchange(file_, outer_file_);
    visit(macro_statement_.field("body"));
    file_ = use;
}

void BodyResolver::catch_clause(SyntaxNode node) {
    const std::size_t outer = locals_.mark();
    add_parameters(node.field("parameters"));
    visit(node.field("body"));
    locals_.leave(outer);
}

void BodyResolver::add_parameters(SyntaxNode list) {
    for (SyntaxNode parameter : list.children()) {
        if (!parameter.is("parameter"))
            continue;
        // `set(v)`: of the property's type
        const SyntaxNode type = parameter.field("type");
        add_local(parameter.field("name"), type || !scope_->is(DeclarationKind::property)
                                               ? semantics_.read_declared(type, parameter, scope())
                                               : semantics_.declared_type(*scope_));
    }
}

} // namespace slimgrad
