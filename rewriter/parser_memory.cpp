#include "rewriter/parser_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <tree_sitter/api.h>

namespace slimgrad {

namespace {

// A node's children stand in one block with it, 8 bytes each: smaller blocks have fewer than 65,536.
constexpr std::size_t large = 65'536 * 8;

std::mutex mutex;
std::map<char*, std::size_t, std::greater<>> large_blocks; // size by start; guarded by `mutex`
std::atomic<std::size_t> large_count{0}; // of those in the map: most parses have none

void* noted(void* block, std::size_t size) {
    if (!block && size > 0)
        std::abort(); // as libtree-sitter does: it cannot go on
    if (size >= large) {
        const std::lock_guard lock(mutex);
        large_blocks[static_cast<char*>(block)] = size;
        large_count = large_blocks.size();
    }
    return block;
}

/// The start of the block that the pointer is in, which is no longer noted.
void* forgotten(void* pointer) {
    if (large_count == 0)
        return pointer;
    const std::lock_guard lock(mutex);
    char* const at = static_cast<char*>(pointer);
    const auto block = large_blocks.lower_bound(at); // descending: the last one that starts at or before
    if (block == large_blocks.end() ||
        static_cast<std::size_t>(at - block->first) >= block->second)
        return pointer;
    char* const start = block->first;
    large_blocks.erase(block);
    large_count = large_blocks.size();
    return start;
}

void* allocate(std::size_t size) {
    return noted(std::malloc(size), size);
}

void* allocate_zeroed(std::size_t count, std::size_t size) {
    return noted(std::calloc(count, size), count * size);
}

void* reallocate(void* pointer, std::size_t size) {
    return noted(std::realloc(forgotten(pointer), size), size);
}

void release(void* pointer) {
    std::free(forgotten(pointer));
}

} // namespace

void guard_parser_memory() {
    static std::once_flag once;
    std::call_once(once,
                   [] { ts_set_allocator(allocate, allocate_zeroed, reallocate, release); });
}

} // namespace slimgrad
