#include "memory/caching_allocator.h"

#include <algorithm>
#include <tuple>

namespace copyscope {
namespace {

// PyTorch's values.
constexpr std::uint64_t leastBlock = 512;
constexpr std::uint64_t smallSize = 1u << 20;
constexpr std::uint64_t smallSegment = 2u << 20;
constexpr std::uint64_t largeSegment = 20u << 20;
constexpr std::uint64_t leastOwnSegment = 10u << 20;
constexpr std::uint64_t segmentRounding = 2u << 20;

std::uint64_t roundedUp(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Returns true if the rest of a block is worth a block of its own.
bool isWorthSplitting(bool isSmall, std::uint64_t remaining) {
  return isSmall ? remaining >= leastBlock : remaining > smallSize;
}

}  // namespace

std::uint64_t CachingAllocator::roundedSize(std::uint64_t bytes) {
  return std::max(leastBlock, roundedUp(bytes, leastBlock));
}

std::uint64_t CachingAllocator::segmentSize(std::uint64_t roundedBytes) {
  if (roundedBytes <= smallSize) return smallSegment;
  return roundedBytes < leastOwnSegment ? largeSegment : roundedUp(roundedBytes, segmentRounding);
}

bool CachingAllocator::BestFit::operator()(const Block* a, const Block* b) const {
  return std::tie(a->stream, a->bytes, a->address) < std::tie(b->stream, b->bytes, b->address);
}

CachingAllocator::~CachingAllocator() {
  for (const auto& [stream, marks] : marks_) {
    for (const auto& entry : marks) device_.forget(entry.first);
  }
  for (const auto& [address, block] : blocks_) {
    if (block->previous == nullptr) device_.freeSegment(address);
  }
}

CachedAllocation CachingAllocator::allocate(std::uint64_t bytes, int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  processMarks(false);
  const std::uint64_t rounded = roundedSize(bytes);
  const bool isSmall = rounded <= smallSize;
  Block* block = takeFree(rounded, stream, isSmall);
  const bool isNew = block == nullptr;
  if (isNew) block = addSegment(segmentSize(rounded), stream, isSmall);
  if (block == nullptr) {
    processMarks(true);
    release(0);
    block = addSegment(segmentSize(rounded), stream, isSmall);
    ++(block == nullptr ? statistics_.failures : statistics_.retries);
  }
  if (block == nullptr) return {};
  if (isWorthSplitting(isSmall, block->bytes - rounded)) splitOff(block, rounded);
  block->isAllocated = true;
  block->requested = bytes;
  ++statistics_.allocations;
  statistics_.allocatedBytes += block->bytes;
  statistics_.peakAllocatedBytes = std::max(statistics_.peakAllocatedBytes, statistics_.allocatedBytes);
  return {block->address, isNew};
}

CachingAllocator::Block* CachingAllocator::takeFree(std::uint64_t bytes, int stream, bool isSmall) {
  FreeBlocks& free = freeBlocks(isSmall);
  Block wanted;
  wanted.stream = stream;
  wanted.bytes = bytes;
  const auto found = free.lower_bound(&wanted);
  if (found == free.end() || (*found)->stream != stream) return nullptr;
  Block* const block = *found;
  free.erase(found);
  return block;
}

/// Returns null if the device has no memory.
CachingAllocator::Block* CachingAllocator::addSegment(std::uint64_t bytes, int stream, bool isSmall) {
  std::byte* const address = device_.allocateSegment(bytes);
  if (address == nullptr) return nullptr;
  auto block = std::make_unique<Block>();
  block->address = address;
  block->bytes = bytes;
  block->stream = stream;
  block->isSmall = isSmall;
  ++statistics_.segmentsAllocated;
  statistics_.reservedBytes += bytes;
  statistics_.peakReservedBytes = std::max(statistics_.peakReservedBytes, statistics_.reservedBytes);
  return (blocks_[address] = std::move(block)).get();
}

/// Keeps the first `bytes` of the block; the rest becomes a free block after it.
void CachingAllocator::splitOff(Block* block, std::uint64_t bytes) {
  auto rest = std::make_unique<Block>();
  rest->address = block->address + bytes;
  rest->bytes = block->bytes - bytes;
  rest->stream = block->stream;
  rest->isSmall = block->isSmall;
  rest->previous = block;
  rest->next = block->next;
  if (rest->next != nullptr) rest->next->previous = rest.get();
  block->next = rest.get();
  block->bytes = bytes;
  freeBlocks(rest->isSmall).insert(rest.get());
  blocks_[rest->address] = std::move(rest);
}

void CachingAllocator::free(std::byte* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || !found->second->isAllocated) return;
  Block* const block = found->second.get();
  block->isAllocated = false;
  block->requested = 0;
  statistics_.allocatedBytes -= block->bytes;
  if (block->uses.empty()) return makeFree(block);
  markUses(block);
}

void CachingAllocator::recordStream(std::byte* address, int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found != blocks_.end() && found->second->stream != stream) found->second->uses.insert(stream);
}

void CachingAllocator::markUses(Block* block) {
  for (const int stream : block->uses) {
    marks_[stream].emplace_back(device_.mark(stream), block);
    ++block->pendingMarks;
  }
  block->uses.clear();
}

/// Frees the blocks whose marks have been reached; with `wait`, all of them.
void CachingAllocator::processMarks(bool wait) {
  for (auto& [stream, marks] : marks_) {
    while (!marks.empty()) {
      const auto [mark, block] = marks.front();
      if (wait) {
        device_.wait(mark);
      } else if (!device_.isReached(mark)) {
        break;  // Later ones of the same stream are not reached either.
      }
      device_.forget(mark);
      marks.pop_front();
      if (--block->pendingMarks == 0) makeFree(block);
    }
  }
}

void CachingAllocator::makeFree(Block* block) {
  const auto isFree = [](const Block* other) {
    return other != nullptr && !other->isAllocated && other->pendingMarks == 0;
  };
  if (isFree(block->next)) {
    freeBlocks(block->isSmall).erase(block->next);
    merge(block, block->next);
  }
  if (isFree(block->previous)) {
    Block* const previous = block->previous;
    freeBlocks(block->isSmall).erase(previous);
    merge(previous, block);
    block = previous;
  }
  freeBlocks(block->isSmall).insert(block);
}

/// Joins `neighbour`, which follows `into` directly, to it, and deletes it.
void CachingAllocator::merge(Block* into, Block* neighbour) {
  into->bytes += neighbour->bytes;
  into->next = neighbour->next;
  if (into->next != nullptr) into->next->previous = into;
  blocks_.erase(neighbour->address);
}

void CachingAllocator::trim(std::uint64_t keptBytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  processMarks(false);
  release(keptBytes);
}

void CachingAllocator::release(std::uint64_t keptBytes) {
  for (FreeBlocks* free : {&small_, &large_}) {
    for (auto next = free->begin(); next != free->end() && statistics_.reservedBytes > keptBytes;) {
      Block* const block = *next;
      const bool isWhole = block->previous == nullptr && block->next == nullptr;
      next = isWhole ? free->erase(next) : std::next(next);
      if (!isWhole) continue;
      device_.freeSegment(block->address);
      ++statistics_.segmentsFreed;
      statistics_.reservedBytes -= block->bytes;
      blocks_.erase(block->address);
    }
  }
}

AllocatorStatistics CachingAllocator::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statistics_;
}

std::vector<BlockSnapshot> CachingAllocator::snapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<BlockSnapshot> blocks;
  std::uint32_t segments = 0;
  std::byte* start = nullptr;
  for (const auto& [address, block] : blocks_) {
    if (block->previous == nullptr) {
      start = address;
      ++segments;
    }
    BlockSnapshot shown = snapshotOf(*block);
    shown.segment = segments - 1;
    shown.offset = static_cast<std::uint64_t>(address - start);
    shown.stream = block->stream;
    blocks.push_back(shown);
  }
  return blocks;
}

}  // namespace copyscope
