#include "tests/fuzz/front_end/mutator.h"

#include "rewriter/syntax_node.h"
#include "rewriter/syntax_tree.h"
#include "tests/fuzz/random.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace slimgrad::front_end {

namespace {

using hunt::Random;

// Trees are cut down to this many nodes: a mutation must not take longer than the test itself.
constexpr std::size_t most_nodes = 20'000;

/// A piece of a text: the bytes of a node, and its kind.
struct Piece {
    ByteRange range;
    std::string kind;
};

std::vector<Piece> pieces_of(const SyntaxTree& tree) {
    std::vector<Piece> pieces;
    std::vector<SyntaxNode> open{tree.root()};
    while (!open.empty() && pieces.size() < most_nodes) {
        const SyntaxNode node = open.back();
        open.pop_back();
        if (!node.range().empty())
            pieces.push_back({node.range(), std::string(node.kind())});
        const auto children = node.all_children();
        open.insert(open.end(), children.begin(), children.end());
    }
    return pieces;
}

/// What may stand around a piece of the kind, `@` for the piece: mostly right, always a text.
std::string surrounding(std::string_view kind, Random& random) {
    if (kind.ends_with("_statement") || kind == "block" || kind == "variable_declaration")
        return random.pick({"{ @ }", "if (x > 0.0) { @ }", "for (int i = 0; i < 8; ++i) { @ }",
                            "while (n < 3) { @ }", "do { @ } while (n < 3);", "@ @",
                            "#if A\n@\n#else\n@\n#endif\n", "[MaxIters(4)] for (;;) { @ break; }",
                            "switch (n) { case 0: @ break; default: @ }", "defer { @ }",
                            "#define M(x) @\nM(1)\n", "M(@)", "for (int i = n; i > 0; i--) @"});
    if (kind.ends_with("_expression") || kind == "identifier" || kind.ends_with("_literal"))
        return random.pick({"(@)", "f(@)", "a[@]", "(@ + @)", "bwd_diff(f)(@, 1.0)", "no_diff f(@)",
                            "detach(@)", "(@ ? @ : @)", "float3(@, @, @)", "(float)(@)", "-@",
                            "@.x", "f<@>(x)", "(@ as IFoo)", "@ < @", "min(@, 8)", "!@", "g(@)[@]",
                            "M(@)", "/*@*/ 1", "\"@\"", "(x = @)"});
    if (kind.ends_with("_declaration"))
        return random.pick({"namespace N { @ }", "struct S { @ };", "extension S { @ }",
                            "[Differentiable] @", "public @", "@ @", "#ifdef A\n@\n#endif\n",
                            "__generic<T : IFoo> @", "interface I { @ }", "#if A\n@\n#elif B\n@\n#endif",
                            "static const @", "no_diff @", "[BackwardDerivative(f)] @"});
    return random.pick({"@ @", "(@)", "<@>", "[@]", "{@}", "@,@", "\n@\n", "// @\n", "#define A @\n",
                        "/* @ */", "\r\n@\r\n"});
}

std::string filled(const std::string& surrounding, std::string_view piece) {
    std::string text;
    for (char c : surrounding) {
        if (c == '@')
            text += piece;
        else
            text += c;
    }
    return text;
}

class Mutation {
  public:
    Mutation(std::string_view text, std::string_view other, std::uint64_t seed)
        : text_(text), other_(other), random_(seed), pieces_(pieces_of(SyntaxTree::parse(text))) {}

    std::string run() {
        if (pieces_.empty())
            return std::string(other_.empty() ? "float f(float x) { return x; }\n" : other_);
        const Piece& piece = random_.pick(pieces_);
        const std::string_view source = slice(text_, piece.range);
        switch (random_.below(7)) {
        case 0:
            return replaced(piece.range, "");
        case 1:
            return replaced(piece.range, std::string(source) + " " + std::string(source));
        case 2:
            return swapped(piece, random_.pick(pieces_));
        case 3: { // a piece within itself, such as a block in its own statement
            const Piece& inner = random_.pick(pieces_);
            const Piece& outer = piece.range.contains(inner.range) ? piece : random_.pick(pieces_);
            return replaced(inner.range, slice(text_, outer.range));
        }
        case 4:
        case 5:
            return transplanted(piece);
        default:
            return replaced(piece.range, filled(surrounding(piece.kind, random_), source));
        }
    }

  private:
    static std::string_view slice(std::string_view text, ByteRange range) {
        return text.substr(range.begin, range.end - range.begin);
    }

    std::string replaced(ByteRange range, std::string_view by) const {
        std::string result(text_.substr(0, range.begin));
        result += by;
        return result.append(text_.substr(range.end));
    }

    std::string swapped(const Piece& a, const Piece& b) const {
        const Piece& first = a.range < b.range ? a : b;
        const Piece& second = a.range < b.range ? b : a;
        if (first.range.end > second.range.begin) // one in the other: only the inner one stays
            return replaced(first.range, slice(text_, second.range));
        std::string result(text_.substr(0, first.range.begin));
        result += slice(text_, second.range);
        result += text_.substr(first.range.end, second.range.begin - first.range.end);
        result += slice(text_, first.range);
        return result.append(text_.substr(second.range.end));
    }

    /// The piece replaced by one of its kind from the other text, if that has one.
    std::string transplanted(const Piece& piece) {
        std::vector<Piece> others = pieces_of(SyntaxTree::parse(other_));
        if (others.empty())
            return replaced(piece.range, "");
        std::vector<Piece> same;
        std::copy_if(others.begin(), others.end(), std::back_inserter(same),
                     [&](const Piece& other) { return other.kind == piece.kind; });
        const Piece& chosen = random_.pick(same.empty() ? others : same);
        return replaced(piece.range, slice(other_, chosen.range));
    }

    std::string_view text_, other_;
    Random random_;
    std::vector<Piece> pieces_;
};

} // namespace

std::string mutate_syntax(std::string_view text, std::string_view other, std::uint64_t seed,
                          std::size_t most) {
    std::string result = Mutation(text, other, seed).run();
    result.resize(std::min(result.size(), most));
    return result;
}

} // namespace slimgrad::front_end
