#pragma once

#include <tree_sitter/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The Slang grammar, generated from grammar.js. Node and field names stand in src/node-types.json.
const TSLanguage* tree_sitter_slang(void);

#ifdef __cplusplus
}
#endif
