#include "rewriter/declarator_type.h"
#include "rewriter/flow_reader.h"
#include "rewriter/macro_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {

namespace {

// As deep as the model is read (body_reader.cpp).
constexpr int deepest_node = 1500;
// `defer` is read at every end of its scope: a function that makes more blocks is given up.
constexpr std::size_t most_blocks = 200'000;

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

} // namespace

void FlowReader::statement(SyntaxNode node) {
    if (!node)
        return;
    if (expanded_ && expanded_->is_open_body(node.range()))
        return macro_body();
    if (depth_ >= deepest_node)
        return set_incomplete("it is nested too deep");
    if (graph_.size() > most_blocks)
        return set_incomplete("it is too large");
    ++depth_;
    read_statement(node);
    --depth_;
}

void FlowReader::read_statement(SyntaxNode node) {
    if (node.is("block"))
        block(node);
    else if (node.is("variable_declaration"))
        declaration(node);
    else if (node.is("expression_statement")) {
        for (SyntaxNode child : node.children())
            expression(child, DerivativeAnswer::does_not("its value is not used"));
    } else if (node.is("if_statement"))
        if_statement(node);
    else if (node.is("for_statement") || node.is("compile_time_for_statement") ||
             node.is("while_statement") || node.is("do_statement"))
        loop_statement(node);
    else if (node.is("switch_statement") || node.is("target_switch_statement"))
        switch_statement(node);
    else if (node.is("do_catch_statement"))
        do_catch(node);
    else if (node.is("break_statement") || node.is("continue_statement"))
        jump(node);
    else if (node.is("return_statement") || node.is("throw_statement"))
        return_statement(node);
    else if (node.is("labeled_statement")) {
        const std::string label(text(node.field("label")));
        const SyntaxNode body = node.field("body");
        const bool takes_label = body.is("for_statement") || body.is("while_statement") ||
                                 body.is("do_statement") || body.is("switch_statement") ||
                                 body.is("compile_time_for_statement") || is_macro_loop(body);
        if (takes_label) {
            label_ = label;
            statement(body);
        } else {
            const BlockId after = new_block();
            targets_.push_back({label, after, after, false, deferred_.size()});
            statement(body);
            targets_.pop_back();
            continue_in(after);
        }
    } else if (node.is("defer_statement"))
        deferred_.push_back(node.field("body"));
    else if (node.is("macro_statement"))
        macro_statement(node);
    else if (node.is("intrinsic_asm_statement"))
        set_incomplete("it holds target code");
    else if (node.is("ERROR"))
        set_incomplete("it has a syntax error");
    // The rest declares types, does nothing, or ends the thread (`discard`): then what follows in
    // the text is taken for reachable.
}

void FlowReader::block(SyntaxNode node) {
    const std::size_t names = names_.size(), deferred = deferred_.size();
    for (SyntaxNode child : node.children())
        statement(child);
    end_scope(names, deferred);
}

void FlowReader::end_scope(std::size_t names, std::size_t deferred) {
    run_deferred(deferred);
    deferred_.resize(deferred);
    names_.resize(names);
}

/// In the order in which they run: last one first.
void FlowReader::run_deferred(std::size_t down_to) {
    const std::vector<SyntaxNode> all = deferred_;
    for (std::size_t i = all.size(); i-- > down_to;) {
        deferred_.resize(i); // one that stands in it runs at its own end
        statement(all[i]);
    }
    deferred_ = all;
}

void FlowReader::declaration(SyntaxNode node) {
    const SyntaxNode written = node.field("type");
    if (written.is("macro_type") && !type_behind_macros(model_, text(written)))
        set_incomplete(fmt::format("{} may be a type, or begin a statement that sets a variable",
                                   text(written)));
    for (SyntaxNode declarator : node.fields("declarator")) {
        const SyntaxNode type = declarator_type(node, declarator);
        std::string declared = type_behind_macros(model_, text(type)).value_or("");
        for (SyntaxNode child : declarator.children()) {
            if (child.is("array_suffix")) {
                expression(child.field("size"), DerivativeAnswer::does_not("index"));
                declared += text(child);
            }
        }
        const SyntaxNode initializer = declarator.field("value");
        if (declared.empty() || declared == "var" || declared == "let")
            declared = initializer ? std::string(model_.type_of(site(initializer))) : "";
        if (initializer)
            value(initializer, declared, {});
        const Index variable = declare_local(declarator.field("name"), declared);
        const Index definition =
            define(variable, DefinitionKind::declaration, site(declarator), false);
        if (initializer && !initializer.is("initializer_list"))
            values_.emplace(definition, site(initializer));
    }
}

void FlowReader::if_statement(SyntaxNode node) {
    const std::size_t names = names_.size();
    condition(node.field("condition"));
    const BlockId decided = block_;
    const BlockId after = new_block();
    continue_in(new_block());
    statement(node.field("consequence"));
    continue_in(after);
    block_ = decided;
    if (const SyntaxNode alternative = node.field("alternative")) {
        continue_in(new_block());
        statement(alternative);
    } else if (ends_in_open_body(node)) {
        // `WHEN(x) f(); else g();`
        const ExpandedUse* use = std::exchange(expanded_, nullptr);
        continue_in(new_block());
        statement(macro_statement_.field("alternative"));
        expanded_ = use;
    }
    continue_in(after);
    names_.resize(names);
}

/// Whether what follows the macro is the consequence of this `if`, and takes its `else`.
bool FlowReader::ends_in_open_body(SyntaxNode if_statement) const {
    return expanded_ && expanded_->is_open_body(if_statement.field("consequence").range());
}

void FlowReader::loop_statement(SyntaxNode node) {
    const std::size_t names = names_.size();
    const bool is_do = node.is("do_statement");
    statement(node.field("initializer"));
    // `Range(0, 5)` of a `$for` is syntax, no call.
    if (const SyntaxNode range = node.field("range"); text(range.field("function")) == "Range")
        read_children(range.field("arguments"), DerivativeAnswer::does_not("condition"));
    else if (range)
        expression(range, DerivativeAnswer::does_not("condition"));

    const Index outer = loop_;
    const BlockId after = new_block();
    for (const char* word : {"for", "while", "do", "$for"}) {
        const SyntaxNode keyword = node.token(word);
        const std::uint32_t offset = keyword ? keyword.range().begin : 0;
        const auto known =
            keyword ? loop_at_.find(expanded_ ? expanded_->keyword_in_file(offset) : offset)
                    : loop_at_.end();
        if (known != loop_at_.end() && loop_ == outer)
            loop_ = known->second;
    }
    const BlockId head = new_block(), next = new_block();
    if (loop_ != outer)
        graph_.set_head(loop_, head);
    continue_in(head);
    if (node.is("compile_time_for_statement")) {
        const Index counter = declare_local(node.field("name"), "int");
        define(counter, DefinitionKind::declaration, site(node.field("name")), false);
        graph_.add_edge(block_, after);
    }
    if (!is_do && node.field("condition")) {
        condition(node.field("condition"));
        graph_.add_edge(block_, after);
    }
    continue_in(new_block());
    targets_.push_back({std::exchange(label_, {}), after, next, true, deferred_.size()});
    statement(node.field("body"));
    targets_.pop_back();
    continue_in(next);
    if (is_do) {
        condition(node.field("condition"));
        graph_.add_edge(block_, after);
    } else if (node.field("update")) {
        expression(node.field("update"), DerivativeAnswer::does_not("its value is not used"));
    }
    graph_.add_edge(block_, head);
    loop_ = outer;
    block_ = after;
    names_.resize(names);
}

void FlowReader::switch_statement(SyntaxNode node) {
    const std::size_t names = names_.size(), deferred = deferred_.size();
    const bool has_values = node.is("switch_statement");
    if (has_values)
        condition(node.field("condition"));
    const BlockId entry = block_, after = new_block();
    targets_.push_back({std::exchange(label_, {}), after, after, false, deferred_.size()});
    bool has_default = false;
    block_ = new_block(); // before the first case: not reached
    for (SyntaxNode clause : node.field("body").children()) {
        has_default |= bool(clause.token("default"));
        const BlockId start = new_block();
        graph_.add_edge(entry, start);
        continue_in(start);
        const SyntaxNode label = clause.field("value");
        if (label && has_values)
            expression(label, DerivativeAnswer::does_not("condition"));
        for (SyntaxNode child : clause.children()) {
            if (!label || child.range() != label.range())
                statement(child);
        }
    }
    end_scope(names, deferred);
    continue_in(after);
    if (!has_default)
        graph_.add_edge(entry, after);
    targets_.pop_back();
}

void FlowReader::do_catch(SyntaxNode node) {
    const BlockId handlers = new_block(), after = new_block();
    const std::size_t first = graph_.size();
    ++in_try_;
    continue_in(new_block());
    statement(node.field("body"));
    --in_try_;
    for (BlockId block = BlockId(first); block < graph_.size(); ++block)
        graph_.add_edge(block, handlers);
    continue_in(after);
    for (SyntaxNode clause : node.children()) {
        if (!clause.is("catch_clause"))
            continue;
        const std::size_t names = names_.size();
        block_ = handlers;
        continue_in(new_block());
        for (SyntaxNode parameter : clause.field("parameters").children()) {
            const Index error =
                declare_local(parameter.field("name"), text(parameter.field("type")));
            define(error, DefinitionKind::declaration, site(parameter), false);
        }
        statement(clause.field("body"));
        names_.resize(names);
        continue_in(after);
    }
    block_ = after;
}

void FlowReader::jump(SyntaxNode node) {
    const std::string_view label = text(node.field("label"));
    const bool is_break = node.is("break_statement");
    for (std::size_t i = targets_.size(); i-- > 0;) {
        const Target target = targets_[i];
        if (!label.empty() ? target.label != label : !is_break && !target.is_loop)
            continue;
        run_deferred(target.deferred);
        leave_to(is_break ? target.after : target.next);
        return;
    }
    set_incomplete("a jump leads to what is not known");
    block_ = new_block();
}

void FlowReader::return_statement(SyntaxNode node) {
    const Function& function = model_.functions[function_];
    if (const SyntaxNode result = node.field("value")) {
        if (node.is("throw_statement"))
            expression(result, DerivativeAnswer::unknown("an error that is thrown"));
        else if (lambda_end_)
            expression(result, {});
        else if (has(function.modifiers, "no_diff"))
            expression(result, DerivativeAnswer::does_not("no_diff"));
        else
            value(result, function.return_type, {});
    }
    if (lambda_end_) {
        run_deferred(lambda_deferred_);
        return leave_to(*lambda_end_);
    }
    run_deferred(0);
    block_ = new_block();
}

bool FlowReader::is_macro_loop(SyntaxNode node) const {
    const ExpandedUse* use =
        node.is("macro_statement") ? model_.expanded_use(site(node.field("macro"))) : nullptr;
    return use && !use->statement().is("if_statement");
}

/// `EACH(i, n) { .. }`: what the macro stands for. Where that is not known, its body may run, any
/// number of times.
void FlowReader::macro_statement(SyntaxNode node) {
    const SyntaxNode macro = node.field("macro"), body = node.field("body");
    if (const ExpandedUse* use = model_.expanded_use(site(macro))) {
        if (use->own_calls() > 1)
            set_incomplete(fmt::format("the macro {} holds several calls", use->name()));
        const SyntaxNode outer = std::exchange(macro_statement_, node);
        expanded_ = use;
        statement(use->statement());
        expanded_ = nullptr;
        macro_statement_ = outer;
        return;
    }
    expression(macro, DerivativeAnswer::unknown("a macro"));
    set_incomplete(fmt::format("the macro {} may hold statements", text(macro.field("function"))));
    if (!body)
        return;
    const BlockId head = new_block(), after = new_block();
    continue_in(head);
    graph_.add_edge(head, after);
    continue_in(new_block());
    targets_.push_back({"", after, head, true, deferred_.size()});
    statement(body);
    targets_.pop_back();
    graph_.add_edge(block_, head);
    continue_in(after);
}

/// The statement that follows the macro, in the file again.
void FlowReader::macro_body() {
    const ExpandedUse* use = std::exchange(expanded_, nullptr);
    statement(macro_statement_.field("body"));
    expanded_ = use;
}

} // namespace slimgrad
