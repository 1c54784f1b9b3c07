// tree-sitter grammar for the Slang shading language.
//
// How it is laid out, and why:
// - Types and expressions share one notion of a name (`_name`): Slang parses `T.Differential`, `A::B` and `F<N>` alike in
//   both places. Which of the two a statement starts with is decided by what follows the name.
// - `<` is decided by the scanner (src/scanner.c), as slangc's own parser does: generic arguments or less-than.
// - Preprocessor lines are extras and may stand anywhere. Of the branches of a conditional the first is parsed and the
//   others are one `preproc_inactive` each, so that alternatives that cut a declaration in two never unbalance the
//   tree; `#if 0` and `#ifdef __cplusplus` leave their own branch out. A caller who knows the macros blanks out what
//   is not taken before it parses.
// - There are no supertypes: the step that each of their nodes takes makes the parser 15 % slower.
// - Macros are not expanded. A macro used like a modifier (`READ float f()`), a statement (`EACH(i, n) { .. }`), a type
//   (`in_ref(Ray) r`) or a declaration (`DECLARE(x)` on a line of its own) has a place in the tree.
// - Everything may carry a prefix of attributes and modifiers in any order; the prefix belongs to the node it stands
//   before, loops included.

module.exports = grammar({
  name: 'slang',

  word: ($) => $.identifier,

  externals: ($) => [
    $._generic_open, // `<` that opens generic arguments
    $._less_than, // `<` that compares
    $._element_open, // `[` after the first name of a statement that is no type's: what follows the `]` is no name
    $._line_end, // nothing: the line ends after a macro used as a declaration or statement
    $._macro_body, // nothing: what follows is the statement that a macro begins
    $._lone, // nothing: a name stands alone, and what follows begins something of its own
    $._same_line, // nothing: a word follows on the line of a `}`
    $.raw_string_literal,
    $.preproc_include,
    $.preproc_define,
    $.preproc_conditional,
    $.preproc_directive,
    $.preproc_inactive,
  ],

  extras: ($) => [
    /[\s\uFEFF]/,
    /\\\r?\n/,
    $.comment,
    $.preproc_include,
    $.preproc_define,
    $.preproc_conditional,
    $.preproc_directive,
    $.preproc_inactive,
  ],

  conflicts: ($) => [
    // `x [`, `x *`, `x &` at the start of a statement, and `(x)`: a type or an expression.
    [$._expression, $._type],
    // `x y`: a modifier, or a type and its variable.
    [$._type, $.modifier],
    [$._expression, $._type, $.modifier],
    [$._expression, $.modifier],
    // `f(x) y`: a macro that stands for a modifier or for a type.
    [$.modifier, $.macro_type],
    // `layout(x) in;`, `layout(x) in float y;`
    [$.modifier, $.macro_type, $.qualifier_declaration],
    // `no_diff float3(x)`, `no_diff float3 x`: an expression, or a modifier of a declaration.
    [$.modifier, $.no_diff_expression],
  ],

  // Rules without a node cost a step of the parser each time; these are the frequent ones.
  inline: ($) => [
    $._value, $._argument, $._plain_name, $._attributes, $._declared_type, $._written_type, $._declared_name,
    $._attribute_name, $._generic_argument, $._variables, $._function_name, $._signature, $._condition,
  ],

  rules: {
    source_file: ($) => repeat($._declaration),
    ...require('./rules/attributes'),
    ...require('./rules/declarations'),
    ...require('./rules/types'),
    ...require('./rules/statements'),
    ...require('./rules/expressions'),
    ...require('./rules/tokens'),
  },
});
