; What a file defines and refers to, for code navigation: @definition.KIND or @reference.KIND around a @name.

; Where two patterns give the same name, the first one counts.

; Definitions
(struct_declaration
  body: (declaration_list
    (function_declaration name: [(identifier) (operator_name)] @name) @definition.method))

(interface_declaration
  body: (declaration_list
    (function_declaration name: [(identifier) (operator_name)] @name) @definition.method))

(extension_declaration
  body: (declaration_list
    (function_declaration name: [(identifier) (operator_name)] @name) @definition.method))

(function_declaration name: [(identifier) (operator_name)] @name) @definition.function

(struct_declaration name: (identifier) @name) @definition.class

(interface_declaration name: (identifier) @name) @definition.interface

(enum_declaration name: (identifier) @name) @definition.enum

(enumerator name: (identifier) @name) @definition.constant

(extension_declaration type: (_) @name) @definition.class

(type_alias_declaration name: (identifier) @name) @definition.type

(associated_type_declaration name: (identifier) @name) @definition.type

(buffer_declaration name: (identifier) @name) @definition.class

(namespace_declaration name: (_) @name) @definition.module

(module_declaration "module" module: (_) @name) @definition.module

(source_file
  (variable_declaration
    declarator: (variable_declarator name: (identifier) @name)) @definition.variable)

(struct_declaration
  body: (declaration_list
    (variable_declaration
      declarator: (variable_declarator name: (identifier) @name)) @definition.field))

(property_declaration name: (identifier) @name) @definition.field

; References
(call_expression function: (identifier) @name) @reference.call

(call_expression function: (generic_expression name: (identifier) @name)) @reference.call

(call_expression function: (member_expression member: (identifier) @name)) @reference.call

(call_expression function: (scope_expression member: (identifier) @name)) @reference.call

(call_expression
  function: (generic_expression
    name: (member_expression member: (identifier) @name))) @reference.call

(call_expression
  function: (generic_expression
    name: (scope_expression member: (identifier) @name))) @reference.call

; `bwd_diff(f)`
(derivative_expression function: (identifier) @name) @reference.call

(derivative_expression function: (generic_expression name: (identifier) @name)) @reference.call

(derivative_expression function: (member_expression member: (identifier) @name)) @reference.call

(derivative_expression function: (scope_expression member: (identifier) @name)) @reference.call

(inheritance base: (identifier) @name) @reference.implementation

(_ type: (identifier) @name @reference.type)

(_ return_type: (identifier) @name @reference.type)

(_ bound: (identifier) @name @reference.type)

(_ constraint: (identifier) @name @reference.type)

(_ element: (identifier) @name @reference.type)

(_ pointee: (identifier) @name @reference.type)

(generic_expression name: (identifier) @name @reference.type)

(generic_arguments (identifier) @name @reference.type)
