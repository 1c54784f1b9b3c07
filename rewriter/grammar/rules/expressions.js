// Expressions.

const { PREC, comma_list, comma_list_trailing, comma_list_of_two } = require('./common');

module.exports = {
  // What may stand after `=`, `return` and in an argument list.
  _value: ($) => choice($._expression, $.initializer_list, $._primitive_name),

  // Only where nothing but a value can stand: elsewhere it would be what a broken signature is read as.
  _empty_tuple: (_) => seq('(', ')'),

  // A variable may be called `half`.
  _primitive_name: ($) => prec(-1, alias($.primitive_type, $.identifier)),

  _expression: ($) =>
    choice(
      $._plain_name,
      $._compound_name,
      $._literal,
      $.assignment_expression,
      $.conditional_expression,
      $.binary_expression,
      $.type_test_expression,
      $.type_cast_expression,
      $.unary_expression,
      $.update_expression,
      $.cast_expression,
      $.no_diff_expression,
      $.derivative_expression,
      $.try_expression,
      $.new_expression,
      $.pack_expression,
      alias($._simple_call, $.call_expression),
      $.call_expression,
      $.member_expression,
      alias($._generic_member, $.generic_expression),
      $.subscript_expression,
      $.parenthesized_expression,
      $.lambda_expression,
      $.spirv_asm_expression,
    ),

  comma_expression: ($) => comma_list_of_two($._expression),

  assignment_expression: ($) =>
    prec.right(
      PREC.assign,
      seq(
        field('left', $._expression),
        field('operator', choice('=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=')),
        field('right', $._value),
      ),
    ),

  conditional_expression: ($) =>
    prec.right(
      PREC.ternary,
      seq(
        field('condition', $._expression),
        '?',
        field('consequence', $._expression),
        ':',
        field('alternative', $._expression),
      ),
    ),

  binary_expression: ($) =>
    choice(
      ...[
        ['||', PREC.logical_or],
        ['&&', PREC.logical_and],
        ['|', PREC.bit_or],
        ['^', PREC.bit_xor],
        ['&', PREC.bit_and],
        [choice('==', '!='), PREC.equality],
        [choice(alias($._less_than, '<'), '>', '<=', '>='), PREC.relational],
        [choice('<<', '>>'), PREC.shift],
        [choice('+', '-'), PREC.additive],
        [choice('*', '/', '%'), PREC.multiplicative],
      ].map(([operator, precedence]) =>
        prec.left(
          precedence,
          seq(
            field('left', choice($._expression, $._primitive_name)),
            field('operator', operator),
            field('right', choice($._expression, $._primitive_name)),
          ),
        ),
      ),
    ),

  type_test_expression: ($) =>
    prec.left(PREC.relational, seq(field('value', $._expression), 'is', field('type', $._tested_type))),
  type_cast_expression: ($) =>
    prec.left(PREC.relational, seq(field('value', $._expression), 'as', field('type', $._tested_type))),

  _tested_type: ($) => choice($._name, $.primitive_type, alias($._primitive_pointer, $.pointer_type)),
  _primitive_pointer: ($) => prec(PREC.postfix, seq(field('pointee', $.primitive_type), '*')),

  unary_expression: ($) =>
    prec.right(
      PREC.unary,
      seq(field('operator', choice('-', '+', '!', '~', '*', '&')), field('argument', $._expression)),
    ),
  update_expression: ($) =>
    choice(
      prec.right(PREC.unary, seq(field('operator', choice('++', '--')), field('argument', $._expression))),
      prec.left(PREC.postfix, seq(field('argument', $._expression), field('operator', choice('++', '--')))),
    ),

  cast_expression: ($) =>
    prec.dynamic(-1, prec.right(PREC.unary, seq('(', field('type', $._type), ')', field('value', $._value)))),

  no_diff_expression: ($) => prec.right(PREC.unary, seq('no_diff', field('value', $._expression))),
  new_expression: ($) =>
    prec.right(PREC.unary, seq('new', field('value', $._expression))),
  try_expression: ($) => prec.right(PREC.unary, seq('try', field('value', $._expression))),
  pack_expression: ($) => prec.right(PREC.unary, seq(choice('each', 'expand'), field('value', $._expression))),

  // `bwd_diff(f)`: the derivative as a function; the call of it is a call_expression around this node
  derivative_expression: ($) =>
    prec(
      PREC.postfix,
      seq(
        field('operator', choice('bwd_diff', 'fwd_diff', '__bwd_diff', '__fwd_diff', '__apply')),
        '(',
        field('function', $._expression),
        ')',
      ),
    ),

  call_expression: ($) =>
    prec.left(
      PREC.postfix,
      seq(field('function', choice($._expression, $.primitive_type, alias($._primitive_array, $.array_type))), field('arguments', $.argument_list)),
    ),
  // `f(x)`: apart from the general case, because it may turn out to be a macro in place of a modifier or a type
  _simple_call: ($) =>
    prec(PREC.postfix + 1, seq(field('function', $.identifier), field('arguments', $.argument_list))),
  // An argument of a macro may be empty, or a semantic.
  argument_list: ($) => seq('(', optional($._argument), repeat(seq(',', optional($._argument))), ')'),
  _argument: ($) => choice($._value, $.primitive_type, alias($._primitive_array, $.array_type), $.semantic),

  member_expression: ($) =>
    prec.left(
      PREC.postfix,
      seq(field('object', $._expression), field('operator', choice('.', '->')), field('member', $.identifier)),
    ),

  subscript_expression: ($) =>
    prec.left(
      PREC.postfix,
      seq(
        choice(
          seq(field('base', $._expression), '['),
          // Known by its first bracket: nearly all that start a statement. The others are tried as a type, too.
          seq(field('base', $._plain_name), alias($._element_open, '[')),
        ),
        optional(comma_list(field('index', $._value))),
        ']',
      ),
    ),

  parenthesized_expression: ($) => seq('(', choice($._expression, $.comma_expression), ')'),
  initializer_list: ($) => seq('{', optional(comma_list_trailing($._value)), '}'),

  lambda_expression: ($) =>
    prec.right(
      PREC.assign,
      seq(
        field('parameters', alias($._lambda_parameters, $.parameter_list)),
        '=>',
        field('body', choice($._expression, $.block)),
      ),
    ),
  _lambda_parameters: ($) => seq('(', optional(comma_list(alias($._lambda_parameter, $.parameter))), ')'),
  _lambda_parameter: ($) =>
    choice(
      seq(field('type', $._type), field('name', $.identifier)),
      seq(field('name', $.identifier), ':', field('type', $._type)),
    ),

  // `spirv_asm { %id = OpLoad $$float &p; result = OpFAdd $a $(b + 1) }`. What names something outside of it is an
  // operand; the rest is SPIR-V's own.
  spirv_asm_expression: ($) => seq('spirv_asm', '{', optional($.spirv_asm_body), '}'),
  spirv_asm_body: ($) => repeat1(choice(token(prec(-1, /[^{}\/#$&]+/)), '/', $.spirv_operand)),
  spirv_operand: ($) =>
    choice(
      seq(
        '$',
        field(
          'value',
          choice(
            $.identifier,
            $._literal,
            $.parenthesized_expression,
            alias($.generic_unary_expression, $.unary_expression),
          ),
        ),
      ),
      seq('$$', field('type', $._type)),
      seq('&', field('value', $.identifier)),
    ),
};
