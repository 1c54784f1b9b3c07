; Scopes, what is defined in them, and what refers to it: renaming and the colour of a parameter's uses.
; Functions and types are known in more than one file: they are in tags.scm. The comment behind a definition is the
; colour that helix.sed gives to what refers to it.

; Scopes
[
  (source_file)
  (namespace_declaration)
  (struct_declaration)
  (interface_declaration)
  (extension_declaration)
  (function_declaration)
  (function_extension_declaration)
  (initializer_declaration)
  (subscript_declaration)
  (accessor)
  (type_alias_declaration)
  (lambda_expression)
  (block)
  (if_statement)
  (for_statement)
  (compile_time_for_statement)
  (gpu_foreach_statement)
  (while_statement)
  (do_statement)
  (case_clause)
  (catch_clause)
] @local.scope

; Definitions
(parameter name: (identifier) @local.definition) ; variable.parameter

(type_parameter name: (identifier) @local.definition) ; type

(value_parameter name: (identifier) @local.definition) ; constant

(variable_declarator name: (identifier) @local.definition) ; variable

(condition_declaration name: (identifier) @local.definition) ; variable

(compile_time_for_statement name: (identifier) @local.definition) ; variable

; References: a name in the place of an expression or a type. The names of members and labels, of attributes and
; semantics are looked up elsewhere.
(_ value: (identifier) @local.reference)

(_ left: (identifier) @local.reference)

(_ right: (identifier) @local.reference)

(_ argument: (identifier) @local.reference)

(_ condition: (identifier) @local.reference)

(_ consequence: (identifier) @local.reference)

(_ alternative: (identifier) @local.reference)

(_ update: (identifier) @local.reference)

(_ range: (identifier) @local.reference)

(_ default: (identifier) @local.reference)

(_ object: (identifier) @local.reference)

(_ function: (identifier) @local.reference)

(_ base: (identifier) @local.reference)

(_ index: (identifier) @local.reference)

(_ size: (identifier) @local.reference)

(_ body: (identifier) @local.reference)

(_ type: (identifier) @local.reference)

(_ return_type: (identifier) @local.reference)

(_ element: (identifier) @local.reference)

(_ pointee: (identifier) @local.reference)

(_ bound: (identifier) @local.reference)

(_ equal: (identifier) @local.reference)

(_ constraint: (identifier) @local.reference)

(_ throws: (identifier) @local.reference)

(generic_expression name: (identifier) @local.reference)

[
  (argument_list (identifier) @local.reference)
  (comma_expression (identifier) @local.reference)
  (conjunction_type (identifier) @local.reference)
  (expression_statement (identifier) @local.reference)
  (function_type (identifier) @local.reference)
  (generic_arguments (identifier) @local.reference)
  (initializer_list (identifier) @local.reference)
  (intrinsic_asm_statement (identifier) @local.reference)
  (pack_type (identifier) @local.reference)
  (parenthesized_expression (identifier) @local.reference)
]
