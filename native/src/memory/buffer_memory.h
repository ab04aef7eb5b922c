// Memory of the buffers that a program's own operations allocate and free, with any allocator.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "executor/failure.h"
#include "executor/program.h"
#include "executor/rows.h"
#include "memory/allocator_statistics.h"
#include "memory/caching_allocator.h"
#include "memory/caching_host_allocator.h"

namespace copyscope {

/// The origin of memory. Functions may be called from several threads at once.
class MemorySource {
 public:
  MemorySource() = default;
  MemorySource(const MemorySource&) = delete;
  MemorySource& operator=(const MemorySource&) = delete;
  virtual ~MemorySource() = default;

  /// Allocates like cudaMalloc for device memory, like cudaHostAlloc and others for host memory. Null if none is left.
  virtual std::byte* allocate(const Buffer& buffer) = 0;
  virtual void free(const Buffer& buffer, std::byte* address) = 0;
  /// Allocate and free like cudaMallocAsync and cudaFreeAsync.
  virtual std::byte* allocateFromPool(const Buffer& buffer, int stream) = 0;
  virtual void freeToPool(const Buffer& buffer, std::byte* address, int stream) = 0;
  /// Returns the bytes still available; 0 if unknown.
  virtual std::uint64_t available(const Buffer& buffer) = 0;
  /// Returns the bytes that a device's pool holds.
  virtual std::uint64_t poolReserved(int device) = 0;
  /// Returns the state of the pools.
  virtual std::vector<MemoryReport> poolReports() = 0;
};

class BufferMemory {
 public:
  /// `segments` has one entry for each device. All references must outlive this.
  BufferMemory(const Program& program, MemorySource& source, std::vector<AllocatorDevice*> segments,
               AllocatorDevice& hostSegments, std::uint64_t pinnedBudget);
  /// Frees the memory left by a failed run. The devices must be idle.
  ~BufferMemory();
  BufferMemory(const BufferMemory&) = delete;
  BufferMemory& operator=(const BufferMemory&) = delete;

  /// Returns null before a buffer is allocated and after it is freed.
  std::byte* address(int buffer) const {
    return slots_[static_cast<std::size_t>(buffer)].address.load(std::memory_order_acquire);
  }

  /// Each throws a Failure: `run.not-allocated`, `run.already-allocated` or `run.out-of-memory`.
  CallName allocate(const Instruction& instruction);
  CallName free(const Instruction& instruction);
  void recordStream(const Instruction& instruction);
  CallName allocatePinned(int buffer);

  /// Notes that a copy in `stream` uses the buffer: page-locked memory of the cache is not reused before it is done.
  void noteUse(int buffer, int stream);
  /// Frees all buffers that are still allocated. The devices must be idle.
  void freeAll();

  /// Notes what each allocator holds, if that has changed in this iteration.
  void noteReserved(int iteration);

  std::vector<MemoryReport> report() const;

 private:
  enum class Owner : std::uint8_t { none, source, pool, cache };
  struct Slot {
    std::atomic<std::byte*> address{nullptr};
    Owner owner = Owner::none;
    std::int32_t stream = -1;
  };

  const Buffer& declared(int buffer) const { return program_.buffers[static_cast<std::size_t>(buffer)]; }
  CachedAllocation take(const Buffer& buffer, Owner owner, int stream);
  void give(int buffer, Slot& slot, int stream);
  [[noreturn]] void refuse(const Buffer& buffer, Owner owner);

  const Program& program_;
  MemorySource& source_;
  /// Caches by device.
  std::vector<std::unique_ptr<CachingAllocator>> caches_;
  CachingHostAllocator hostCache_;
  std::vector<Slot> slots_;
  std::mutex notes_;
  /// Steps of the caches by device, of the host's cache, and of the pools by device.
  std::vector<std::vector<ReservedStep>> reservedSteps_;
};

/// Returns the Failure for a buffer that no operation has allocated, or that one has freed.
Failure notAllocated(const Buffer& buffer);

}  // namespace copyscope
