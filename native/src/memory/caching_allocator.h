// Device memory with PyTorch's reuse rules (c10/cuda/CUDACachingAllocator.cpp): blocks are split from segments that
// stay with the allocator, and a freed block can be reused in its own stream at once, whatever still runs there.
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

class CachingAllocator {
 public:
  /// `device` must outlive the allocator.
  explicit CachingAllocator(AllocatorDevice& device) : device_(device) {}
  /// Frees all segments. The device must be idle.
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  /// Returns at least `bytes` for work in `stream`; a null address if the device has no more, even without the cache.
  CachedAllocation allocate(std::uint64_t bytes, int stream);
  /// Frees a block. Work of its own stream may still use it, that of another stream only after recordStream().
  void free(std::byte* address);
  /// Notes that `stream` uses the block: after free() it is not reused before the present work in `stream` is done.
  void recordStream(std::byte* address, int stream);
  /// Frees whole unused segments until no more than `keptBytes` are held, without waiting.
  void trim(std::uint64_t keptBytes);

  AllocatorStatistics statistics() const;
  /// Returns all blocks in order of address.
  std::vector<BlockSnapshot> snapshot() const;

  /// Returns a request rounded up to a multiple of 512 bytes.
  static std::uint64_t roundedSize(std::uint64_t bytes);
  /// Returns the segment size for a rounded request: 2 MiB up to 1 MiB, 20 MiB below 10 MiB, else a multiple of 2 MiB.
  static std::uint64_t segmentSize(std::uint64_t roundedBytes);

 private:
  struct Block {
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;
    std::uint64_t requested = 0;
    int stream = -1;
    bool isSmall = false;
    bool isAllocated = false;
    /// Number of marks that must be reached before it is free.
    int pendingMarks = 0;
    /// Other streams that use it.
    std::set<int> uses;
    /// Neighbours in its segment.
    Block* previous = nullptr;
    Block* next = nullptr;
  };
  /// Order of the free blocks: the first that is not less than (stream, bytes) fits best.
  struct BestFit {
    bool operator()(const Block* a, const Block* b) const;
  };
  using FreeBlocks = std::set<Block*, BestFit>;

  Block* takeFree(std::uint64_t bytes, int stream, bool isSmall);
  Block* addSegment(std::uint64_t bytes, int stream, bool isSmall);
  void splitOff(Block* block, std::uint64_t bytes);
  void makeFree(Block* block);
  void merge(Block* into, Block* neighbour);
  void markUses(Block* block);
  void processMarks(bool wait);
  void release(std::uint64_t keptBytes);
  FreeBlocks& freeBlocks(bool isSmall) { return isSmall ? small_ : large_; }

  AllocatorDevice& device_;
  mutable std::mutex mutex_;
  std::map<std::byte*, std::unique_ptr<Block>> blocks_;
  FreeBlocks small_;
  FreeBlocks large_;
  /// Marks in order, by stream.
  std::map<int, std::deque<std::pair<int, Block*>>> marks_;
  AllocatorStatistics statistics_;
};

}  // namespace copyscope
