// Statements.

module.exports = {
  _statement: ($) =>
    choice(
      $.block,
      $.variable_declaration,
      $.struct_declaration,
      $.enum_declaration,
      $.type_alias_declaration,
      $.using_declaration,
      $.namespace_declaration,
      $.expression_statement,
      $.if_statement,
      $.switch_statement,
      $.target_switch_statement,
      $.for_statement,
      $.compile_time_for_statement,
      $.while_statement,
      $.do_statement,
      $.do_catch_statement,
      $.break_statement,
      $.continue_statement,
      $.return_statement,
      $.discard_statement,
      $.defer_statement,
      $.throw_statement,
      $.intrinsic_asm_statement,
      $.labeled_statement,
      $.gpu_foreach_statement,
      $.macro_statement,
      $.empty_statement,
    ),

  block: ($) => seq('{', repeat($._statement), '}'),
  empty_statement: (_) => ';',
  expression_statement: ($) => seq(choice($._expression, $.comma_expression), ';'),

  if_statement: ($) =>
    prec.right(
      seq(
        optional($._prefix),
        'if',
        $._condition,
        field('consequence', $._statement),
        optional(seq('else', field('alternative', $._statement))),
      ),
    ),
  // `if (let y = x as Foo)`
  condition_declaration: ($) =>
    seq(choice('let', 'var'), field('name', $.identifier), '=', field('value', $._expression)),

  _condition: ($) =>
    seq('(', field('condition', choice($._expression, $.comma_expression, $.condition_declaration)), ')'),

  switch_statement: ($) => seq(optional($._prefix), $._switch),
  _switch: ($) => seq('switch', $._condition, field('body', $.case_list)),
  target_switch_statement: ($) => seq(choice('__target_switch', '__stage_switch'), field('body', $.case_list)),
  // Statements before the first case are never run; slangc only warns.
  case_list: ($) => seq('{', repeat($._statement), repeat($.case_clause), '}'),
  case_clause: ($) =>
    prec.right(seq(choice(seq('case', field('value', $._expression)), 'default'), ':', repeat($._statement))),

  for_statement: ($) => seq(optional($._prefix), $._for),
  _for: ($) =>
    seq(
      'for',
      '(',
      field('initializer', choice($.variable_declaration, $.expression_statement, $.empty_statement)),
      $._for_control,
      field('body', $._statement),
    ),
  _for_control: ($) =>
    seq(
      optional(field('condition', choice($._expression, $.comma_expression))),
      ';',
      optional(field('update', choice($._expression, $.comma_expression))),
      ')',
    ),

  // `$for (i in Range(0, 4))`
  compile_time_for_statement: ($) => seq(optional($._prefix), $._compile_time_for),
  _compile_time_for: ($) =>
    seq(
      '$for',
      '(',
      field('name', $.identifier),
      'in',
      field('range', $._expression),
      ')',
      field('body', $._statement),
    ),

  while_statement: ($) => seq(optional($._prefix), $._while),
  _while: ($) => seq('while', $._condition, field('body', $._statement)),

  do_statement: ($) => seq(optional($._prefix), $._do),
  _do: ($) => seq('do', field('body', $._statement), 'while', $._condition, ';'),

  do_catch_statement: ($) => prec.right(seq('do', field('body', $.block), repeat1($.catch_clause))),
  catch_clause: ($) =>
    
    seq(
      'catch',
      choice(
        seq(field('parameters', $.parameter_list), field('body', $._statement)),
        field('body', $.block),
      ),
    ),

  break_statement: ($) => seq('break', optional(field('label', $.identifier)), ';'),
  continue_statement: ($) => seq('continue', optional(field('label', $.identifier)), ';'),
  return_statement: ($) => seq('return', optional(field('value', choice($._value, $.comma_expression))), ';'),
  discard_statement: (_) => seq('discard', ';'),
  defer_statement: ($) => seq('defer', field('body', $._statement)),
  // slangc does not ask for the `;`.
  throw_statement: ($) =>
    seq('throw', choice(seq(field('value', $._expression), ';'), seq(field('value', $._name), $._line_end))),
  intrinsic_asm_statement: ($) =>
    seq('__intrinsic_asm', field('text', choice($.string_literal, $.raw_string_literal)), repeat(seq(',', $._expression)), ';'),
  labeled_statement: ($) => seq(field('label', $.identifier), ':', field('body', $._statement)),

  // `EACH(i, n) { .. }`, and `CHECK(x)` that ends with its line; anything where a program that knows the macros says
  // that a statement begins with one (see _statement_head)
  macro_statement: ($) =>
    choice(
      seq(
        optional($._prefix),
        field('macro', alias($._simple_call, $.call_expression)),
        choice(field('body', $.block), $._line_end, seq($._macro_body, field('body', $.expression_statement))),
      ),
      seq(field('macro', $.identifier), $._lone),
      prec.right(
        seq(
          optional($._prefix),
          field('macro', alias($._statement_head, $.identifier)),
          field('body', $._statement),
          optional(seq('else', field('alternative', $._statement))),
        ),
      ),
    ),
  // The grammar cannot tell a macro that stands for `for (..)` from a type: `EACH(i, n) s = x;` may declare s. Who knows
  // the macros replaces each byte of such a use by U+0001 before the text is parsed.
  _statement_head: (_) => /\x01+/,

  // `__GPU_FOREACH(renderer, gridDims, LAMBDA(uint3 id) { .. });`
  gpu_foreach_statement: ($) =>
    seq(
      '__GPU_FOREACH',
      '(',
      field('device', $._expression),
      ',',
      field('dimensions', $._expression),
      ',',
      'LAMBDA',
      field('parameters', $.parameter_list),
      field('body', $.block),
      ')',
      ';',
    ),
};
