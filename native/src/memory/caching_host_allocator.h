// Page-locked host memory with the reuse rules of PyTorch's caching host allocator
// (ATen/cuda/CachingHostAllocator.cpp): blocks of a power of two bytes that stay with the allocator, and are reused
// only after all recorded uses.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "memory/allocator_device.h"
#include "memory/allocator_statistics.h"

namespace copyscope {

class CachingHostAllocator {
 public:
  /// Holds at most `budget` bytes. `device` must outlive the allocator.
  CachingHostAllocator(AllocatorDevice& device, std::uint64_t budget) : device_(device), budget_(budget) {}
  /// Frees all memory. The device must be idle.
  ~CachingHostAllocator();
  CachingHostAllocator(const CachingHostAllocator&) = delete;
  CachingHostAllocator& operator=(const CachingHostAllocator&) = delete;

  /// Returns a null address if the budget or the system's memory is used up.
  CachedAllocation allocate(std::uint64_t bytes);
  /// Frees a block, which is reused when the present work in each recorded stream has completed.
  void free(std::byte* address);
  /// Notes that a copy in `stream` uses the block.
  void recordStream(std::byte* address, int stream);

  std::uint64_t budget() const { return budget_; }
  AllocatorStatistics statistics() const;
  /// Returns all blocks in order of address, each in a segment of its own.
  std::vector<BlockSnapshot> snapshot() const;

  /// Returns the next power of two.
  static std::uint64_t roundedSize(std::uint64_t bytes);

 private:
  struct Block {
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t requested = 0;
    bool isAllocated = false;
    int pendingMarks = 0;
    std::set<int> uses;
  };

  Block* addBlock(std::uint64_t bytes);
  Block* takeFree(std::uint64_t bytes);
  void makeFree(Block* block) { free_[block->bytes].push_back(block); }
  void processMarks(bool wait);
  void release();

  AllocatorDevice& device_;
  const std::uint64_t budget_;
  mutable std::mutex mutex_;
  std::map<std::byte*, std::unique_ptr<Block>> blocks_;
  /// Free blocks by size.
  std::map<std::uint64_t, std::vector<Block*>> free_;
  std::deque<std::pair<int, Block*>> marks_;
  AllocatorStatistics statistics_;
};

}  // namespace copyscope
