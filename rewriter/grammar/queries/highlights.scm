; Colours. Where two patterns capture the same node, the later one wins: general patterns come first.
; The names are Neovim's and tree-sitter's own; helix.sed turns them into Helix's.

; Identifiers
(identifier) @variable

((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))

(variable_declarator name: (identifier) @variable)

((variable_declarator name: (identifier) @constant)
  (#match? @constant "^[A-Z][A-Z0-9_]+$"))

; Fields
(member_expression member: (identifier) @variable.member)

(struct_declaration
  body: (declaration_list
    (variable_declaration
      declarator: (variable_declarator name: (identifier) @variable.member))))

(property_declaration name: (identifier) @variable.member)

(enumerator name: (identifier) @constant)

; Types
(primitive_type) @type.builtin

(_ type: (identifier) @type)

(_ return_type: (identifier) @type)

(inheritance base: (identifier) @type)

(_ bound: (identifier) @type)

(_ constraint: (identifier) @type)

(_ throws: (identifier) @type)

(_ element: (identifier) @type)

(_ pointee: (identifier) @type)

(type_parameter default: (identifier) @type)

(conjunction_type (identifier) @type)

(pack_type (identifier) @type)

(function_type (identifier) @type)

(generic_arguments (identifier) @type)

(struct_declaration value: (identifier) @type)

(generic_expression name: (identifier) @type)

(_ type: (member_expression object: (identifier) @type))

(_ type: (member_expression member: (identifier) @type))

(_ return_type: (member_expression object: (identifier) @type))

(_ return_type: (member_expression member: (identifier) @type))

(_ constraint: (member_expression member: (identifier) @type))

(generic_arguments (member_expression object: (identifier) @type))

(generic_arguments (member_expression member: (identifier) @type))

(struct_declaration name: (identifier) @type)

(interface_declaration name: (identifier) @type)

(enum_declaration name: (identifier) @type)

(buffer_declaration name: (identifier) @type)

(associated_type_declaration name: (identifier) @type)

(type_alias_declaration name: (identifier) @type.definition)

(type_parameter name: (identifier) @type)

(type_param_declaration name: (identifier) @type)

(value_parameter name: (identifier) @constant)

(value_param_declaration name: (identifier) @constant)

; Modules and scopes
(module_declaration module: (identifier) @module)

(import_declaration module: (identifier) @module)

(using_declaration name: (identifier) @module)

(namespace_declaration name: (identifier) @module)

(module_declaration module: (member_expression (identifier) @module))

(import_declaration module: (member_expression (identifier) @module))

(using_declaration name: (member_expression (identifier) @module))

(namespace_declaration name: (member_expression (identifier) @module))

(module_declaration
  module: (member_expression (member_expression (identifier) @module)))

(import_declaration
  module: (member_expression (member_expression (identifier) @module)))

(using_declaration
  name: (member_expression (member_expression (identifier) @module)))

(namespace_declaration
  name: (member_expression (member_expression (identifier) @module)))

(scope_expression scope: (identifier) @module)

((scope_expression scope: (identifier) @type)
  (#match? @type "^[A-Z]"))

((scope_expression member: (identifier) @constant)
  (#match? @constant "^[A-Z]"))

(_ type: (scope_expression member: (identifier) @type))

(_ return_type: (scope_expression member: (identifier) @type))

; Parameters
(parameter name: (identifier) @variable.parameter)

; Functions
(call_expression function: (identifier) @function.call)

(call_expression
  function: (generic_expression name: (identifier) @function.call))

; A call of a capitalised name makes a value of that type: `Ray(origin, direction)`.
((call_expression function: (identifier) @constructor)
  (#match? @constructor "^[A-Z][A-Za-z0-9_]*[a-z]"))

((call_expression
  function: (generic_expression name: (identifier) @constructor))
  (#match? @constructor "^[A-Z][A-Za-z0-9_]*[a-z]"))

((call_expression function: (identifier) @function.macro)
  (#match? @function.macro "^[A-Z][A-Z0-9_]+$"))

(call_expression
  function: (member_expression member: (identifier) @function.method.call))

(call_expression
  function: (generic_expression
    name: (member_expression member: (identifier) @function.method.call)))

(call_expression
  function: (scope_expression member: (identifier) @function.call))

(call_expression
  function: (generic_expression
    name: (scope_expression member: (identifier) @function.call)))

(function_declaration name: (identifier) @function)

(struct_declaration
  body: (declaration_list
    (function_declaration name: (identifier) @function.method)))

(interface_declaration
  body: (declaration_list
    (function_declaration name: (identifier) @function.method)))

(extension_declaration
  body: (declaration_list
    (function_declaration name: (identifier) @function.method)))

; What `bwd_diff(f)` and `fwd_diff(f)` differentiate
(derivative_expression function: (identifier) @function)

(derivative_expression
  function: (generic_expression name: (identifier) @function))

(derivative_expression
  function: (member_expression member: (identifier) @function.method))

(derivative_expression
  function: (scope_expression member: (identifier) @function))

(derivative_expression operator: _ @function.builtin)

; Macros
(macro_declaration
  macro: (call_expression function: (identifier) @function.macro))

(macro_declaration macro: (identifier) @function.macro)

(macro_statement
  macro: (call_expression function: (identifier) @function.macro))

(macro_type (call_expression function: (identifier) @function.macro))

; Names of Slang's core module
((identifier) @type.builtin
  (#match? @type.builtin "^(RW|RasterizerOrdered|Feedback)?(Texture|Sampler|Image)(1D|2D|3D|Cube|Buffer)(MS)?(Array)?(Shadow)?$"))

((identifier) @type.builtin
  (#match? @type.builtin "^((RW|RasterizerOrdered|Append|Consume)?(Structured|ByteAddress)Buffer|(RW|RasterizerOrdered)?Buffer|GLSLShaderStorageBuffer)$"))

((identifier) @type.builtin
  (#any-of? @type.builtin
    "Array" "AtomicBuffer" "Atomic" "BuiltInTriangleIntersectionAttributes" "ConstantBuffer" "DescriptorHandle"
    "DiffTensorView" "DifferentialPair" "DifferentialPtrPair" "HitObject" "IArithmetic" "IDifferentiable"
    "IDifferentiablePtrType" "IFloat" "IInteger" "ILogical" "InputPatch" "LineStream" "NodePayload" "Optional"
    "OutputIndices" "OutputPatch" "OutputPrimitives" "OutputVertices" "ParameterBlock" "PointStream" "Ptr" "RayDesc"
    "RayQuery" "RaytracingAccelerationStructure" "SamplerComparisonState" "SamplerState" "String" "SubpassInput"
    "TensorView" "TextureBuffer" "This" "TorchTensor" "TriangleStream" "Tuple" "matrix" "vector" "__BuiltinFloatingPointType"
    "__BuiltinIntegerType" "__BuiltinArithmeticType"))

((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "abs" "acos" "acosh" "all" "any" "asdouble" "asfloat" "asin" "asinh" "asint" "asuint" "atan" "atan2" "atanh" "bit_cast"
    "ceil" "clamp" "clip" "cos" "cosh" "countbits" "cross" "ddx" "ddx_coarse" "ddx_fine" "ddy" "ddy_coarse" "ddy_fine"
    "degrees" "detach" "determinant" "diffPair" "distance" "dot" "exp" "exp10" "exp2" "f16tof32" "f32tof16" "faceforward"
    "firstbithigh" "firstbitlow" "floor" "fma" "fmod" "frac" "frexp" "fwidth" "isfinite" "isinf" "isnan" "ldexp" "length"
    "lerp" "log" "log10" "log2" "mad" "max" "min" "modf" "mul" "normalize" "pow" "printf" "radians" "rcp" "reflect"
    "refract" "reinterpret" "reversebits" "round" "rsqrt" "saturate" "sign" "sin" "sincos" "sinh" "smoothstep" "sqrt"
    "static_assert" "step" "tan" "tanh" "transpose" "trunc"))

((call_expression function: (identifier) @function.builtin)
  (#match? @function.builtin "^(Wave|Quad|Interlocked|(Group|Device|All)Memory(BarrierWithGroupSync|Barrier)$)"))

((identifier) @variable.builtin
  (#any-of? @variable.builtin "this" "newValue"))

((identifier) @constant.builtin
  (#any-of? @constant.builtin "none" "nullptr"))

; Semantics and attributes
(semantic name: (identifier) @attribute)

((semantic name: (identifier) @attribute.builtin)
  (#match? @attribute.builtin "^([sS][vV]_|register$|packoffset$|read$|write$)"))

(attribute name: (identifier) @attribute)

(attribute_syntax_declaration name: (identifier) @attribute)

(attribute
  name: (scope_expression
    scope: (identifier) @attribute
    member: (identifier) @attribute))

; Modifiers; one that is a name (`precise`, a macro) counts, too
(modifier) @keyword.modifier

(modifier (identifier) @keyword.modifier)

(modifier (call_expression function: (identifier) @function.macro))

((modifier (call_expression function: (identifier) @keyword.modifier))
  (#eq? @keyword.modifier "layout"))

(qualifier_declaration
  modifier: (call_expression function: (identifier) @keyword.modifier))

(generic_modifier "__generic" @keyword.modifier)

; Keywords
[
  "as"
  "is"
  "each"
  "expand"
  "implicit"
  "new"
  "operator"
  "optional"
] @keyword.operator

(no_diff_expression "no_diff" @keyword.operator)

[
  "LAMBDA"
  "__func_extension"
  "__subscript"
  "func"
  "property"
] @keyword.function

(accessor kind: _ @keyword.function)

(initializer_declaration name: _ @constructor)

[
  "__import"
  "__include"
  "implementing"
  "import"
  "module"
  "using"
] @keyword.import

[
  "__extension"
  "associatedtype"
  "cbuffer"
  "class"
  "enum"
  "extension"
  "functype"
  "interface"
  "namespace"
  "struct"
  "tbuffer"
  "type_param"
  "typealias"
  "typedef"
] @keyword.type

[
  "__constraint"
  "__file_decl"
  "__generic_value_param"
  "__ignored_block"
  "__intrinsic_asm"
  "__transparent_block"
  "attribute_syntax"
  "defer"
  "discard"
  "let"
  "precision"
  "semantic"
  "spirv_asm"
  "syntax"
  "var"
  "where"
] @keyword

[
  "__GPU_FOREACH"
  "break"
  "continue"
  "do"
  "for"
  "while"
  "$for"
] @keyword.repeat

(compile_time_for_statement "in" @keyword.repeat)

[
  "__stage_switch"
  "__target_switch"
  "case"
  "default"
  "else"
  "if"
  "switch"
] @keyword.conditional

"return" @keyword.return

[
  "catch"
  "throw"
  "throws"
  "try"
] @keyword.exception

; Labels
(labeled_statement label: (identifier) @label)

(break_statement label: (identifier) @label)

(continue_statement label: (identifier) @label)

; Literals
(integer_literal) @number

(swizzled_literal) @number

(float_literal) @number.float

(boolean_literal) @boolean

(string_literal) @string

(raw_string_literal) @string

(char_literal) @character

; SPIR-V's own text; its operands are names, numbers and types of the shader.
(spirv_asm_body) @string.special

(spirv_operand ["$" "$$" "&"] @operator)

; Operators and punctuation
[
  "!" "!=" "%" "%=" "&" "&&" "&=" "*" "*=" "+" "++" "+=" "-" "--" "-=" "->" "/" "/=" "<" "<<" "<<=" "<=" "=" "==" "=>"
  ">" ">=" ">>" ">>=" "?" "^" "^=" "|" "|=" "||" "~"
] @operator

[
  "."
  ","
  ":"
  ";"
  "::"
] @punctuation.delimiter

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
] @punctuation.bracket

(conditional_expression ":" @operator)

(generic_arguments ["<" ">"] @punctuation.bracket)

(generic_parameters ["<" ">"] @punctuation.bracket)

; Preprocessor. The branches of a conditional after the first are one node: not read, and shown so.
(preproc_include) @keyword.import

(preproc_define) @keyword.directive.define

(preproc_conditional) @keyword.directive

(preproc_directive) @keyword.directive

(preproc_inactive) @comment

(ignored_declaration) @comment

; Comments
(comment) @comment

((comment) @comment.documentation
  (#match? @comment.documentation "^(///|//!|/[*][*!])"))
