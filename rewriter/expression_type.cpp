#include "rewriter/body_resolver.h"
#include "rewriter/core_result.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

// Recursion ends where the model's own reader of bodies ends.
constexpr int deepest_expression = 1500;

bool is_comparison(std::string_view op) {
    return op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=";
}

/// bool in the shape of numbers; a plain one for other types that are known.
TypeRef truth_in_shape_of(TypeTable& types, TypeRef shape) {
    const TypeRef truth = types.scalar("bool");
    if (!shape || !is_numeric(shape) || shape->is(Kind::scalar))
        return shape ? truth : nullptr;
    Type changed = *shape;
    changed.arguments[0] = truth;
    return types.make(std::move(changed));
}

/// Of `&&` and `||`; null for vectors of numbers, which are kept by some operators.
TypeRef truth_of_both(TypeTable& types, TypeRef left, TypeRef right) {
    const TypeRef shape =
        left == right || !left || !right || !left->is(Kind::scalar) ? left : right;
    const bool is_truth = element_of(shape) == types.scalar("bool");
    return !shape || shape->is(Kind::scalar) || is_truth ? truth_in_shape_of(types, shape)
                                                         : nullptr;
}

std::string_view integer_type(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    bool is_unsigned = false;
    int longs = 0; // one `L` says nothing: 3L is an int
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != text.npos) {
        const bool is_u = text.back() == 'u' || text.back() == 'U';
        is_unsigned |= is_u;
        longs += !is_u;
        text.remove_suffix(1);
    }
    if (text.ends_with('z') || text.ends_with('Z'))
        return "";
    // Large ones have larger types.
    if (text.size() > (hexadecimal ? 9u : 9u))
        return "";
    if (longs > 1)
        return is_unsigned ? "uint64_t" : "int64_t";
    return is_unsigned ? "uint" : "int";
}

/// How many bits a small literal's value needs; those of large ones are not told.
int bits_of(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal)
        text.remove_prefix(2);
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
    return std::max(1, int(std::bit_width(value)));
}

std::string_view real_type(std::string_view text) {
    // "1.0hf" and "1.0lf" are written, too.
    const std::string_view suffix = text.substr(text.find_last_not_of("fFhHlL") + 1);
    if (suffix.find_first_of("hH") != suffix.npos)
        return "half";
    return suffix.find_first_of("lL") != suffix.npos ? "double" : "float";
}

} // namespace

Expression BodyResolver::read(SyntaxNode node, Use use) {
    if (!node || depth_ >= deepest_expression)
        return {};
    ++depth_;
    const Expression result = read_node(node, use);
    --depth_;
    if (!result.is_type)
        add_type(node, result.type);
    return result;
}

void BodyResolver::add_type(SyntaxNode node, TypeRef type) {
    const ExpandedUse* use = expanded();
    const bool has_place = !use || use->is_in_arguments(node.range());
    if (record_ && function_ != none && type && has_place)
        record_->add_type(site(node), type);
}

Expression BodyResolver::read_node(SyntaxNode node, Use use) {
    static const std::map<std::string_view, Reader> readers{
        {"identifier", &BodyResolver::name},
        {"integer_literal", &BodyResolver::literal},
        {"float_literal", &BodyResolver::literal},
        {"boolean_literal", &BodyResolver::literal},
        {"string_literal", &BodyResolver::literal},
        {"parenthesized_expression", &BodyResolver::parenthesized},
        {"no_diff_expression", &BodyResolver::inner_value},
        {"try_expression", &BodyResolver::inner_value},
        {"primitive_type", &BodyResolver::type_name},
        {"array_type", &BodyResolver::type_name},
        {"generic_expression", &BodyResolver::generic_name},
        {"member_expression", &BodyResolver::member},
        {"scope_expression", &BodyResolver::scoped},
        {"subscript_expression", &BodyResolver::subscript},
        {"assignment_expression", &BodyResolver::assignment},
        {"conditional_expression", &BodyResolver::conditional},
        {"binary_expression", &BodyResolver::binary},
        {"unary_expression", &BodyResolver::unary},
        {"update_expression", &BodyResolver::update},
        {"cast_expression", &BodyResolver::cast},
        {"type_cast_expression", &BodyResolver::type_cast},
        {"type_test_expression", &BodyResolver::type_test},
        {"lambda_expression", &BodyResolver::lambda},
        {"call_expression", &BodyResolver::call},
        {"initializer_list", &BodyResolver::value_list},
    };
    const auto found = readers.find(node.kind());
    return (this->*(found == readers.end() ? &BodyResolver::unknown : found->second))(node, use);
}

/// What has no type here, but holds what has.
Expression BodyResolver::unknown(SyntaxNode node, Use) {
    if (!node.is("derivative_expression") && !node.is("spirv_asm_expression"))
        visit_children(node);
    return {};
}

Expression BodyResolver::value_list(SyntaxNode node, Use) {
    for (SyntaxNode value : node.children())
        read(value);
    Expression list;
    list.is_list = true;
    return list;
}

Expression BodyResolver::found_value(const std::vector<Found>& found) {
    Expression result;
    if (found.empty())
        return result;
    // Several declarations that are no functions: in files that do not see each other.
    const Declaration& first = *found[0].declaration;
    if (found.size() > 1 && !first.is_overloadable()) {
        const bool shadowed =
            found[0].depth < found[1].depth || found[0].distance < found[1].distance;
        if (!shadowed)
            return result;
    }
    if (!found[0].certain)
        return result;
    if (first.is_overloadable()) {
        result.is_function = true;
    } else if (first.is(DeclarationKind::name_space)) {
        result.name_space = &first;
    } else if (first.is_type()) {
        result.is_type = true;
        result.type = semantics_.type_of_declaration(found[0]);
    } else {
        result.type = semantics_.substitute(semantics_.declared_type(*found[0].declaration),
                                            found[0].substitution);
    }
    return result;
}

Expression BodyResolver::name(SyntaxNode node, Use use) {
    const std::string text = semantics_.expand_name(source(node));
    if (text.empty())
        return {};
    if (text == "this")
        return {semantics_.this_type(scope())};
    const std::vector<Found> found = semantics_.find(text, scope());
    if (found.size() == 1 && found[0].declaration->is(DeclarationKind::property))
        settle_accessors({&found[0], found[0].substitution, {&found[0]}}, found, CallForm::property,
                         node.range().begin, node, {}, use);
    if (!found.empty())
        return found_value(found);
    if (TypeRef type = semantics_.read_type_name(text, scope()))
        return {type, true};
    return {};
}

Expression BodyResolver::literal(SyntaxNode node, Use) {
    TypeTable& types = semantics_.types();
    if (node.is("boolean_literal"))
        return {types.scalar("bool")};
    if (node.is("string_literal"))
        return {types.builtin("String")};
    const std::string text = source(node);
    if (node.is("float_literal"))
        return {types.scalar(real_type(text))};
    const std::string_view type = integer_type(text);
    return {type.empty() ? nullptr : types.scalar(type), false, bits_of(text)};
}

Expression BodyResolver::parenthesized(SyntaxNode node, Use use) {
    Expression last;
    for (SyntaxNode child : node.children()) {
        if (child.is("comma_expression")) {
            for (SyntaxNode value : child.children())
                last = read(value);
        } else {
            last = read(child, use);
        }
    }
    last.literal_bits = 0;
    return last;
}

Expression BodyResolver::inner_value(SyntaxNode node, Use use) {
    return read(node.field("value"), use);
}

Expression BodyResolver::type_name(SyntaxNode node, Use) {
    return {semantics_.read_type(node, scope()), true};
}

Expression BodyResolver::generic_name(SyntaxNode node, Use) {
    if (TypeRef type = semantics_.read_type(node, scope()))
        return {type, true};
    const SyntaxNode name = node.field("name");
    if (name.is("member_expression"))
        read(name.field("object"));
    Expression result;
    result.is_function = true;
    return result;
}

Expression BodyResolver::member(SyntaxNode node, Use use) {
    const Expression object =
        read(node.field("object"), use == Use::read ? Use::read : Use::read_write);
    return member_of(object, node, node.field("member"), use);
}

Expression BodyResolver::member_of(const Expression& object, SyntaxNode node, SyntaxNode name,
                                   Use use) {
    const std::string text = source(name);
    if (object.name_space)
        return found_value(Semantics::find_in(*object.name_space, text));
    if (!object.type)
        return {};
    for (TypeRef type = object.type; type; type = semantics_.dereference(type)) {
        const std::vector<Found> found = semantics_.members(type, text);
        if (!found.empty()) {
            if (found[0].declaration->is(DeclarationKind::property))
                settle_accessors(
                    {found[0].certain ? &found[0] : nullptr, found[0].substitution, {&found[0]}},
                    found, CallForm::property, name.range().begin, node, {}, use);
            return found_value(found);
        }
        if (object.is_type) {
            if (TypeRef inner = semantics_.member_type(type, text))
                return {inner, true};
            return {};
        }
        if (TypeRef member = core_member(semantics_, type, text))
            return {member};
        if (type->is(Kind::differential)) {
            const std::vector<Found> fields = semantics_.members(type->arguments[0], text);
            if (fields.size() == 1 && fields[0].declaration->is(DeclarationKind::variable))
                return {semantics_.member_type(found_value(fields).type, "Differential")};
        }
    }
    return {};
}

Expression BodyResolver::scoped(SyntaxNode node, Use use) {
    const SyntaxNode outer = node.field("scope");
    if (!outer)
        return found_value(
            Semantics::find_in(semantics_.declarations().module(), source(node.field("member"))));
    if (const Declaration* space = semantics_.find_namespace(outer, scope()))
        return found_value(Semantics::find_in(*space, source(node.field("member"))));
    return member_of(read(outer), node, node.field("member"), use);
}

Expression BodyResolver::subscript(SyntaxNode node, Use use) {
    const Expression base =
        read(node.field("base"), use == Use::read ? Use::read : Use::read_write);
    const auto indices = node.fields("index");
    const std::vector<Argument> arguments = read_arguments(indices);
    if (base.is_type) {
        const TypeRef type = semantics_.read_type(node, scope());
        return {type, type != nullptr};
    }
    for (TypeRef type = base.type; type; type = semantics_.dereference(type)) {
        const std::vector<Found> found = semantics_.members(type, "operator[]");
        if (!found.empty()) {
            std::optional<ConversionCost> core;
            if (core_element(semantics_.types(), type))
                core.emplace();
            const OverloadChoice choice = choose_overload(semantics_, found, arguments, {}, core);
            std::vector<SyntaxNode> operands{node.field("base")};
            operands.insert(operands.end(), indices.begin(), indices.end());
            settle_accessors(choice, found, CallForm::subscript, node.token("[").range().begin,
                             node, operands, use);
            return {result_type(semantics_, choice)};
        }
        if (TypeRef element = core_element(semantics_.types(), type))
            return {element};
    }
    return {};
}

Expression BodyResolver::assignment(SyntaxNode node, Use) {
    const std::string op = source(node.field("operator"));
    const Expression left = read(node.field("left"), op == "=" ? Use::write : Use::read_write);
    const Expression right = read(node.field("right"));
    Expression result;
    if (op != "=" &&
        user_operator(node, node.field("operator"), {node.field("left"), node.field("right")},
                      {left.argument(), right.argument()}, result))
        return result;
    return {left.type};
}

Expression BodyResolver::conditional(SyntaxNode node, Use) {
    const Expression condition = read(node.field("condition"));
    const Expression yes = read(node.field("consequence")), no = read(node.field("alternative"));
    if (condition.type && condition.type->is(Kind::vector) &&
        (!yes.type || !yes.type->is(Kind::vector)))
        return {};
    if (yes.type && yes.type == no.type)
        return {yes.type};
    return {joined_type(semantics_.types(), yes.argument(), no.argument())};
}

Expression BodyResolver::binary(SyntaxNode node, Use) {
    // A long sum nests on its left side alone.
    std::vector<SyntaxNode> chain{node};
    while (chain.back().field("left").is("binary_expression"))
        chain.push_back(chain.back().field("left"));
    Expression left = read(chain.back().field("left"));
    for (auto inner = chain.rbegin(); inner != chain.rend(); ++inner) {
        const SyntaxNode token = inner->field("operator");
        const std::string op = source(token);
        const Expression right = read(inner->field("right"));
        const std::vector<Argument> arguments{left.argument(), right.argument()};
        Expression result;
        if (!user_operator(*inner, token, {inner->field("left"), inner->field("right")}, arguments,
                           result)) {
            TypeTable& types = semantics_.types();
            if (is_comparison(op))
                result.type =
                    truth_in_shape_of(types, joined_type(types, arguments[0], arguments[1]));
            else if (op == "&&" || op == "||")
                result.type = truth_of_both(types, left.type, right.type);
            else if (op == "<<" || op == ">>")
                result.type = left.type && left.type->is(Kind::scalar) && right.type &&
                                      right.type->is(Kind::scalar) &&
                                      left.type != types.scalar("bool")
                                  ? left.type
                                  : nullptr;
            else
                result.type = joined_type(types, arguments[0], arguments[1]);
        }
        left = result;
        if (inner + 1 != chain.rend())
            add_type(*inner, left.type);
    }
    return left;
}

Expression BodyResolver::unary(SyntaxNode node, Use use) {
    const std::string op = source(node.field("operator"));
    const SyntaxNode operand = node.field("argument");
    const Expression value = read(operand, op == "*" || op == "&" ? use : Use::read);
    Expression result;
    if (user_operator(node, node.field("operator"), {operand}, {value.argument()}, result))
        return result;
    if (op == "!") {
        // Of integers it is of their own type, of other numbers bool.
        return {is_real(value.type) ? truth_in_shape_of(semantics_.types(), value.type)
                                    : value.type};
    }
    if (op == "&")
        return {value.type ? semantics_.types().builtin("Ptr", {value.type}) : nullptr};
    if (op == "*")
        return {semantics_.dereference(value.type)};
    if (op == "-" || op == "+" || op == "~")
        return {value.type && element_of(value.type) != semantics_.types().scalar("bool")
                    ? value.type
                    : nullptr,
                false, value.literal_bits};
    return {};
}

Expression BodyResolver::update(SyntaxNode node, Use) {
    const SyntaxNode operand = node.field("argument");
    const Expression value = read(operand, Use::read_write);
    Expression result;
    if (user_operator(node, node.field("operator"), {operand}, {value.argument()}, result))
        return result;
    return {value.type};
}

bool BodyResolver::user_operator(SyntaxNode node, SyntaxNode token,
                                 const std::vector<SyntaxNode>& operands,
                                 const std::vector<Argument>& arguments, Expression& result) {
    const std::string name = "operator" + source(token);
    const std::vector<Found> found = semantics_.find(name, scope());
    if (found.empty())
        return false;
    // Numbers have the language's own operators; other types only through its interfaces.
    std::optional<ConversionCost> core;
    if (std::all_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
            return semantics_.may_have_core_operators(argument.type);
        }))
        core.emplace();
    const TypeRef joined = arguments.size() == 1
                               ? arguments[0].type
                               : joined_type(semantics_.types(), arguments[0], arguments[1]);
    if (is_numeric(joined)) {
        core = ConversionCost::exactly(0);
        for (const Argument& argument : arguments)
            *core += conversion_cost(semantics_, argument, joined);
    }
    const OverloadChoice choice = choose_overload(semantics_, found, arguments, {}, core);
    if (choice.possible.empty() || choice.is_core)
        return false;
    Call call = implicit_call(CallForm::operation, token.range().begin, node, operands, name);
    settle(call, choice, found);
    if (record_ && function_ != none)
        record_->add_call(std::move(call));
    result.type = result_type(semantics_, choice);
    return true;
}

Expression BodyResolver::cast(SyntaxNode node, Use) {
    read(node.field("value"));
    return {semantics_.read_type(node.field("type"), scope())};
}

Expression BodyResolver::type_cast(SyntaxNode node, Use) {
    read(node.field("value"));
    const TypeRef type = semantics_.read_type(node.field("type"), scope());
    return {type ? semantics_.types().builtin("Optional", {type}) : nullptr};
}

Expression BodyResolver::type_test(SyntaxNode node, Use) {
    read(node.field("value"));
    return {semantics_.types().scalar("bool")};
}

Expression BodyResolver::lambda(SyntaxNode node, Use) {
    const std::size_t outer = locals_.mark();
    add_parameters(node.field("parameters"));
    visit(node.field("body"));
    locals_.leave(outer);
    return {};
}

} // namespace slimgrad
