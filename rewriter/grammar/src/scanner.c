// The tokens of the Slang grammar that need to look further than a regular expression can: preprocessor lines, the
// branches of a conditional that are left out, raw strings, and whether `<` opens generic arguments.
//
// The scanner has no state: what it decides depends on the text that follows alone.

#include "tree_sitter/parser.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum Token {
    GENERIC_OPEN,
    LESS_THAN,
    ELEMENT_OPEN,
    LINE_END,
    MACRO_BODY,
    LONE,
    SAME_LINE,
    RAW_STRING,
    PREPROC_INCLUDE,
    PREPROC_DEFINE,
    PREPROC_CONDITIONAL,
    PREPROC_DIRECTIVE,
    PREPROC_INACTIVE,
};

static bool is_space(int32_t c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c == 0xFEFF;
}

static bool is_word(int32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

static bool is_digit(int32_t c) {
    return c >= '0' && c <= '9';
}

static void advance(TSLexer *lexer) {
    lexer->advance(lexer, false);
}

// Consumes a word and keeps its first bytes in `word`.
static void read_word(TSLexer *lexer, char *word, unsigned size) {
    unsigned length = 0;
    for (; is_word(lexer->lookahead); advance(lexer))
        if (length + 1 < size)
            word[length++] = (char)lexer->lookahead;
    word[length] = 0;
}

// With a backslash just consumed: consumes the line's end that it takes away.
static void skip_line_end(TSLexer *lexer) {
    if (lexer->lookahead == '\r')
        advance(lexer);
    if (lexer->lookahead == '\n')
        advance(lexer);
}

// With `/` just consumed: consumes the rest of a comment. False if there is none.
static bool skip_comment(TSLexer *lexer) {
    if (lexer->lookahead == '/') {
        while (lexer->lookahead != '\n' && !lexer->eof(lexer)) {
            bool splice = lexer->lookahead == '\\';
            advance(lexer);
            if (splice)
                skip_line_end(lexer);
        }
        return true;
    }
    if (lexer->lookahead != '*')
        return false;
    advance(lexer);
    for (int32_t previous = 0; !lexer->eof(lexer); advance(lexer)) {
        if (previous == '*' && lexer->lookahead == '/') {
            advance(lexer);
            break;
        }
        previous = lexer->lookahead;
    }
    return true;
}

// Consumes the rest of a line up to its line feed: continuations and block comments go on to the next line. The token
// ends before white space and a comment at the end.
static void skip_directive(TSLexer *lexer) {
    lexer->mark_end(lexer);
    while (lexer->lookahead != '\n' && !lexer->eof(lexer)) {
        int32_t c = lexer->lookahead;
        advance(lexer);
        if (c == '\\') {
            skip_line_end(lexer);
        } else if (c == '/' && (lexer->lookahead == '/' || lexer->lookahead == '*')) {
            bool to_end = lexer->lookahead == '/';
            skip_comment(lexer);
            if (to_end)
                return;
        } else if (c == '"') {
            for (; lexer->lookahead != '"' && lexer->lookahead != '\n' && !lexer->eof(lexer); advance(lexer))
                if (lexer->lookahead == '\\')
                    advance(lexer);
            if (lexer->lookahead == '"')
                advance(lexer);
            lexer->mark_end(lexer);
        } else if (!is_space(c)) {
            lexer->mark_end(lexer);
        }
    }
}

// Consumes the branches that are left out: the lines up to the matching #endif, which the token ends before. With
// `one`, only up to and with the matching #else or #elif, whose branch is parsed then.
static void skip_branches(TSLexer *lexer, bool one) {
    unsigned depth = 0;
    while (!lexer->eof(lexer)) {
        // At the start of a line.
        lexer->mark_end(lexer);
        while (is_space(lexer->lookahead) && lexer->lookahead != '\n')
            advance(lexer);
        if (lexer->lookahead == '#') {
            advance(lexer);
            while (lexer->lookahead == ' ' || lexer->lookahead == '\t')
                advance(lexer);
            char word[16];
            read_word(lexer, word, sizeof word);
            if (!strncmp(word, "if", 2)) {
                ++depth;
            } else if (!strcmp(word, "endif") && depth-- == 0) {
                return;
            } else if (depth == 0 && one && !strncmp(word, "el", 2)) {
                skip_directive(lexer);
                return;
            }
        }
        // The rest of the line. A block comment may hide directives.
        while (lexer->lookahead != '\n' && !lexer->eof(lexer)) {
            int32_t c = lexer->lookahead;
            advance(lexer);
            if (c == '/')
                skip_comment(lexer);
            else if (c == '\\')
                skip_line_end(lexer);
        }
        if (lexer->lookahead == '\n')
            advance(lexer);
    }
    lexer->mark_end(lexer);
}

// With `#ifdef` consumed: whether the branch is C++, which slangc never reads.
static bool leaves_out_cplusplus(TSLexer *lexer) {
    while (lexer->lookahead == ' ' || lexer->lookahead == '\t')
        advance(lexer);
    if (lexer->lookahead != '_')
        return false;
    char word[16];
    read_word(lexer, word, sizeof word);
    return !strcmp(word, "__cplusplus");
}

// With `#` as lookahead.
static bool scan_directive(TSLexer *lexer) {
    advance(lexer);
    while (lexer->lookahead == ' ' || lexer->lookahead == '\t')
        advance(lexer);
    char word[16];
    read_word(lexer, word, sizeof word);
    if (!strcmp(word, "ifdef") && leaves_out_cplusplus(lexer)) {
        skip_directive(lexer);
        if (lexer->lookahead == '\n')
            advance(lexer);
        skip_branches(lexer, true);
        lexer->result_symbol = PREPROC_INACTIVE;
        return true;
    }
    if (!strcmp(word, "include")) {
        lexer->result_symbol = PREPROC_INCLUDE;
    } else if (!strcmp(word, "define")) {
        lexer->result_symbol = PREPROC_DEFINE;
    } else if (!strncmp(word, "if", 2) || !strcmp(word, "endif")) {
        lexer->result_symbol = PREPROC_CONDITIONAL;
        // `#if 0` leaves its own branch out.
        if (!strcmp(word, "if")) {
            while (lexer->lookahead == ' ' || lexer->lookahead == '\t')
                advance(lexer);
            if (lexer->lookahead == '0') {
                read_word(lexer, word, sizeof word);
                skip_directive(lexer);
                if (!strcmp(word, "0")) {
                    if (lexer->lookahead == '\n')
                        advance(lexer);
                    skip_branches(lexer, true);
                    lexer->result_symbol = PREPROC_INACTIVE;
                }
                return true;
            }
        }
    } else if (!strncmp(word, "el", 2)) {
        // The branches before this one were parsed; all the others are left out.
        skip_branches(lexer, false);
        lexer->result_symbol = PREPROC_INACTIVE;
        return true;
    } else {
        lexer->result_symbol = PREPROC_DIRECTIVE;
    }
    skip_directive(lexer);
    return true;
}

// Consumes white space and comments, at most `most` characters. Returns how many of them are left, 0 if it is not at
// the end of the gap.
static unsigned skip_gap(TSLexer *lexer, unsigned most) {
    while (most > 0 && !lexer->eof(lexer)) {
        if (is_space(lexer->lookahead)) {
            advance(lexer);
            --most;
            continue;
        }
        if (lexer->lookahead != '/')
            return most;
        advance(lexer);
        bool line = lexer->lookahead == '/';
        if (!line && lexer->lookahead != '*')
            return most;
        advance(lexer);
        for (int32_t previous = 0; most > 0 && !lexer->eof(lexer); --most) {
            int32_t c = lexer->lookahead;
            advance(lexer);
            if (line ? c == '\n' : previous == '*' && c == '/')
                break;
            previous = c;
        }
    }
    return most;
}

// With `<` consumed: whether it opens generic arguments. Looks for the `>` that closes it over text that may stand in
// arguments, then asks what follows, as slangc does. Where a comparison cannot stand (`only_types`) less is asked. In
// an expression (`in_value`) no name follows a type but for `for (Range<2> x = ..`: `y = a < b > c` compares.
static bool opens_generic_arguments(TSLexer *lexer, bool only_types, bool in_value) {
    unsigned angles = 1, brackets = 0, questions = 0;
    bool comma = false, logic = false;
    // No real argument list has more characters; without an end, a text of nothing but `<` takes quadratic time.
    unsigned left = 500, gaps = 4000;
    for (; angles > 0; --left) {
        gaps = skip_gap(lexer, gaps);
        int32_t c = lexer->lookahead;
        if (lexer->eof(lexer) || left == 0 || gaps == 0)
            return false;
        advance(lexer);
        switch (c) {
        case '<':
            if (brackets > 0)
                break;
            if (lexer->lookahead == '=' || (lexer->lookahead == '<' && !only_types))
                return false;
            ++angles;
            break;
        case '>':
            if (brackets == 0)
                --angles;
            break;
        case '-':
            if (lexer->lookahead == '>')
                advance(lexer);
            break;
        case '(':
        case '[':
            ++brackets;
            break;
        case ')':
        case ']':
            if (brackets-- == 0)
                return false;
            break;
        case ',':
            comma = comma || brackets == 0;
            break;
        case '&':
        case '|':
            if (lexer->lookahead == c) {
                advance(lexer);
                logic = logic || brackets == 0;
            }
            break;
        case '?':
            logic = logic || brackets == 0;
            ++questions;
            break;
        case ':':
            if (lexer->lookahead == ':')
                advance(lexer);
            else if (questions-- == 0)
                return false;
            break;
        case '#':
            // A line of the preprocessor.
            for (; lexer->lookahead != '\n' && gaps > 1; --gaps)
                advance(lexer);
            break;
        case ';':
        case '{':
        case '}':
            return false;
        case '=':
        case '!':
            if (brackets > 0)
                break;
            if (lexer->lookahead != '=' && c == '=')
                return false;
            if (lexer->lookahead == '=')
                advance(lexer);
            logic = true;
            break;
        case '"':
            if (brackets == 0)
                return false;
            break;
        default:
            break;
        }
    }
    if (only_types)
        return true;
    skip_gap(lexer, 1000);
    int32_t next = lexer->lookahead;
    if (next == '(') {
        // `f<A && B>()`; `a < b && c > (d)` compares.
        if (!logic)
            return true;
        advance(lexer);
        skip_gap(lexer, 1000);
        return lexer->lookahead == ')';
    }
    // `a < b && c > d` compares, whatever it is followed by; `f<A == B, C> x;` does not.
    if (is_digit(next) || (logic && !comma))
        return false;
    if (is_word(next)) {
        // `Pair<A, B> x = ..` declares; `f(a < b, c > d)` compares.
        if (!comma && !in_value)
            return true;
        while (is_word(lexer->lookahead))
            advance(lexer);
        skip_gap(lexer, 1000);
        next = lexer->lookahead;
        if (!comma)
            return next == '=';
        return next == ';' || next == '=' || next == ',' || next == '[' || next == '(' || next == ':' ||
               next == '{' || is_word(next);
    }
    return next != '"' && next != '+' && next != '-' && next != '/' && next != '%' && next != '!' && next != '~' &&
           next != '<' && next != '>' && next != '\'';
}

// Consumes `++` or `--`. False if there is none, or no name after it: then it belongs to what stands before it.
static bool read_prefix_update(TSLexer *lexer) {
    int32_t c = lexer->lookahead;
    if (c != '+' && c != '-')
        return false;
    advance(lexer);
    if (lexer->lookahead != c)
        return false;
    advance(lexer);
    skip_gap(lexer, 1000);
    return is_word(lexer->lookahead);
}

// Consumes a word. Whether it begins a statement that a macro before it may be a modifier of.
static bool read_statement_keyword(TSLexer *lexer) {
    char word[8];
    read_word(lexer, word, sizeof word);
    return !strcmp(word, "for") || !strcmp(word, "while") || !strcmp(word, "do") || !strcmp(word, "if") ||
           !strcmp(word, "switch");
}

// With the white space before it consumed and `new_line` if it holds a line feed: whether a macro that was used without
// a semicolon ends here, because what follows begins something of its own.
static bool ends_macro(TSLexer *lexer, bool new_line) {
    if (!new_line)
        return false;
    if (lexer->eof(lexer) || lexer->lookahead == '}' || lexer->lookahead == '[' || lexer->lookahead == '#')
        return true;
    if (!is_word(lexer->lookahead))
        return read_prefix_update(lexer);
    return !read_statement_keyword(lexer);
}

// Consumes all up to what closes `depth` brackets that are open and those that follow. False if nothing near does.
static bool skip_brackets(TSLexer *lexer, unsigned depth) {
    for (unsigned most = 1000; most > 0 && lexer->lookahead != ';' && !lexer->eof(lexer); --most) {
        int32_t c = lexer->lookahead;
        advance(lexer);
        if (c == '(' || c == '[')
            ++depth;
        else if ((c == ')' || c == ']') && --depth == 0)
            return true;
    }
    return false;
}

// After `EACH(i, n)` on its line: whether an expression follows that can be no declared name: `s += x;`, `++s;`,
// `g(s);`, `s.x = y;`. `s = x;` and `a[0] = x;` may declare.
static bool begins_macro_body(TSLexer *lexer) {
    if (!is_word(lexer->lookahead))
        return read_prefix_update(lexer);
    if (read_statement_keyword(lexer))
        return false;
    bool is_name = true; // or `name[..]`
    bool called = false;
    for (unsigned steps = 100; steps > 0; --steps) {
        while (is_word(lexer->lookahead))
            advance(lexer);
        skip_gap(lexer, 1000);
        int32_t c = lexer->lookahead;
        if (c == '(' || c == '[') {
            called = c == '(';
            is_name = is_name && !called;
            if (!skip_brackets(lexer, 0))
                return false;
        } else if (c == '.') {
            called = is_name = false;
            advance(lexer);
            skip_gap(lexer, 1000);
            if (!is_word(lexer->lookahead))
                return false;
        } else if (c == ';') {
            return called;
        } else if (c == '=') {
            return !is_name;
        } else if (c == '<' || c == '>') {
            advance(lexer);
            if (lexer->lookahead != c)
                return false;
            advance(lexer);
            return lexer->lookahead == '=';
        } else {
            if (c == 0 || !strchr("+-*/%&|^", c))
                return false;
            advance(lexer);
            return lexer->lookahead == '=' || ((c == '+' || c == '-') && lexer->lookahead == c);
        }
    }
    return false;
}

// With the white space after a name consumed, in which `lines` lines end: whether the name is a macro that is a whole
// declaration or statement. A type may have its variable on the next line, but not after an empty one.
static bool stands_alone(TSLexer *lexer, unsigned lines) {
    if (lexer->eof(lexer) || lexer->lookahead == '}')
        return true;
    if (lexer->lookahead == '#')
        return lines > 0;
    return lines > 1 && (is_word(lexer->lookahead) || lexer->lookahead == '[');
}

// With `[` as lookahead, after the name that begins a statement: consumes it. Whether it opens the index of an element:
// `a[i] = x;`, `a[i][j].f();`, not `T[2] x;` or `MACRO [unroll] for ..`.
static bool opens_element(TSLexer *lexer) {
    advance(lexer);
    lexer->mark_end(lexer);
    if (!skip_brackets(lexer, 1))
        return false;
    skip_gap(lexer, 1000);
    while (lexer->lookahead == '[') {
        if (!skip_brackets(lexer, 0))
            return false;
        skip_gap(lexer, 1000);
    }
    int32_t next = lexer->lookahead;
    if (next == '*' || next == '&') {
        advance(lexer);
        return lexer->lookahead == '=';
    }
    return next != 0 && strchr("=.+-/%^|<>", next);
}

// After the `}` of a type on the same line: whether variables of the type follow, not a declaration of its own.
static bool begins_declarators(TSLexer *lexer) {
    if (!is_word(lexer->lookahead))
        return false;
    while (is_word(lexer->lookahead))
        advance(lexer);
    skip_gap(lexer, 1000);
    int32_t next = lexer->lookahead;
    return next == ';' || next == ',' || next == '=' || next == '[' || next == ':';
}

// With `R` as lookahead: R"delimiter(...)delimiter", or up to the end of the text.
static bool scan_raw_string(TSLexer *lexer) {
    advance(lexer);
    if (lexer->lookahead != '"')
        return false;
    advance(lexer);
    int32_t delimiter[16];
    unsigned length = 0;
    for (; lexer->lookahead != '('; advance(lexer)) {
        if (length == 16 || lexer->eof(lexer))
            return false;
        delimiter[length++] = lexer->lookahead;
    }
    while (!lexer->eof(lexer)) {
        bool closes = lexer->lookahead == ')';
        advance(lexer);
        if (!closes)
            continue;
        unsigned matched = 0;
        while (matched < length && lexer->lookahead == delimiter[matched]) {
            advance(lexer);
            ++matched;
        }
        if (matched == length && lexer->lookahead == '"') {
            advance(lexer);
            break;
        }
    }
    lexer->mark_end(lexer);
    lexer->result_symbol = RAW_STRING;
    return true;
}

void *tree_sitter_slang_external_scanner_create(void) {
    return NULL;
}

void tree_sitter_slang_external_scanner_destroy(void *payload) {
    (void)payload;
}

unsigned tree_sitter_slang_external_scanner_serialize(void *payload, char *buffer) {
    (void)payload;
    (void)buffer;
    return 0;
}

void tree_sitter_slang_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {
    (void)payload;
    (void)buffer;
    (void)length;
}

bool tree_sitter_slang_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
    (void)payload;
    // Where the parser recovers from an error, all are valid at once: nothing ends there.
    bool recovers = valid[LINE_END] && valid[LONE];
    unsigned lines = 0;
    if (valid[LINE_END] || valid[LONE] || valid[SAME_LINE])
        lexer->mark_end(lexer);
    while (is_space(lexer->lookahead)) {
        lines += lexer->lookahead == '\n';
        lexer->advance(lexer, true);
    }
    if (valid[LONE] && !recovers && stands_alone(lexer, lines)) {
        lexer->result_symbol = LONE;
        return true;
    }
    if (lexer->lookahead == '[' && valid[ELEMENT_OPEN] && valid[LONE] && !recovers) {
        lexer->result_symbol = ELEMENT_OPEN;
        return opens_element(lexer);
    }
    if (valid[SAME_LINE] && !recovers && lines == 0 && begins_declarators(lexer)) {
        lexer->result_symbol = SAME_LINE;
        return true;
    }
    if (lexer->lookahead == '<' && (valid[GENERIC_OPEN] || valid[LESS_THAN])) {
        advance(lexer);
        lexer->mark_end(lexer);
        if (lexer->lookahead == '=' || lexer->lookahead == '<')
            return false;
        bool in_value = valid[ELEMENT_OPEN] && !valid[LONE];
        bool generic = valid[GENERIC_OPEN] && opens_generic_arguments(lexer, !valid[LESS_THAN], in_value);
        if (!generic && !valid[LESS_THAN])
            return false;
        lexer->result_symbol = generic ? GENERIC_OPEN : LESS_THAN;
        return true;
    }
    if (valid[LINE_END] && !recovers && lexer->lookahead != '<') {
        bool is_directive = lexer->lookahead == '#';
        if (ends_macro(lexer, lines > 0)) {
            lexer->result_symbol = LINE_END;
            return true;
        }
        if (lines == 0 && valid[MACRO_BODY] && begins_macro_body(lexer)) {
            lexer->result_symbol = MACRO_BODY;
            return true;
        }
        if (!is_directive)
            return false;
    }
    if (lexer->lookahead == '#' && valid[PREPROC_DIRECTIVE])
        return scan_directive(lexer);
    if (lexer->lookahead == 'R' && valid[RAW_STRING])
        return scan_raw_string(lexer);
    return false;
}
