// Types and names.

const { PREC, comma_list, comma_list_trailing } = require('./common');

// Slang has hardly a reserved word: these modifiers are names, too, where a modifier makes no sense.
const NAMES_TOO = [
  'in', 'out', 'inout', 'internal', 'public', 'private', 'export', 'extern', 'uniform', 'some', 'dyn',
];

module.exports = {
  _type: ($) =>
    choice(
      $._plain_name,
      $._compound_name,
      $.primitive_type,
      $.array_type,
      alias($._primitive_array, $.array_type),
      $.pointer_type,
      $.conjunction_type,
      $.function_type,
      $.pack_type,
    ),

  // The type of a variable, parameter or result may be a macro's business.
  _declared_type: ($) => choice($._type, $.macro_type),
  // The type of an alias: `__packBranch(A, B)`, `unorm float4`.
  _written_type: ($) => choice($._type, $.macro_type, $.modified_type),

  _name: ($) => prec(1, choice($._plain_name, $._compound_name)),
  _plain_name: ($) => choice($.identifier, prec.dynamic(-5, alias(choice(...NAMES_TOO), $.identifier))),
  _compound_name: ($) =>
    choice($.generic_expression, alias($.qualified_name, $.member_expression), $.scope_expression),

  _declared_name: ($) =>
    choice(
      $.identifier,
      prec.dynamic(-5, alias(choice(...NAMES_TOO), $.identifier)),
    ),

  // `float.Differential`, and `a.b` in an expression
  qualified_name: ($) =>
    prec.left(
      PREC.postfix,
      seq(field('object', choice($._name, $.primitive_type, alias($._simple_call, $.call_expression))), field('operator', '.'), field('member', $.identifier)),
    ),
  scope_expression: ($) =>
    prec.left(
      PREC.postfix,
      seq(
        optional(field('scope', choice($._name, $.primitive_type, alias($._simple_call, $.call_expression)))),
        '::',
        field('member', $.identifier),
      ),
    ),

  generic_expression: ($) =>
    prec.left(
      PREC.postfix,
      seq(field('name', $._name), field('arguments', $.generic_arguments)),
    ),
  // `f(x).m<T>`
  _generic_member: ($) =>
    prec.left(PREC.postfix, seq(field('name', $.member_expression), field('arguments', $.generic_arguments))),
  generic_arguments: ($) =>
    seq(alias($._generic_open, '<'), optional(comma_list_trailing($._generic_argument)), '>'),
  _generic_argument: ($) =>
    choice(
      $._type,
      $.modified_type,
      alias($._generic_pointer, $.pointer_type),
      $._generic_value,
      alias($._generic_pack, $.pack_expression),
      alias($.generic_conditional_expression, $.conditional_expression),
    ),
  // `T*` apart from a product: what follows the `*` tells them apart.
  _generic_pointer: ($) =>
    prec.left(
      PREC.postfix,
      seq(field('pointee', choice($._name, alias($._generic_pointer, $.pointer_type))), '*'),
    ),
  // `Pair<row_major float3x3>`, `Pair<no_diff T>`
  modified_type: ($) =>
    choice(
      seq(field('modifier', alias($.identifier, $.modifier)), field('type', $.primitive_type)),
      seq(field('modifier', alias(choice('no_diff', 'const'), $.modifier)), field('type', $._type)),
    ),
  // An expression without `>` and `<`, which would read the closing `>`.
  _generic_value: ($) =>
    choice(
      $._literal,
      $.parenthesized_expression,
      alias($._simple_call, $.call_expression),
      alias($._primitive_call, $.call_expression),
      alias($._generic_call, $.call_expression),
      alias($.generic_binary_expression, $.binary_expression),
      alias($.generic_unary_expression, $.unary_expression),
    ),
  generic_binary_expression: ($) =>
    choice(
      ...[
        ['||', PREC.logical_or],
        ['&&', PREC.logical_and],
        ['|', PREC.bit_or],
        ['^', PREC.bit_xor],
        [choice('==', '!='), PREC.equality],
        ['<<', PREC.shift],
        [choice('+', '-'), PREC.additive],
        [choice('*', '/', '%'), PREC.multiplicative],
      ].map(([operator, precedence]) =>
        prec.left(
          precedence,
          seq(
            field('left', choice($._generic_value, $._name)),
            field('operator', operator),
            field('right', choice($._generic_value, $._name)),
          ),
        ),
      ),
    ),
  generic_unary_expression: ($) =>
    prec.right(
      PREC.unary, seq(field('operator', choice('-', '+', '~', '!')), field('argument', choice($._generic_value, $._name)))),

  generic_conditional_expression: ($) =>
    prec.right(
      PREC.ternary,
      seq(
        field('condition', choice($._generic_value, $._name)),
        '?',
        field('consequence', choice($._generic_value, $._name)),
        ':',
        field('alternative', choice($._generic_value, $._name)),
      ),
    ),
  // `int(1)`, and `ns.Kind(3)`, `A::f(3)` among generic arguments
  _primitive_call: ($) =>
    prec(PREC.postfix, seq(field('function', $.primitive_type), field('arguments', $.argument_list))),
  _generic_call: ($) => prec(PREC.postfix, seq(field('function', $._name), field('arguments', $.argument_list))),
  // `expand (each N) + 1`, `each __trimFirst(T)`
  _generic_pack: ($) =>
    prec.right(
      PREC.unary,
      seq(
        choice('each', 'expand'),
        field('value', choice($._generic_value, alias($._generic_pack, $.pack_expression))),
      ),
    ),

  // `struct { float a; } x;`
  struct_type: ($) => seq('struct', field('body', $.declaration_list)),

  primitive_type: (_) =>
    /void|(bool|int|uint|half|float|double|min16float|min16int|min16uint|u?int(8|16|32|64)_t|float(16|32|64)_t|u?intptr_t|u?size_t)([1-4](x[1-4])?)?/,

  array_type: ($) => prec.left(PREC.postfix, seq(field('element', $._type), '[', optional(field('size', $._expression)), ']')),
  // `float[3]` is known for a type by its first word; `x[3]` may be an element.
  _primitive_array: ($) =>
    prec.left(
      PREC.postfix,
      seq(
        field('element', choice($.primitive_type, alias($._primitive_array, $.array_type))),
        '[',
        optional(field('size', $._expression)),
        ']',
      ),
    ),
  pointer_type: ($) => prec.dynamic(1, prec.left(PREC.postfix, seq(field('pointee', $._type), '*'))),
  conjunction_type: ($) => prec.left(PREC.bit_and, seq(field('left', $._type), '&', field('right', $._type))),
  function_type: ($) =>
    prec.right(seq('functype', '(', optional(comma_list(field('parameter', $._type))), ')', '->', field('return_type', $._type))),
  // `expand each T`
  pack_type: ($) => prec.right(PREC.unary, seq(choice('each', 'expand'), field('element', $._type))),
  macro_type: ($) => prec.dynamic(-2, alias($._simple_call, $.call_expression)),
};
