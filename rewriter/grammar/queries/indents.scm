; How far a line is indented
[
  (accessor_list)
  (argument_list)
  (block)
  (case_list)
  (case_clause)
  (declaration_list)
  (enumerator_list)
  (generic_parameters)
  (initializer_list)
  (parameter_list)
  (parenthesized_expression)
  (spirv_asm_expression)
] @indent.begin

[
  ")"
  "]"
  "}"
] @indent.branch

"}" @indent.end

; Directives start their line.
(preproc_conditional) @indent.zero

(preproc_define) @indent.zero

(preproc_directive) @indent.zero

(preproc_include) @indent.zero

(comment) @indent.auto

(preproc_inactive) @indent.ignore
