// Modules, types, functions, variables.

const { comma_list, comma_list_trailing } = require('./common');

module.exports = {
  _declaration: ($) =>
    choice(
      $.import_declaration,
      $.module_declaration,
      $.using_declaration,
      $.namespace_declaration,
      $.struct_declaration,
      $.interface_declaration,
      $.enum_declaration,
      $.extension_declaration,
      $.buffer_declaration,
      $.type_alias_declaration,
      $.associated_type_declaration,
      $.constraint_declaration,
      $.function_declaration,
      $.initializer_declaration,
      $.subscript_declaration,
      $.property_declaration,
      $.variable_declaration,
      $.macro_declaration,
      $.empty_declaration,
    ),

  empty_declaration: (_) => ';',

  import_declaration: ($) =>
    seq(
      optional($._prefix),
      choice('import', '__import', '__include'),
      field('module', choice($._name, $.string_literal)),
      ';',
    ),

  module_declaration: ($) =>
    seq(choice('module', 'implementing'), field('module', choice($._name, $.string_literal)), ';'),

  using_declaration: ($) => seq(optional($._prefix), 'using', optional('namespace'), field('name', $._name), ';'),

  namespace_declaration: ($) =>
    seq(optional($._prefix), 'namespace', field('name', $._name), field('body', $.declaration_list)),

  declaration_list: ($) => seq('{', repeat($._declaration), '}'),

  struct_declaration: ($) =>
    seq(
      optional($._prefix),
      choice('struct', 'class'),
      repeat(field('attributes', $.attribute_list)),
      field('name', $.identifier),
      optional(field('generics', $.generic_parameters)),
      optional($.inheritance),
      repeat($.where_clause),
      choice(field('body', $.declaration_list), seq(optional(seq('=', field('value', $._type))), ';')),
    ),

  interface_declaration: ($) =>
    seq(
      optional($._prefix),
      'interface',
      field('name', $.identifier),
      optional(field('generics', $.generic_parameters)),
      optional($.inheritance),
      repeat($.where_clause),
      choice(field('body', $.declaration_list), ';'),
    ),

  extension_declaration: ($) =>
    seq(
      optional($._prefix),
      'extension',
      optional(field('generics', $.generic_parameters)),
      field('type', $._type),
      optional($.inheritance),
      repeat($.where_clause),
      field('body', $.declaration_list),
    ),

  inheritance: ($) => seq(':', comma_list(field('base', $._type))),

  enum_declaration: ($) =>
    seq(
      optional($._prefix),
      'enum',
      optional('class'),
      optional(field('name', $.identifier)),
      optional($.inheritance),
      field('body', $.enumerator_list),
    ),
  enumerator_list: ($) => seq('{', optional(comma_list_trailing($.enumerator)), '}'),
  enumerator: ($) =>
    seq(
      repeat(field('attributes', $.attribute_list)),
      field('name', $.identifier),
      optional(seq('=', field('value', $._expression))),
    ),

  // `cbuffer C : register(b0) { .. }`
  buffer_declaration: ($) =>
    seq(
      optional($._prefix),
      choice('cbuffer', 'tbuffer'),
      field('name', $.identifier),
      repeat($.semantic),
      field('body', $.declaration_list),
    ),

  type_alias_declaration: ($) =>
    choice(
      seq(
        optional($._prefix),
        'typealias',
        field('name', $.identifier),
        optional(field('generics', $.generic_parameters)),
        repeat($.where_clause),
        '=',
        field('type', $._type),
        ';',
      ),
      seq(
        optional($._prefix),
        'typedef',
        field('type', $._type),
        field('name', $.identifier),
        repeat($.array_suffix),
        ';',
      ),
    ),

  associated_type_declaration: ($) =>
    seq(
      optional($._prefix),
      'associatedtype',
      field('name', $.identifier),
      optional($.inheritance),
      repeat($.where_clause),
      optional(seq('=', field('type', $._type))),
      ';',
    ),

  constraint_declaration: ($) => seq('__constraint', $._constraint, ';'),

  where_clause: ($) => seq('where', optional(choice('optional', 'nonempty')), $._constraint),
  _constraint: ($) =>
    seq(
      field('type', $._type),
      optional(choice(seq(':', comma_list(field('bound', $._type))), seq('==', field('equal', $._type)))),
    ),

  generic_parameters: ($) => seq('<', comma_list_trailing(choice($.type_parameter, $.value_parameter)), '>'),
  type_parameter: ($) =>
    seq(
      optional('each'),
      field('name', $.identifier),
      optional(seq(':', field('constraint', $._type))),
      optional(seq('=', field('default', $._type))),
    ),
  // `let N : int = 3`, and the older `int N`
  value_parameter: ($) =>
    seq(
      choice(
        seq('let', field('name', $.identifier), optional(seq(':', field('type', $._type)))),
        seq(field('type', $._type), field('name', $.identifier)),
      ),
      optional(seq('=', field('default', $._generic_argument))),
    ),

  // `T f<G>(T x) : SV_Target where .. { .. }` and `func f<G>(x : T) -> T where .. { .. }`
  function_declaration: ($) =>
    choice(
      seq(
        optional($._prefix),
        field('return_type', $._declared_type),
        field('name', choice($.identifier, $.operator_name)),
        $._signature,
        optional($._throws),
        repeat($.semantic),
        repeat($.where_clause),
        $._function_end,
      ),
      seq(
        optional($._prefix),
        'func',
        field('name', choice($.identifier, $.operator_name)),
        $._signature,
        optional($._throws),
        optional(seq('->', field('return_type', $._type))),
        repeat($.where_clause),
        $._function_end,
      ),
    ),
  _signature: ($) =>
    seq(
      optional(field('generics', $.generic_parameters)),
      field('parameters', $.parameter_list),
      repeat(field('suffix', alias($.identifier, $.modifier))),
    ),
  _throws: ($) => seq('throws', optional(field('throws', $._type))),
  _function_end: ($) => choice(field('body', $.block), seq(optional(seq('=', field('value', $._expression))), ';')),

  operator_name: (_) =>
    seq(
      'operator',
      choice(
        '+', '-', '*', '/', '%', '~', '!', '&', '|', '^', '<<', '>>', '<', '>', '<=', '>=', '==', '!=', '&&', '||',
        '++', '--', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', ',', '?:', '->',
        seq('(', ')'), seq('[', ']'),
      ),
    ),

  parameter_list: ($) => seq('(', optional(comma_list_trailing($.parameter)), ')'),
  parameter: ($) =>
    seq(
      optional($._prefix),
      choice(
        seq(
          field('type', $._declared_type),
          optional(seq(field('name', $.identifier), repeat($.array_suffix), repeat($.semantic))),
        ),
        seq(field('name', $.identifier), ':', field('type', $._type)),
      ),
      optional(seq('=', field('default', $._value))),
    ),

  // `: SV_Target`, `: register(u0, space1)`, `: read(caller)`, and the width of a bit-field
  semantic: ($) =>
    seq(':', choice(seq(field('name', $.identifier), optional(field('arguments', $.argument_list))), $.integer_literal)),

  initializer_declaration: ($) =>
    seq(
      optional($._prefix),
      field('name', '__init'),
      $._signature,
      repeat($.where_clause),
      $._function_end,
    ),

  subscript_declaration: ($) =>
    seq(
      optional($._prefix),
      field('name', '__subscript'),
      $._signature,
      '->',
      field('return_type', $._type),
      repeat($.where_clause),
      choice(field('body', $.accessor_list), ';'),
    ),

  property_declaration: ($) =>
    seq(
      optional($._prefix),
      'property',
      choice(
        seq(field('name', $.identifier), ':', field('type', $._type)),
        seq(field('type', $._type), field('name', $.identifier)),
      ),
      choice(field('body', $.accessor_list), ';'),
    ),

  accessor_list: ($) => seq('{', repeat($.accessor), '}'),
  accessor: ($) =>
    seq(
      optional($._prefix),
      field('kind', choice('get', 'set', 'ref', 'modify', '__ref')),
      optional(field('parameters', $.parameter_list)),
      choice(field('body', $.block), ';'),
    ),

  variable_declaration: ($) => seq($._variables, ';'),
  _variables: ($) =>
    seq(
      optional($._prefix),
      choice(
        seq(field('type', $._declared_type), comma_list(field('declarator', $.variable_declarator))),
        seq(choice('let', 'var'), comma_list(field('declarator', alias($._inferred_declarator, $.variable_declarator)))),
      ),
    ),
  variable_declarator: ($) =>
    seq(
      field('name', $.identifier),
      repeat($.array_suffix),
      repeat($.semantic),
      optional(seq('=', field('value', $._value))),
    ),
  _inferred_declarator: ($) =>
    seq(
      field('name', $.identifier),
      optional(seq(':', field('type', $._type))),
      optional(seq('=', field('value', $._value))),
    ),
  array_suffix: ($) => seq('[', optional(field('size', $._expression)), ']'),

  // `DECLARE(x);`, `DECLARE(x)` that ends with its line, `BUFFER(x) { .. }`
  macro_declaration: ($) =>
    seq(
      field('macro', alias($._simple_call, $.call_expression)),
      choice(';', $._line_end, field('body', $.declaration_list)),
    ),
};
