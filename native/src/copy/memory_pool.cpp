#include "copy/memory_pool.h"

#include <algorithm>

namespace copyscope::copy {

std::uint64_t blockBytes(std::uint64_t bytes) {
  constexpr std::uint64_t least = 512;
  if (bytes <= least) return least;
  std::uint64_t power = least;
  while (power * 2 <= bytes) power *= 2;
  const std::uint64_t step = std::max(least, power / 8);
  return (bytes + step - 1) / step * step;
}

MemoryPool::MemoryPool(Allocate allocate, Free release, std::uint64_t budget, Budget budgetFor)
    : allocate_(std::move(allocate)), release_(std::move(release)), budget_(budget), budgetFor_(budgetFor) {}

MemoryPool::~MemoryPool() { trimLocked(); }

BlockRef MemoryPool::take(std::uint64_t bytes) {
  const std::uint64_t whole = blockBytes(bytes);
  // The reference comes first, so that no memory is lost if there is no room for it.
  const std::shared_ptr<MemoryPool> self = shared_from_this();
  const std::shared_ptr<Block> block(new Block{nullptr, whole}, [self](const Block* ended) {
    if (ended->memory != nullptr) self->putBack(*ended);
    delete ended;
  });
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::byte*>& unused = unused_[whole];
  if (!unused.empty()) {
    block->memory = unused.back();
    unused.pop_back();
  } else {
    block->memory = reserve(whole);
  }
  if (block->memory == nullptr) return nullptr;
  counts_.usedBytes += whole;
  return block;
}

std::byte* MemoryPool::reserve(std::uint64_t bytes) {
  if (budgetFor_ == Budget::held) {
    if (isOver(counts_.reservedBytes + bytes)) trimLocked();
    if (isOver(counts_.reservedBytes + bytes)) return nullptr;
  }
  void* memory = allocate_(static_cast<std::size_t>(bytes));
  if (memory == nullptr) {
    trimLocked();
    memory = allocate_(static_cast<std::size_t>(bytes));
  }
  if (memory == nullptr) return nullptr;
  auto* const start = static_cast<std::byte*>(memory);
  try {
    blocks_[start] = bytes;
  } catch (...) {
    release_(memory);
    throw;
  }
  ++counts_.allocations;
  counts_.allocatedBytes += bytes;
  counts_.reservedBytes += bytes;
  return start;
}

const std::byte* MemoryPool::blockOf(const void* memory, std::uint64_t bytes) const {
  const auto* const start = static_cast<const std::byte*>(memory);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto after = blocks_.upper_bound(start);
  if (after == blocks_.begin()) return nullptr;
  --after;
  return start + bytes <= after->first + after->second ? after->first : nullptr;
}

void MemoryPool::trim() {
  const std::lock_guard<std::mutex> lock(mutex_);
  trimLocked();
}

PoolCounts MemoryPool::counts() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void MemoryPool::putBack(Block block) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  counts_.usedBytes -= block.bytes;
  if (budgetFor_ == Budget::kept && isOver(counts_.reservedBytes - counts_.usedBytes)) {
    giveBack(block.memory, block.bytes);
  } else {
    unused_[block.bytes].push_back(block.memory);
  }
}

void MemoryPool::trimLocked() noexcept {
  for (auto& [bytes, list] : unused_) {
    for (std::byte* memory : list) giveBack(memory, bytes);
  }
  unused_.clear();
}

void MemoryPool::giveBack(std::byte* memory, std::uint64_t bytes) noexcept {
  blocks_.erase(memory);
  counts_.reservedBytes -= bytes;
  release_(memory);
}

}  // namespace copyscope::copy
