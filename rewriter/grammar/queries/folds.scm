; What can be folded
[
  (accessor_list)
  (block)
  (case_list)
  (comment)
  (declaration_list)
  (enumerator_list)
  (initializer_list)
  (preproc_define)
  (preproc_inactive)
  (spirv_asm_expression)
] @fold

; Conditionals and lists that go over several lines
(parameter_list) @fold

(argument_list) @fold
