// Literals, identifiers, comments. What the scanner reads stands in src/scanner.c.

module.exports = {
  _literal: ($) =>
    choice(
      $.integer_literal,
      $.float_literal,
      $.string_literal,
      $.raw_string_literal,
      $.char_literal,
      $.boolean_literal,
    ),

  identifier: (_) => /[A-Za-z_\u00A1-\uD7FF][A-Za-z0-9_\u00A1-\uD7FF]*/,
  integer_literal: (_) => /(0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*)[uUlLzZ]*/,
  float_literal: (_) =>
    token(
      choice(
        /([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[fFhHlL]*/,
        /[0-9]+([eE][+-]?[0-9]+[fFhHlL]*|[fFhH])/,
        /0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]+[fFhHlL]*/,
      ),
    ),
  string_literal: (_) => seq(/"([^"\\\n]|\\.)*"/, repeat(/"([^"\\\n]|\\.)*"/)),
  char_literal: (_) => /'([^'\\\n]|\\.)+'/,
  boolean_literal: (_) => choice('true', 'false'),

  comment: (_) => token(choice(seq('//', /(\\\r?\n|[^\\\n]|\\[^\r\n])*/), seq('/*', /[^*]*\*+([^/*][^*]*\*+)*/, '/'))),
};
