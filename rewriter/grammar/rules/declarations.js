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
      $.function_extension_declaration,
      $.initializer_declaration,
      $.subscript_declaration,
      $.property_declaration,
      $.variable_declaration,
      $.macro_declaration,
      $.attribute_syntax_declaration,
      $.syntax_declaration,
      $.type_param_declaration,
      $.value_param_declaration,
      $.qualifier_declaration,
      $.scope_declaration,
      $.semantic_declaration,
      $.ignored_declaration,
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
    seq(optional($._prefix), choice('module', 'implementing'), optional(field('module', choice($._name, $.string_literal))), ';'),

  using_declaration: ($) => seq(optional($._prefix), 'using', optional('namespace'), field('name', $._name), ';'),

  namespace_declaration: ($) =>
    seq(optional($._prefix), 'namespace', field('name', $._name), field('body', $.declaration_list)),

  declaration_list: ($) => seq('{', repeat($._declaration), '}'),

  struct_declaration: ($) => choice(seq(optional($._prefix), $._struct), $._typedef_struct),
  // `typedef struct { .. } A;` is `struct A { .. }`; in `typedef struct B { .. } A;` the type has two names.
  _typedef_struct: ($) =>
    seq(
      'typedef',
      'struct',
      optional(field('tag', $.identifier)),
      field('body', $.declaration_list),
      field('name', $.identifier),
      ';',
    ),
  _struct: ($) =>
    seq(
      choice('struct', 'class'),
      repeat(field('attributes', $.attribute_list)),
      choice(
        seq(
          field('name', $.identifier),
          optional(field('generics', $.generic_parameters)),
          optional($._heritage),
          choice(
            seq(field('body', $.declaration_list), optional($._instances)),
            seq(optional(seq('=', field('value', $._type))), ';'),
          ),
        ),
        seq(field('body', $.declaration_list), $._instances),
      ),
    ),
  // `struct A { .. } a;`. A name on the next line begins a declaration of its own.
  _instances: ($) => seq($._same_line, comma_list(field('declarator', $.variable_declarator)), ';'),

  interface_declaration: ($) => seq(optional($._prefix), $._interface),
  _interface: ($) =>
    seq(
      'interface',
      field('name', $.identifier),
      optional(field('generics', $.generic_parameters)),
      optional($._heritage),
      choice(field('body', $.declaration_list), ';'),
    ),

  extension_declaration: ($) => seq(optional($._prefix), $._extension),
  _extension: ($) =>
    seq(
      choice('extension', '__extension'),
      optional(field('generics', $.generic_parameters)),
      field('type', $._type),
      optional($._heritage),
      field('body', $.declaration_list),
    ),

  _heritage: ($) => choice(seq($.inheritance, repeat($.where_clause)), repeat1($.where_clause)),
  inheritance: ($) => seq(':', comma_list(field('base', $._type))),

  enum_declaration: ($) => choice(seq(optional($._prefix), $._enum), $._typedef_enum),
  _typedef_enum: ($) =>
    seq(
      'typedef',
      'enum',
      optional(field('tag', $.identifier)),
      field('body', $.enumerator_list),
      field('name', $.identifier),
      ';',
    ),
  _enum: ($) =>
    seq(
      'enum',
      optional('class'),
      optional(field('name', $.identifier)),
      optional(field('generics', $.generic_parameters)),
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

  // `cbuffer C : register(b0) { .. }`, and GLSL's `layout(binding = 0) buffer B { .. } b;`
  buffer_declaration: ($) => choice(seq(optional($._prefix), $._buffer), seq($._prefix, $._interface_block)),
  _buffer: ($) =>
    seq(
      choice('cbuffer', 'tbuffer'),
      field('name', $.identifier),
      repeat($.semantic),
      field('body', $.declaration_list),
      optional($._instances),
    ),
  _interface_block: ($) =>
    seq(field('name', $.identifier), field('body', $.declaration_list), optional($._instances)),

  type_alias_declaration: ($) => seq(optional($._prefix), choice($._typealias, $._typedef)),
  _typealias: ($) =>
    seq(
      'typealias',
      field('name', $.identifier),
      optional(field('generics', $.generic_parameters)),
      repeat($.where_clause),
      '=',
      field('type', $._written_type),
      ';',
    ),
  _typedef: ($) =>
    seq(
      'typedef',
      field('type', $._written_type),
      field('name', $.identifier),
      repeat($.array_suffix),
      choice(';', $._line_end),
    ),

  associated_type_declaration: ($) => seq(optional($._prefix), $._associated_type),
  _associated_type: ($) =>
    seq(
      'associatedtype',
      field('name', $.identifier),
      optional($._heritage),
      optional(seq('=', field('type', $._type))),
      ';',
    ),

  constraint_declaration: ($) => seq('__constraint', $._constraint, ';'),

  where_clause: ($) => seq('where', optional('optional'), $._constraint),
  _constraint: ($) =>
    seq(
      // `T`, `countof(T)`, `nonempty(T)`, `T(int) implicit`
      field(
        'type',
        choice(
          $._type,
          alias($._simple_call, $.call_expression),
          alias($._primitive_call, $.call_expression),
          alias($._generic_pack, $.pack_expression),
        ),
      ),
      optional(
        choice(
          seq(':', comma_list(field('bound', $._type))),
          seq(choice('==', '!=', '<=', '>='), field('equal', $._generic_argument)),
          'implicit',
        ),
      ),
    ),

  generic_parameters: ($) =>
    seq('<', optional(comma_list_trailing(choice($.type_parameter, $.value_parameter))), '>'),
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
        seq('let', optional('each'), field('name', $.identifier), optional(seq(':', field('type', $._type)))),
        seq(field('type', $._type), field('name', $.identifier)),
      ),
      optional(seq('=', field('default', $._generic_argument))),
    ),

  // `T f<G>(T x) : SV_Target where .. { .. }` and `func f<G>(x : T) -> T where .. { .. }`
  function_declaration: ($) => seq(optional($._prefix), choice($._function, $._modern_function)),
  _function: ($) =>
    seq(field('return_type', $._declared_type), $._function_name, $._signature, $._function_tail),
  _modern_function: ($) =>
    seq(
      'func',
      $._function_name,
      $._signature,
      repeat($._after_signature),
      optional($._result),
      repeat($.where_clause),
      $._function_end,
    ),
  _function_name: ($) => field('name', choice($._declared_name, alias('func', $.identifier), $.operator_name)),
  _signature: ($) => seq(optional(field('generics', $.generic_parameters)), field('parameters', $.parameter_list)),
  // Macros (`int f() CONST_FUNCTION { .. }`), `throws E`, `: SV_Target`
  _after_signature: ($) =>
    choice(
      field('suffix', alias($.identifier, $.modifier)),
      prec.right(seq('throws', optional(field('throws', $._type)))),
      $.semantic,
    ),
  _function_tail: ($) => seq(repeat($._after_signature), repeat($.where_clause), $._function_end),
  _result: ($) => seq('->', field('return_type', choice($._type, $.struct_type))),
  _function_end: ($) => choice(field('body', $.block), seq(optional(seq('=', field('value', $._expression))), ';')),

  // `__func_extension fwd_diff(f)(DifferentialPair<float> x) -> DifferentialPair<float> { .. }`
  function_extension_declaration: ($) => seq(optional($._prefix), $._function_extension),
  _function_extension: ($) =>
    seq(
      '__func_extension',
      optional(field('generics', $.generic_parameters)),
      // What is no derivative is slangc's to refuse.
      field('function', choice($.derivative_expression, alias($._simple_call, $.call_expression))),
      field('parameters', $.parameter_list),
      optional($._result),
      repeat($.where_clause),
      $._function_end,
    ),

  operator_name: (_) =>
    seq(
      'operator',
      choice(
        '+', '-', '*', '/', '%', '~', '!', '&', '|', '^', '<<', '>>', '<', '>', '<=', '>=', '==', '!=', '&&', '||',
        '++', '--', '=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', ',', '?:', '->',
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
          optional(
            seq(field('name', $._declared_name), repeat($.array_suffix), optional($._macro_suffix), repeat($.semantic)),
          ),
        ),
        // `TYPE(float)[3] x`
        seq(field('type', $.macro_type), repeat1($.array_suffix), field('name', $._declared_name)),
        seq(
          field('name', choice($._declared_name, alias('struct', $.identifier))),
          ':',
          field('type', $._type),
          repeat($.semantic),
        ),
      ),
      optional(seq('=', field('default', $._value))),
    ),

  // `: SV_Target`, `: register(u0, space1)`, `: read(caller)`, and the width of a bit-field
  semantic: ($) =>
    seq(
      ':',
      choice(
        seq(
          field('name', $.identifier),
          optional(field('arguments', $.argument_list)),
          optional(field('annotations', $.annotation_list)),
        ),
        field('width', $.integer_literal),
      ),
    ),
  // `: SV_Position <string UIName = "x"; int step = 2;>`, which slangc skips
  annotation_list: ($) => seq('<', repeat(alias($._annotation, $.variable_declaration)), '>'),
  _annotation: ($) => seq($._variables, ';'),

  initializer_declaration: ($) => seq(optional($._prefix), $._initializer),
  _initializer: ($) => seq(field('name', '__init'), $._signature, $._function_tail),

  subscript_declaration: ($) => seq(optional($._prefix), $._subscript),
  _subscript: ($) =>
    seq(
      field('name', '__subscript'),
      $._signature,
      optional(
        seq('->', optional(field('modifier', alias('no_diff', $.modifier))), field('return_type', $._type)),
      ),
      repeat($.where_clause),
      choice(field('body', $.accessor_list), ';'),
    ),

  property_declaration: ($) => seq(optional($._prefix), $._property),
  _property: ($) =>
    seq(
      'property',
      optional(field('modifier', alias('no_diff', $.modifier))),
      choice(
        seq(field('name', $.identifier), ':', field('type', $._type)),
        seq(field('type', $._type), field('name', $.identifier), repeat($.array_suffix)),
      ),
      choice(field('body', $.accessor_list), ';'),
    ),

  accessor_list: ($) => seq('{', repeat($.accessor), '}'),
  accessor: ($) => seq(optional($._prefix), $._accessor),
  _accessor: ($) =>
    seq(
      field('kind', choice('get', 'set', 'ref', 'modify', '__ref')),
      optional(field('parameters', alias($._accessor_parameters, $.parameter_list))),
      choice(field('body', $.block), ';'),
    ),
  // `set(newValue)`, `set(float newValue)`
  _accessor_parameters: ($) =>
    seq('(', optional(comma_list_trailing(choice($.parameter, alias($._bare_parameter, $.parameter)))), ')'),
  _bare_parameter: ($) => prec(1, field('name', $.identifier)),

  variable_declaration: ($) => seq(optional($._prefix), choice($._variables, $._inferred_variables), ';'),
  _variables: ($) =>
    seq(
      field('type', $._declared_type),
      field('declarator', $.variable_declarator),
      // `float *p, x, *q;`: the `*` of the type is the first variable's alone.
      repeat(seq(',', repeat(field('pointer', '*')), field('declarator', $.variable_declarator))),
    ),
  _inferred_variables: ($) =>
    seq(choice('let', 'var'), comma_list(field('declarator', alias($._inferred_declarator, $.variable_declarator)))),
  variable_declarator: ($) =>
    seq(
      field('name', choice($._declared_name, alias('var', $.identifier))),
      repeat($.array_suffix),
      optional($._macro_suffix),
      repeat($.semantic),
      optional(seq('=', field('value', $._value))),
    ),
  // `float x DEFAULT(1.0);`
  _macro_suffix: ($) => prec.dynamic(-4, field('suffix', alias($._simple_call, $.call_expression))),
  _inferred_declarator: ($) =>
    seq(
      field('name', $.identifier),
      optional(seq(':', field('type', $._type))),
      optional(seq('=', field('value', choice($._value, alias($._empty_tuple, $.parenthesized_expression))))),
    ),
  array_suffix: ($) => seq('[', optional(field('size', $._expression)), ']'),

  // `attribute_syntax [Name(int count = 1)] : NameAttribute;`
  attribute_syntax_declaration: ($) =>
    seq(
      optional($._prefix),
      'attribute_syntax',
      '[',
      field('name', $.identifier),
      optional(field('parameters', $.parameter_list)),
      ']',
      optional(seq(':', field('type', $._type))),
      ';',
    ),

  // `syntax name : Class = keyword;`, of the compiler's own modules
  syntax_declaration: ($) =>
    seq(
      optional($._prefix),
      'syntax',
      field('name', $._declared_name),
      optional(seq(':', field('type', $._type))),
      optional(seq('=', field('value', $._name))),
      ';',
    ),

  // `type_param T : IFoo & IBar;`
  type_param_declaration: ($) =>
    seq(
      optional($._prefix),
      'type_param',
      field('name', $.identifier),
      optional(seq(':', comma_list(field('constraint', $._type)))),
      ';',
    ),
  // `__generic_value_param N : int = 3;`
  value_param_declaration: ($) =>
    seq(
      optional($._prefix),
      '__generic_value_param',
      field('name', $.identifier),
      optional(seq(':', field('type', $._type))),
      optional(seq('=', field('default', $._value))),
      ';',
    ),

  // `semantic Name { get : int; set; }`
  semantic_declaration: ($) =>
    seq(
      optional($._prefix),
      'semantic',
      field('name', $.identifier),
      '{',
      repeat(alias($._semantic_accessor, $.accessor)),
      '}',
    ),
  _semantic_accessor: ($) =>
    seq(field('kind', choice('get', 'set')), optional(seq(':', field('type', $._type))), ';'),

  // GLSL's `layout(local_size_x = 8) in;` and `precision highp float;`
  qualifier_declaration: ($) =>
    choice(
      seq(
        field('modifier', alias($._simple_call, $.call_expression)),
        field('modifier', alias(choice('in', 'out', 'uniform'), $.modifier)),
        ';',
      ),
      seq('precision', field('modifier', alias($.identifier, $.modifier)), field('type', choice($.primitive_type, $.identifier)), ';'),
    ),

  scope_declaration: ($) => seq(choice('__transparent_block', '__file_decl'), field('body', $.declaration_list)),
  ignored_declaration: ($) => seq('__ignored_block', '{', repeat($._ignored), '}'),
  _ignored: ($) => choice(token(prec(-1, /[^{}]+/)), seq('{', repeat($._ignored), '}')),

  // `DECLARE(x);`, `DECLARE(x)` that ends with its line, `BUFFER(x) { .. }`, `END_NAMESPACE` that stands alone,
  // C++'s `Name() = default;`
  macro_declaration: ($) =>
    choice(
      seq(
        field('macro', alias($._simple_call, $.call_expression)),
        choice(';', $._line_end, field('body', $.declaration_list), seq('=', 'default', ';')),
      ),
      seq(field('macro', $.identifier), $._lone),
    ),
};
