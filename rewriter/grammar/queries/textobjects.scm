; What can be selected and jumped to as a whole
(function_declaration body: (block) @function.inner) @function.outer

(function_extension_declaration body: (block) @function.inner) @function.outer

(initializer_declaration body: (block) @function.inner) @function.outer

(accessor body: (block) @function.inner) @function.outer

(lambda_expression body: (_) @function.inner) @function.outer

(struct_declaration body: (declaration_list) @class.inner) @class.outer

(interface_declaration body: (declaration_list) @class.inner) @class.outer

(extension_declaration body: (declaration_list) @class.inner) @class.outer

(enum_declaration body: (enumerator_list) @class.inner) @class.outer

(buffer_declaration body: (declaration_list) @class.inner) @class.outer

(for_statement body: (_) @loop.inner) @loop.outer

(compile_time_for_statement body: (_) @loop.inner) @loop.outer

(gpu_foreach_statement body: (_) @loop.inner) @loop.outer

(while_statement body: (_) @loop.inner) @loop.outer

(do_statement body: (_) @loop.inner) @loop.outer

(if_statement consequence: (_) @conditional.inner) @conditional.outer

(switch_statement body: (case_list) @conditional.inner) @conditional.outer

(call_expression arguments: (argument_list) @call.inner) @call.outer

(parameter) @parameter.inner

(type_parameter) @parameter.inner

(value_parameter) @parameter.inner

(argument_list (_) @parameter.inner)

(enumerator) @entry.inner

(initializer_list (_) @entry.inner)

(attribute) @attribute.inner

(attribute_list) @attribute.outer

(comment) @comment.inner

(comment)+ @comment.outer
