; Editors that have a grammar for what comments hold (notes, links) colour it.
((comment) @injection.content
  (#set! injection.language "comment"))
