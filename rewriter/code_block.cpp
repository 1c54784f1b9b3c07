#include "rewriter/code_block.h"

#include "rewriter/syntax_node.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace slimgrad {

namespace {

/// The smallest node that is exactly this text, or holds it.
SyntaxNode node_at(const ModuleModel& model, Site site) {
    return model.trees[site.file].root().named_at(site.range);
}

bool is_loop(SyntaxNode node) {
    return node.is("for_statement") || node.is("while_statement") || node.is("do_statement") ||
           node.is("compile_time_for_statement");
}

/// What cannot move, by the kind of its node.
std::string_view why_kept(SyntaxNode node) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kinds{{
        {"return_statement", "it returns"},
        {"throw_statement", "it throws"},
        {"discard_statement", "it discards the fragment"},
        {"defer_statement", "it holds a `defer`"},
        {"do_catch_statement", "it catches errors"},
        {"labeled_statement", "it holds a label"},
        {"macro_statement", "it holds a macro that is a statement"},
        {"intrinsic_asm_statement", "it holds target code"},
        {"spirv_asm_expression", "it holds target code"},
        {"gpu_foreach_statement", "it starts a kernel"},
        {"lambda_expression", "it holds a lambda"},
        {"struct_declaration", "it declares a type"},
        {"enum_declaration", "it declares a type"},
        {"type_alias_declaration", "it declares a type"},
        {"using_declaration", "it names a namespace"},
        {"namespace_declaration", "it holds a namespace"},
        {"target_switch_statement", "it differs from target to target"},
        {"ERROR", "it has a syntax error"},
    }};
    const auto found = std::find_if(kinds.begin(), kinds.end(),
                                    [&](const auto& kind) { return node.is(kind.first); });
    return found == kinds.end() ? std::string_view() : found->second;
}

/// What is around a node, of the code alone.
struct Around {
    bool loop = false;      ///< takes `continue`
    bool breakable = false; ///< takes `break`
};

std::string why_jump_is_kept(SyntaxNode node, Around around) {
    if (node.field("label"))
        return "it goes to a label";
    if (node.is("break_statement") && !around.breakable)
        return "it leaves the loop around it";
    if (node.is("continue_statement") && !around.loop)
        return "it goes on to the next trip of the loop around it";
    return "";
}

/// The single declarator that the declaration has, or no node.
SyntaxNode only_declarator(SyntaxNode declaration) {
    const auto declarators = declaration.fields("declarator");
    return declaration.is("variable_declaration") && declarators.size() == 1 ? declarators[0]
                                                                             : SyntaxNode();
}

bool has_array_suffix(SyntaxNode declarator) {
    const auto children = declarator.children();
    return std::any_of(children.begin(), children.end(),
                       [](SyntaxNode child) { return child.is("array_suffix"); });
}

std::optional<Site> break_condition_of(std::uint32_t file, SyntaxNode node) {
    if (!node.is("if_statement") || node.field("alternative"))
        return std::nullopt;
    SyntaxNode then = node.field("consequence");
    if (then.is("block") && then.children().size() == 1)
        then = then.children()[0];
    const SyntaxNode condition = node.field("condition");
    if (!then.is("break_statement") || then.field("label") || condition.is("condition_declaration"))
        return std::nullopt;
    return Site{file, condition.range()};
}

BlockStatement read_statement(const ModuleModel& model, std::uint32_t file, SyntaxNode node) {
    BlockStatement statement;
    statement.site = {file, node.range()};
    if (const SyntaxNode declarator = only_declarator(node);
        declarator && !has_array_suffix(declarator) && declarator.field("name"))
        statement.declared = Site{file, declarator.field("name").range()};
    const auto children = node.children();
    const SyntaxNode expression =
        node.is("expression_statement") && children.size() == 1 ? children[0] : SyntaxNode();
    statement.break_condition = break_condition_of(file, node);
    if (!expression.is("assignment_expression"))
        return statement;
    const std::string_view op = model.text({file, expression.field("operator").range()});
    if (op == "=") {
        statement.set = Site{file, expression.field("left").range()};
        statement.set_to = Site{file, expression.field("right").range()};
    }
    if (op == "+=" || op == "-=") {
        statement.added_to = Site{file, expression.field("left").range()};
        statement.added = Site{file, expression.field("right").range()};
    }
    return statement;
}

/// Visits the nodes within the code in the order of the text, as long as `visit` says so; not the
/// `b` of `a.b`.
template <class Visit> void for_each_in(const ModuleModel& model, Site code, Visit visit) {
    std::vector<SyntaxNode> open{model.trees[code.file].root()};
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        const ByteRange range = node.range();
        if (range.end <= code.range.begin || range.begin >= code.range.end)
            continue;
        if (code.range.contains(range) && !visit(node))
            return;
        auto children = node.children();
        if (node.is("member_expression"))
            std::erase_if(children, [&](SyntaxNode child) {
                return child.range() == node.field("member").range();
            });
        open.insert(open.end(), children.rbegin(), children.rend());
    }
}

} // namespace

std::vector<BlockStatement> statements_of(const ModuleModel& model, Site body) {
    const SyntaxNode node = node_at(model, body);
    std::vector<BlockStatement> statements;
    if (!node || node.range() != body.range || model.is_broken(body))
        return statements;
    for (SyntaxNode child : node.is("block") ? node.children() : std::vector<SyntaxNode>{node})
        statements.push_back(read_statement(model, body.file, child));
    return statements;
}

std::vector<Site> conjuncts_of(const ModuleModel& model, Site expression) {
    std::vector<Site> found;
    std::vector<SyntaxNode> open{node_at(model, expression)};
    if (!open.back() || open.back().range() != expression.range)
        return found;
    while (!open.empty()) {
        const SyntaxNode node = open.back();
        open.pop_back();
        if (node.is("binary_expression") &&
            model.text({expression.file, node.field("operator").range()}) == "&&") {
            open.push_back(node.field("right"));
            open.push_back(node.field("left"));
        } else {
            found.push_back({expression.file, node.range()});
        }
    }
    return found;
}

std::optional<Site> block_around(const ModuleModel& model, Site statement) {
    SyntaxNode node = model.trees[statement.file].root();
    std::optional<Site> block;
    while (node && node.range() != statement.range) {
        const auto children = node.children();
        const auto next = std::find_if(children.begin(), children.end(), [&](SyntaxNode child) {
            return child.range().contains(statement.range);
        });
        block = node.is("block") ? std::optional(Site{statement.file, node.range()}) : std::nullopt;
        node = next == children.end() ? SyntaxNode() : *next;
    }
    return node ? block : std::nullopt;
}

std::vector<ReturnStatement> returns_in(const ModuleModel& model, Site code) {
    std::vector<ReturnStatement> returns;
    std::vector<std::pair<SyntaxNode, bool>> open{{model.trees[code.file].root(), false}};
    while (!open.empty()) {
        const auto [node, in_switch] = open.back();
        open.pop_back();
        const ByteRange range = node.range();
        const bool is_inside = code.range.contains(range);
        if (range.end <= code.range.begin || range.begin >= code.range.end ||
            (is_inside && node.is("lambda_expression")))
            continue;
        if (is_inside && node.is("return_statement")) {
            const SyntaxNode value = node.field("value");
            returns.push_back({{code.file, range},
                               value ? std::optional(Site{code.file, value.range()}) : std::nullopt,
                               in_switch});
            continue;
        }
        const bool switches =
            is_inside && (node.is("switch_statement") || node.is("target_switch_statement"));
        const auto children = node.children();
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            open.emplace_back(*child, in_switch || switches);
    }
    return returns;
}

bool has_defer(const ModuleModel& model, Site code) {
    bool found = false;
    for_each_in(model, code, [&](SyntaxNode node) {
        found |= node.is("defer_statement");
        return !found;
    });
    return found;
}

std::string why_bound_to_place(const ModuleModel& model, Site code, bool inside_loop) {
    std::vector<std::pair<SyntaxNode, Around>> open{
        {model.trees[code.file].root(), {inside_loop, false}}};
    while (!open.empty()) {
        const auto [node, around] = open.back();
        open.pop_back();
        const ByteRange range = node.range();
        if (range.end <= code.range.begin || range.begin >= code.range.end)
            continue;
        Around inner = around;
        if (code.range.contains(range)) {
            if (const std::string_view why = why_kept(node); !why.empty())
                return std::string(why);
            if (node.is("break_statement") || node.is("continue_statement"))
                if (std::string why = why_jump_is_kept(node, around); !why.empty())
                    return why;
            inner.loop |= is_loop(node);
            inner.breakable |= is_loop(node) || node.is("switch_statement");
        }
        for (SyntaxNode child : node.children())
            open.emplace_back(child, inner);
    }
    return "";
}

std::vector<Site> names_of(const ModuleModel& model, Site code) {
    std::vector<Site> names;
    for_each_in(model, code, [&](SyntaxNode node) {
        if (node.is("identifier"))
            names.push_back({code.file, node.range()});
        return true;
    });
    return names;
}

bool declares_type(const ModuleModel& model, Site code) {
    bool declares = false;
    for_each_in(model, code, [&](SyntaxNode node) {
        declares |= why_kept(node) == "it declares a type";
        return !declares;
    });
    return declares;
}

} // namespace slimgrad
