#include "memory/caching_host_allocator.h"

#include <algorithm>

namespace copyscope {

std::uint64_t CachingHostAllocator::roundedSize(std::uint64_t bytes) {
  std::uint64_t size = 1;
  while (size < bytes) size *= 2;
  return size;
}

CachingHostAllocator::~CachingHostAllocator() {
  for (const auto& entry : marks_) device_.forget(entry.first);
  for (const auto& entry : blocks_) device_.freeSegment(entry.first);
}

CachedAllocation CachingHostAllocator::allocate(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  processMarks(false);
  const std::uint64_t rounded = roundedSize(bytes);
  Block* block = takeFree(rounded);
  const bool isNew = block == nullptr;
  if (isNew) block = addBlock(rounded);
  if (block == nullptr) {
    release();
    block = addBlock(rounded);
    ++(block == nullptr ? statistics_.failures : statistics_.retries);
  }
  if (block == nullptr) return {};
  block->isAllocated = true;
  block->requested = bytes;
  ++statistics_.allocations;
  statistics_.allocatedBytes += rounded;
  statistics_.peakAllocatedBytes = std::max(statistics_.peakAllocatedBytes, statistics_.allocatedBytes);
  return {block->address, isNew};
}

CachingHostAllocator::Block* CachingHostAllocator::takeFree(std::uint64_t bytes) {
  const auto found = free_.find(bytes);
  if (found == free_.end() || found->second.empty()) return nullptr;
  Block* const block = found->second.back();
  found->second.pop_back();
  return block;
}

/// Returns null if it would exceed the budget, or the device has no memory.
CachingHostAllocator::Block* CachingHostAllocator::addBlock(std::uint64_t bytes) {
  if (bytes > budget_ || statistics_.reservedBytes > budget_ - bytes) return nullptr;
  std::byte* const address = device_.allocateSegment(bytes);
  if (address == nullptr) return nullptr;
  auto block = std::make_unique<Block>();
  block->address = address;
  block->bytes = bytes;
  ++statistics_.segmentsAllocated;
  statistics_.reservedBytes += bytes;
  statistics_.peakReservedBytes = std::max(statistics_.peakReservedBytes, statistics_.reservedBytes);
  return (blocks_[address] = std::move(block)).get();
}

void CachingHostAllocator::free(std::byte* address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end() || !found->second->isAllocated) return;
  Block* const block = found->second.get();
  block->isAllocated = false;
  block->requested = 0;
  statistics_.allocatedBytes -= block->bytes;
  if (block->uses.empty()) return makeFree(block);
  for (const int stream : block->uses) {
    marks_.emplace_back(device_.mark(stream), block);
    ++block->pendingMarks;
  }
  block->uses.clear();
}

void CachingHostAllocator::recordStream(std::byte* address, int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = blocks_.find(address);
  if (found != blocks_.end()) found->second->uses.insert(stream);
}

/// Frees the blocks whose marks have been reached, up to the first unreached one; with `wait`, all of them.
void CachingHostAllocator::processMarks(bool wait) {
  while (!marks_.empty()) {
    const auto [mark, block] = marks_.front();
    if (wait) {
      device_.wait(mark);
    } else if (!device_.isReached(mark)) {
      return;
    }
    device_.forget(mark);
    marks_.pop_front();
    if (--block->pendingMarks == 0) makeFree(block);
  }
}

void CachingHostAllocator::release() {
  processMarks(true);
  for (auto& [bytes, blocks] : free_) {
    for (Block* const block : blocks) {
      device_.freeSegment(block->address);
      ++statistics_.segmentsFreed;
      statistics_.reservedBytes -= bytes;
      blocks_.erase(block->address);
    }
  }
  free_.clear();
}

AllocatorStatistics CachingHostAllocator::statistics() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return statistics_;
}

std::vector<BlockSnapshot> CachingHostAllocator::snapshot() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<BlockSnapshot> blocks;
  for (const auto& [address, block] : blocks_) {
    BlockSnapshot shown = snapshotOf(*block);
    shown.segment = static_cast<std::uint32_t>(blocks.size());
    blocks.push_back(shown);
  }
  return blocks;
}

}  // namespace copyscope
