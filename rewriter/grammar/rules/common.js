// What the rule files share: precedences, low to high, and lists.

const PREC = {
  assign: 1,
  ternary: 2,
  logical_or: 3,
  logical_and: 4,
  bit_or: 5,
  bit_xor: 6,
  bit_and: 7,
  equality: 8,
  relational: 9,
  shift: 10,
  additive: 11,
  multiplicative: 12,
  unary: 13,
  postfix: 14,
};

const comma_list = (rule) => seq(rule, repeat(seq(',', rule)));
const comma_list_trailing = (rule) => seq(comma_list(rule), optional(','));
const comma_list_of_two = (rule) => seq(rule, repeat1(seq(',', rule)));

module.exports = { PREC, comma_list, comma_list_trailing, comma_list_of_two };
