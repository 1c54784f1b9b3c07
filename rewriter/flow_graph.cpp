#include "rewriter/flow_graph.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace slimgrad {

namespace {

// Bits of all blocks together; what is larger takes seconds.
constexpr std::size_t most_bits = std::size_t(1) << 26;

using Bits = std::vector<std::uint64_t>;

bool test(const Bits& bits, std::size_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}
void set(Bits& bits, std::size_t i) {
    bits[i / 64] |= std::uint64_t(1) << (i % 64);
}
void clear(Bits& bits, std::size_t i) {
    bits[i / 64] &= ~(std::uint64_t(1) << (i % 64));
}

} // namespace

/// Forward data flow over facts (definition, loop that carried it).
class ReachingDefinitions {
  public:
    ReachingDefinitions(const FlowGraph& graph, FunctionFlow& flow, const std::vector<Loop>& loops)
        : graph_(graph), flow_(flow), loops_(loops) {}

    bool run() {
        number_facts();
        const std::size_t words = facts_.size() / 64 + 1;
        if (words * 64 * graph_.blocks_.size() > most_bits)
            return false;
        in_.assign(graph_.blocks_.size(), Bits(words));
        spread();
        for (std::size_t block = 0; block < graph_.blocks_.size(); ++block) {
            if (reached_[block])
                read_uses(block);
        }
        return true;
    }

  private:
    struct Fact {
        Index definition;
        Index carried_by;
    };

    /// Facts of one variable stand together, so that a definition ends a range of bits.
    void number_facts() {
        const std::size_t count = flow_.definitions.size();
        std::vector<Index> order(count);
        std::iota(order.begin(), order.end(), Index{0});
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
            return flow_.definitions[a].variable < flow_.definitions[b].variable;
        });
        first_fact_.resize(count);
        range_of_.assign(flow_.variables.size(), {0, 0});
        for (Index definition : order) {
            auto& range = range_of_[flow_.definitions[definition].variable];
            if (range.first == range.second)
                range = {facts_.size(), facts_.size()};
            first_fact_[definition] = facts_.size();
            facts_.push_back({definition, none});
            for (Index loop = flow_.definitions[definition].loop; loop != none;
                 loop = loops_[loop].parent)
                facts_.push_back({definition, loop});
            range.second = facts_.size();
        }
    }

    bool is_inside(Index inner, Index loop) const {
        while (inner != none && inner != loop)
            inner = loops_[inner].parent;
        return inner == loop;
    }

    std::size_t fact(Index definition, Index carried_by) const {
        std::size_t found = first_fact_[definition];
        while (facts_[found].carried_by != carried_by)
            ++found;
        return found;
    }

    /// What comes out of a block on the way to another one.
    void pass(const Bits& from, Index from_loop, FlowGraph::BlockId to, Bits& result) const {
        result = from;
        // Loops that the edge leaves carry nothing any more.
        const Index to_loop = graph_.blocks_[to].loop;
        for (Index loop = from_loop; loop != none && !is_inside(to_loop, loop);
             loop = loops_[loop].parent)
            move(result, loop, none);
        const auto head =
            std::find_if(graph_.heads_.begin(), graph_.heads_.end(), [&](const auto& entry) {
                return entry.second == to && is_inside(from_loop, entry.first);
            });
        if (head != graph_.heads_.end())
            carry(result, head->first);
    }

    void move(Bits& bits, Index from, Index to) const {
        for (std::size_t i = 0; i < facts_.size(); ++i) {
            if (facts_[i].carried_by == from && test(bits, i)) {
                clear(bits, i);
                set(bits, fact(facts_[i].definition, to));
            }
        }
    }

    /// To the next trip of the loop: what is defined in it is carried.
    void carry(Bits& bits, Index loop) const {
        for (std::size_t i = 0; i < facts_.size(); ++i) {
            if (test(bits, i) && is_inside(flow_.definitions[facts_[i].definition].loop, loop)) {
                clear(bits, i);
                set(bits, fact(facts_[i].definition, loop));
            }
        }
    }

    void define(Bits& bits, Index definition) const {
        const Definition& d = flow_.definitions[definition];
        if (!d.partial) {
            for (std::size_t i = range_of_[d.variable].first; i < range_of_[d.variable].second; ++i)
                clear(bits, i);
        }
        set(bits, first_fact_[definition]);
    }

    void spread() {
        reached_.assign(graph_.blocks_.size(), false);
        std::vector<FlowGraph::BlockId> work{0};
        reached_[0] = true;
        std::vector<bool> waiting(graph_.blocks_.size(), false);
        Bits passed;
        while (!work.empty()) {
            const FlowGraph::BlockId block = work.back();
            work.pop_back();
            waiting[block] = false;
            Bits out = in_[block];
            for (const auto& event : graph_.blocks_[block].events) {
                if (event.kind == FlowGraph::EventKind::definition)
                    define(out, event.index);
            }
            for (FlowGraph::BlockId next : graph_.blocks_[block].successors) {
                pass(out, graph_.blocks_[block].loop, next, passed);
                bool changed = !reached_[next];
                reached_[next] = true;
                for (std::size_t word = 0; word < passed.size(); ++word) {
                    changed |= (passed[word] & ~in_[next][word]) != 0;
                    in_[next][word] |= passed[word];
                }
                if (changed && !waiting[next]) {
                    waiting[next] = true;
                    work.push_back(next);
                }
            }
        }
    }

    void read_uses(std::size_t block) {
        Bits bits = in_[block];
        for (const auto& event : graph_.blocks_[block].events) {
            if (event.kind == FlowGraph::EventKind::definition) {
                define(bits, event.index);
                continue;
            }
            Use& use = flow_.uses[event.index];
            const auto [begin, end] = range_of_[use.variable];
            for (std::size_t i = begin; i < end; ++i) {
                if (test(bits, i))
                    add(use, {facts_[i].definition, facts_[i].carried_by});
            }
        }
    }

    /// Keeps the order, and one entry of a kind: code that runs at several ends of a scope is read
    /// several times.
    static void add(Use& use, ReachingDefinition reaching) {
        const auto at = std::lower_bound(use.reaching.begin(), use.reaching.end(), reaching,
                                         [](const auto& a, const auto& b) {
                                             return std::pair(a.definition, a.carried_by) <
                                                    std::pair(b.definition, b.carried_by);
                                         });
        if (at == use.reaching.end() || at->definition != reaching.definition ||
            at->carried_by != reaching.carried_by)
            use.reaching.insert(at, reaching);
    }

    const FlowGraph& graph_;
    FunctionFlow& flow_;
    const std::vector<Loop>& loops_;
    std::vector<Fact> facts_;
    std::vector<std::size_t> first_fact_;                       ///< per definition
    std::vector<std::pair<std::size_t, std::size_t>> range_of_; ///< per variable
    std::vector<Bits> in_;                                      ///< per block
    std::vector<bool> reached_;
};

FlowGraph::BlockId FlowGraph::add_block(Index loop) {
    blocks_.push_back({loop, {}, {}});
    return BlockId(blocks_.size() - 1);
}

void FlowGraph::replace_calls(const std::function<std::vector<Index>(Index call)>& definitions) {
    std::map<Index, std::vector<Index>> known; // a deferred call stands in several blocks
    for (Block& block : blocks_) {
        std::vector<Event> events;
        for (const Event& event : block.events) {
            if (event.kind != EventKind::call) {
                events.push_back(event);
                continue;
            }
            const auto [entry, is_new] = known.try_emplace(event.index);
            if (is_new)
                entry->second = definitions(event.index);
            for (Index definition : entry->second)
                events.push_back({EventKind::definition, definition});
        }
        block.events = std::move(events);
    }
}

bool FlowGraph::find_reaching(FunctionFlow& flow, const std::vector<Loop>& loops) const {
    return blocks_.empty() || ReachingDefinitions(*this, flow, loops).run();
}

} // namespace slimgrad
