// Attributes and modifiers: what may stand before a declaration or a statement.

const { PREC, comma_list_trailing } = require('./common');

// Words that are modifiers wherever a prefix may stand. All others (`precise`, `linear`, `triangle`, macros) are
// recognised by standing before a type.
const MODIFIERS = [
  'in', 'out', 'inout', '__ref', '__constref', 'static', 'const', 'constexpr', 'inline', 'public', 'private',
  'internal', 'extern', 'export', 'override', 'uniform', 'groupshared', 'volatile', 'dyn', 'some',
];

// These and those with arguments are one token each: a keyword widens every state of the parser.
const RARE_MODIFIERS = ['__exported', '__extern_cpp', '__prefix', '__postfix'];

// Modifiers that take arguments and stand on a line of their own like a macro would.
const MODIFIERS_WITH_ARGUMENTS = [
  '__target_intrinsic', '__specialized_for_target', '__glsl_extension', '__glsl_version', '__spirv_version',
  '__wgsl_extension', '__cuda_sm_version', '__intrinsic_op', '__magic_type', '__magic_enum', '__builtin_type',
  '__implicit_conversion', '__attributeTarget',
];

module.exports = {
  _prefix: ($) =>
    repeat1(
      choice(field('attributes', $.attribute_list), field('modifier', choice($.modifier, $.generic_modifier))),
    ),

  // `[A]`, `[A, B(1)]`, `[[vk::binding(0)]]`. slangc does not ask for commas; between attributes with arguments
  // they may be missing. To allow it everywhere would let `[A float f() {` read on without an end.
  attribute_list: ($) => choice(seq('[', $._attributes, ']'), seq('[', '[', $._attributes, ']', ']')),
  _attributes: ($) =>
    choice(
      comma_list_trailing($.attribute),
      seq(
        alias($._attribute_with_arguments, $.attribute),
        repeat1(alias($._attribute_with_arguments, $.attribute)),
      ),
    ),
  _attribute_with_arguments: ($) => seq($._attribute_name, field('arguments', $.argument_list)),

  attribute: ($) =>
    seq($._attribute_name, optional(field('arguments', $.argument_list))),
  _attribute_name: ($) => field('name', choice($.identifier, alias($._attribute_path, $.scope_expression))),
  _attribute_path: ($) =>
    seq(
      field('scope', choice($.identifier, alias($._attribute_path, $.scope_expression))),
      choice('::', '.'),
      field('member', $.identifier),
    ),

  modifier: ($) =>
    choice(
      ...MODIFIERS,
      token(choice(...RARE_MODIFIERS)),
      prec(PREC.unary, 'no_diff'),
      prec.right(seq(token(choice(...MODIFIERS_WITH_ARGUMENTS)), optional($.argument_list))),
      prec.dynamic(-1, $.identifier),
      prec.dynamic(-3, alias($._simple_call, $.call_expression)),
    ),

  // `__generic<T : I>` before a declaration
  generic_modifier: ($) => seq('__generic', field('generics', $.generic_parameters)),
};
