#include "plugin/cuda/sass_flow.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace slimgrad {
namespace {

constexpr std::size_t unset = std::numeric_limits<std::size_t>::max();

bool is_branch(const SassInstruction& instruction) {
    const std::string_view name = instruction.name();
    return name == "BRA" || name == "BRX" || name == "JMP" || name == "JMX" || name == "CALL";
}

bool ends_thread(const SassInstruction& instruction) {
    const std::string_view name = instruction.name();
    return name == "EXIT" || name == "RET" || name == "KILL";
}

/// Whether the instruction after it may not run: `BRA P0, label` and `BRA.U UP0, label` are
/// conditional as well.
bool never_falls_through(const SassInstruction& instruction) {
    const std::string_view name = instruction.name();
    return instruction.predicate.empty() && (is_branch(instruction) || ends_thread(instruction)) &&
           name != "CALL" && !instruction.operation.starts_with("BRA.DIV") &&
           !instruction.operands.starts_with("P") && !instruction.operands.starts_with("!P") &&
           !instruction.operands.starts_with("UP") && !instruction.operands.starts_with("!UP");
}

/// The labels that the operands name, but for the one that RET names, which is its function's.
std::vector<std::string_view> targets(const SassInstruction& instruction) {
    std::vector<std::string_view> labels;
    std::string_view text = instruction.operands;
    for (std::size_t start = text.find("`("); start != std::string_view::npos;
         start = text.find("`(")) {
        text.remove_prefix(start + 2);
        labels.push_back(text.substr(0, text.find(')')));
    }
    // BRX R2 -0x10 (*"BRANCH_TARGETS .L_x_1,.L_x_2"*)
    constexpr std::string_view table = "BRANCH_TARGETS ";
    if (const std::size_t start = text.find(table); start != std::string_view::npos) {
        text = text.substr(start + table.size());
        text = text.substr(0, text.find('"'));
        while (!text.empty()) {
            const std::size_t end = std::min(text.find(','), text.size());
            labels.push_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    return labels;
}

class FlowReader {
  public:
    explicit FlowReader(const SassCode& code) : code_(code) {}

    SassFlow read() {
        cut_into_blocks();
        for (std::size_t block = 0; block < flow_.blocks.size(); ++block)
            connect(block);
        number();
        find_dominators();
        find_loops();
        return std::move(flow_);
    }

  private:
    void cut_into_blocks() {
        std::set<std::size_t> starts{0};
        for (const auto& [label, index] : code_.labels)
            starts.insert(index);
        for (std::size_t i = 0; i < code_.instructions.size(); ++i)
            if (is_branch(code_.instructions[i]) || ends_thread(code_.instructions[i]))
                starts.insert(i + 1);
        for (auto start = starts.begin(); start != starts.end(); ++start) {
            const auto after = std::next(start);
            const std::size_t end = after == starts.end() ? code_.instructions.size() : *after;
            if (*start >= end)
                continue;
            block_at_[*start] = flow_.blocks.size();
            flow_.blocks.push_back({*start, end, {}, false});
        }
    }

    std::optional<std::size_t> block_of(std::string_view label) const {
        const auto index = code_.labels.find(label);
        if (index == code_.labels.end())
            return std::nullopt;
        const auto block = block_at_.find(index->second);
        return block == block_at_.end() ? std::nullopt : std::optional(block->second);
    }

    void connect(std::size_t block) {
        const SassInstruction& last = code_.instructions[flow_.blocks[block].end - 1];
        std::vector<std::size_t>& next = flow_.blocks[block].next;
        if (is_branch(last))
            for (const std::string_view label : targets(last)) {
                const auto target = block_of(label);
                if (target && last.name() == "CALL" && !label.starts_with(".L"))
                    flow_.calls.push_back({block, *target});
                else if (target)
                    next.push_back(*target);
            }
        if (!never_falls_through(last) && block + 1 < flow_.blocks.size())
            next.push_back(block + 1);
        std::sort(next.begin(), next.end());
        next.erase(std::unique(next.begin(), next.end()), next.end());
    }

    /// Numbers what can be reached in post-order, from the first block and from every called
    /// function. Without recursion: there may be very many blocks.
    void number() {
        roots_.assign(flow_.blocks.size(), false);
        post_order_.assign(flow_.blocks.size(), unset);
        if (!flow_.blocks.empty())
            number_from(0);
        for (const SassCall& call : flow_.calls)
            number_from(call.to);
        for (std::size_t block = 0; block < flow_.blocks.size(); ++block)
            flow_.blocks[block].reachable = post_order_[block] != unset;
    }

    void number_from(std::size_t root) {
        roots_[root] = true;
        if (flow_.blocks[root].reachable)
            return;
        std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};
        flow_.blocks[root].reachable = true;
        while (!path.empty()) {
            auto& [block, taken] = path.back();
            if (taken == flow_.blocks[block].next.size()) {
                post_order_[block] = ordered_.size();
                ordered_.push_back(block);
                path.pop_back();
                continue;
            }
            const std::size_t next = flow_.blocks[block].next[taken++];
            if (!flow_.blocks[next].reachable) {
                flow_.blocks[next].reachable = true;
                path.push_back({next, 0});
            }
        }
    }

    /// Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm. A root is its own dominator,
    /// and where two roots meet, nothing is: `unset`, which is above all.
    void find_dominators() {
        before_.assign(flow_.blocks.size(), {});
        for (const std::size_t block : ordered_)
            for (const std::size_t next : flow_.blocks[block].next)
                before_[next].push_back(block);
        dominator_.assign(flow_.blocks.size(), unset);
        known_.assign(flow_.blocks.size(), false);
        for (const std::size_t block : ordered_)
            known_[block] = roots_[block];
        for (bool changed = true; changed;) {
            changed = false;
            for (auto block = ordered_.rbegin(); block != ordered_.rend(); ++block)
                changed |= !roots_[*block] && update(*block);
        }
    }

    bool update(std::size_t block) {
        std::optional<std::size_t> common;
        for (const std::size_t from : before_[block])
            if (known_[from])
                common = common ? meet(*common, from) : from;
        if (!common || (known_[block] && dominator_[block] == *common))
            return false;
        known_[block] = true;
        dominator_[block] = *common;
        return true;
    }

    std::size_t meet(std::size_t a, std::size_t b) const {
        while (a != b) {
            if (a == unset || b == unset)
                return unset;
            if (post_order_[a] < post_order_[b])
                a = dominator_[a];
            else
                b = dominator_[b];
        }
        return a;
    }

    bool dominates(std::size_t above, std::size_t block) const {
        while (block != above && block != unset)
            block = dominator_[block];
        return block == above;
    }

    void find_loops() {
        std::map<std::size_t, std::vector<std::size_t>> latches; // by header
        for (const std::size_t block : ordered_)
            for (const std::size_t next : flow_.blocks[block].next)
                if (dominates(next, block))
                    latches[next].push_back(block);
        for (auto& [header, from] : latches) {
            std::set<std::size_t> blocks{header};
            std::vector<std::size_t> open = from;
            while (!open.empty()) {
                const std::size_t block = open.back();
                open.pop_back();
                if (blocks.insert(block).second)
                    open.insert(open.end(), before_[block].begin(), before_[block].end());
            }
            std::sort(from.begin(), from.end());
            flow_.loops.push_back({header, {blocks.begin(), blocks.end()}, std::move(from)});
        }
        std::stable_sort(flow_.loops.begin(), flow_.loops.end(), [](const auto& a, const auto& b) {
            return a.blocks.size() < b.blocks.size();
        });
    }

    const SassCode& code_;
    SassFlow flow_;
    std::map<std::size_t, std::size_t> block_at_; ///< by its first instruction
    std::vector<bool> roots_, known_;
    std::vector<std::size_t> post_order_, ordered_, dominator_;
    std::vector<std::vector<std::size_t>> before_;
};

} // namespace

bool SassLoop::holds(std::size_t block) const {
    return std::binary_search(blocks.begin(), blocks.end(), block);
}

SassFlow read_flow(const SassCode& code) {
    return FlowReader(code).read();
}

} // namespace slimgrad
