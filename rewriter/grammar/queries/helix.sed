# Turns these queries into Helix's (25.07 or newer, where later patterns win): sed -f helix.sed highlights.scm

# highlights.scm
s/@variable\.member/@variable.other.member/g
s/@module/@namespace/g
s/@number\.float/@constant.numeric.float/g
s/@number/@constant.numeric.integer/g
s/@boolean/@constant.builtin.boolean/g
s/@character/@constant.character/g
s/@comment\.documentation/@comment.block.documentation/g
s/@keyword\.conditional/@keyword.control.conditional/g
s/@keyword\.exception/@keyword.control.exception/g
s/@keyword\.import/@keyword.control.import/g
s/@keyword\.repeat/@keyword.control.repeat/g
s/@keyword\.return/@keyword.control.return/g
s/@keyword\.modifier/@keyword.storage.modifier/g
s/@keyword\.type/@keyword.storage.type/g
s/@keyword\.directive\.define/@keyword.directive/g
s/@type\.definition/@type/g
s/@attribute\.builtin/@attribute/g
s/@function\.call/@function/g
s/@function\.method\.call/@function.method/g

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
s/\.outer/.around/g
s/\.inner/.inside/g
