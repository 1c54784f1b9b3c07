# Turns these queries into Helix's (25.07 or newer, where later patterns win): sed -f helix.sed highlights.scm

# highlights.scm
s/@variable\.member/@variable.other.member/g
s/@module/@namespace/g
s/@number\.float/@constant.numeric.float/g
s/@number/@constant.numeric.integer/g
s/@boolean/@constant.builtin.boolean/g
s/@character/@constant.character/g
s/@comment\.documentation/@comment.block.documentation/g
s/@keyword\.\(conditional\|repeat\|return\|exception\|import\)/@keyword.control.\1/g
s/@keyword\.modifier/@keyword.storage.modifier/g
s/@keyword\.type/@keyword.storage.type/g
s/@keyword\.directive\.define/@keyword.directive/g
s/@type\.definition/@type/g
s/@attribute\.builtin/@attribute/g
s/@function\(\.method\)\?\.call/@function\1/g

# locals.scm: the comment is the colour of what refers to the definition.
s/@local\.definition) *; \(.*\)/@local.definition.\1)/

# indents.scm; how a single line is indented differs between Helix's versions.
/^; A body without braces/,/^")"/{
    /^")"/!d
}
s/@indent\.begin/@indent/
s/@indent\.branch/@outdent/
/@indent\.[a-z]/d

# textobjects.scm
s/\.outer\b/.around/g
s/\.inner\b/.inside/g
