// Literals, identifiers, comments. What the scanner reads stands in src/scanner.c.

// An unfinished string ends with its line: slangc reads on there, too.
const STRING = /"([^"\\\n]|\\.|\\\r?\n)*"?/;

module.exports = {
  _literal: ($) =>
    choice(
      $.integer_literal,
      $.float_literal,
      $.swizzled_literal,
      $.string_literal,
      $.raw_string_literal,
      $.char_literal,
      $.boolean_literal,
    ),

  // A `\` at the end of a line may stand in the middle of a name or a number.
  identifier: (_) => /[A-Za-z_\u00A1-\uD7FF]((\\\r?\n)*[A-Za-z0-9_\u00A1-\uD7FF])*/,
  // The suffix is slangc's to judge: what it refuses is no error of syntax.
  integer_literal: (_) => /[0-9]((\\\r?\n)*[0-9A-Za-z_])*/,
  float_literal: (_) =>
    token(
      prec(
        1,
        choice(
          /([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]*)?[A-Za-z]*/,
          /[0-9]+([eE][+-]?[0-9]*[A-Za-z]*|[fFhH])/,
          /0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][+-]?[0-9]*[A-Za-z]*/,
          /(0[xX])?[0-9a-fA-F]+(\.[0-9a-fA-F]*)?#INF[A-Za-z]*/,
        ),
      ),
    ),
  // `0.xxx`: a vector of one number
  swizzled_literal: (_) => token(prec(2, /[0-9]+\.([xX]+|[rR]+)/)),
  // Strings that follow each other are one.
  string_literal: ($) =>
    choice(
      seq(STRING, repeat(choice(STRING, $.raw_string_literal))),
      seq($.raw_string_literal, repeat1(choice(STRING, $.raw_string_literal))),
    ),
  char_literal: (_) => /'([^'\\\n]|\\.)*'/,
  boolean_literal: (_) => choice('true', 'false'),

// A block comment without an end goes on to the end of the text: slangc says so, and a text of nothing but `/* `
  // would take quadratic time otherwise.
  comment: (_) =>
    token(choice(seq('//', /(\\\r?\n|[^\\\n]|\\[^\r\n])*/), seq('/*', /[^*]*(\*+[^/*][^*]*)*(\*+\/?)?/))),
};
