; How far a line is indented
[
  (accessor_list)
  (argument_list)
  (block)
  (case_clause)
  (declaration_list)
  (enumerator_list)
  (generic_parameters)
  (initializer_list)
  (parameter_list)
  (parenthesized_expression)
  (spirv_asm_expression)
] @indent.begin

; A body without braces
(for_statement
  body: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

(compile_time_for_statement
  body: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

(while_statement
  body: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

(do_statement
  body: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

(if_statement
  consequence: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

(if_statement
  alternative: (_) @indent.begin
  (#not-kind-eq? @indent.begin "block")
  (#not-kind-eq? @indent.begin "if_statement")
  (#set! indent.immediate 1)
  (#set! indent.start_at_same_line 1))

")" @indent.branch

; Not of a switch: its cases stand where it stands.
[
  (accessor_list "}" @indent.branch)
  (block "}" @indent.branch)
  (declaration_list "}" @indent.branch)
  (enumerator_list "}" @indent.branch)
  (initializer_list "}" @indent.branch)
  (spirv_asm_expression "}" @indent.branch)
]

"}" @indent.end

; Directives start their line.
(preproc_conditional) @indent.zero

(preproc_define) @indent.zero

(preproc_directive) @indent.zero

(preproc_include) @indent.zero

(comment) @indent.auto

(preproc_inactive) @indent.ignore
