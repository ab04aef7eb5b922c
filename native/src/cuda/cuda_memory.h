// The CUDA engine's memory: buffers of every kind, pools, and the segments of the caching allocators.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/cuda_devices.h"
#include "executor/host_memory.h"
#include "memory/buffer_memory.h"

namespace copyscope {

/// Memory of a buffer, held by one of the owners.
struct CudaAllocation {
  DeviceMemory device;
  PinnedMemory pinned;
  Pages pageable;
  /// Destroyed before the pages that it locks.
  HostRegistration registration;
  std::byte* address = nullptr;
};

/// Allocates memory of the buffer's kind; the address is null if the system has no pages. Throws a Failure.
CudaAllocation allocateBuffer(const Buffer& buffer, const CudaDevices& devices);

/// Streams of a program, in which marks are set.
class CudaMarks {
 public:
  CudaMarks(const Program& program, const CudaDevices& devices, const std::vector<cudaStream_t>& streams)
      : program_(program), devices_(devices), streams_(streams) {}

  int mark(int stream);
  bool isReached(int mark);
  void wait(int mark);
  void forget(int mark) noexcept;

 private:
  struct Mark {
    int device = 0;
    OwnedEvent event;
  };
  cudaEvent_t eventOf(int mark);

  const Program& program_;
  const CudaDevices& devices_;
  const std::vector<cudaStream_t>& streams_;
  std::mutex mutex_;
  std::map<int, Mark> marks_;
  /// Events for reuse, by device.
  std::map<int, std::vector<OwnedEvent>> spare_;
  int lastMark_ = 0;
};

/// Segments of one device, or of page-locked host memory if `device` is -1.
class CudaSegments final : public AllocatorDevice {
 public:
  CudaSegments(CudaMarks& marks, const CudaDevices& devices, int device)
      : marks_(marks), devices_(devices), device_(device) {}

  std::byte* allocateSegment(std::uint64_t bytes) override;
  void freeSegment(std::byte* segment) noexcept override;
  int mark(int stream) override { return marks_.mark(stream); }
  bool isReached(int mark) override { return marks_.isReached(mark); }
  void wait(int mark) override { marks_.wait(mark); }
  void forget(int mark) noexcept override { marks_.forget(mark); }

 private:
  CudaMarks& marks_;
  const CudaDevices& devices_;
  const int device_;
};

class CudaMemory final : public MemorySource {
 public:
  CudaMemory(const Program& program, const CudaDevices& devices, const std::vector<cudaStream_t>& streams);
  /// Returns the pools' memory, and restores their settings.
  ~CudaMemory() override;

  std::vector<AllocatorDevice*> segments() const;
  AllocatorDevice& hostSegments() { return *host_; }

  std::byte* allocate(const Buffer& buffer) override;
  void free(const Buffer& buffer, std::byte* address) override;
  std::byte* allocateFromPool(const Buffer& buffer, int stream) override;
  void freeToPool(const Buffer& buffer, std::byte* address, int stream) override;
  std::uint64_t available(const Buffer& buffer) override;
  std::uint64_t poolReserved(int device) override;
  std::vector<MemoryReport> poolReports() override;
  void freeParked() { parked_.clear(); }

 private:
  struct Pool {
    cudaMemPool_t handle = nullptr;
    /// Bytes that it kept when all was freed, before this run.
    std::uint64_t threshold = 0;
    std::uint64_t allocations = 0;
  };
  Pool& pool(int device);

  const Program& program_;
  const CudaDevices& devices_;
  const std::vector<cudaStream_t>& streams_;
  CudaMarks marks_;
  std::vector<std::unique_ptr<CudaSegments>> segments_;
  std::unique_ptr<CudaSegments> host_;
  std::mutex mutex_;
  std::map<std::byte*, CudaAllocation> allocations_;
  /// Freed pageable memory, until no work of the iteration can reach it.
  std::vector<CudaAllocation> parked_;
  /// Pools by device; opened at the first use.
  std::map<int, Pool> pools_;
};

}  // namespace copyscope
