#pragma once

#include "rewriter/variable_flow.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace slimgrad {

/// The control flow of one function while its body is read: blocks of definitions and uses in the
/// order in which they run.
class FlowGraph {
  public:
    using BlockId = std::uint32_t;

    /// A new block in the loop `loop` (or none).
    BlockId add_block(Index loop);
    std::size_t size() const { return blocks_.size(); }
    void add_edge(BlockId from, BlockId to) { blocks_[from].successors.push_back(to); }
    void add_definition(BlockId block, Index definition) {
        blocks_[block].events.push_back({EventKind::definition, definition});
    }
    void add_use(BlockId block, Index use) {
        blocks_[block].events.push_back({EventKind::use, use});
    }
    /// A call whose definitions are only known when the body is read.
    void add_call(BlockId block, Index call) {
        blocks_[block].events.push_back({EventKind::call, call});
    }
    /// Puts definitions in the place of the calls, those of each call once made.
    void replace_calls(const std::function<std::vector<Index>(Index call)>& definitions);
    /// Where `loop` begins its next trip: edges to it from inside carry values.
    void set_head(Index loop, BlockId block) { heads_.emplace_back(loop, block); }

    /// Fills Use::reaching from block 0 on. `loops` are the model's. False: the function is too
    /// large, and nothing is filled.
    bool find_reaching(FunctionFlow& flow, const std::vector<Loop>& loops) const;

  private:
    enum class EventKind { definition, use, call };
    struct Event {
        EventKind kind;
        Index index;
    };
    struct Block {
        Index loop = none;
        std::vector<Event> events;
        std::vector<BlockId> successors;
    };
    friend class ReachingDefinitions;

    std::vector<Block> blocks_;
    std::vector<std::pair<Index, BlockId>> heads_;
};

} // namespace slimgrad
