// The CPU engine's memory for buffers that operations allocate: host pages for every kind of memory.
#pragma once

#include <map>
#include <mutex>

#include "cpu/cpu_tickets.h"
#include "executor/host_memory.h"
#include "memory/buffer_memory.h"

namespace copyscope {

/// Segments of host pages, and marks in the CPU engine's streams.
class CpuSegments final : public AllocatorDevice {
 public:
  explicit CpuSegments(CpuTickets& tickets) : tickets_(tickets) {}

  std::byte* allocateSegment(std::uint64_t bytes) override;
  void freeSegment(std::byte* segment) noexcept override { FreePages()(segment); }
  int mark(int stream) override;
  bool isReached(int mark) override { return tickets_.isReached(ticketOf(mark)); }
  void wait(int mark) override { tickets_.wait(ticketOf(mark)); }
  void forget(int mark) noexcept override;

 private:
  Ticket ticketOf(int mark);

  CpuTickets& tickets_;
  std::mutex mutex_;
  std::map<int, Ticket> marks_;
  int lastMark_ = 0;
};

class CpuMemory final : public MemorySource {
 public:
  CpuMemory(CpuTickets& tickets, const Program& program);

  std::vector<AllocatorDevice*> segments() const;
  AllocatorDevice& hostSegments() { return host_; }

  std::byte* allocate(const Buffer& buffer) override;
  /// Waits for all streams, like cudaFree and cudaFreeHost. Pageable memory is kept until freeParked() instead.
  void free(const Buffer& buffer, std::byte* address) override;
  std::byte* allocateFromPool(const Buffer& buffer, int stream) override;
  void freeToPool(const Buffer& buffer, std::byte* address, int stream) override;
  std::uint64_t available(const Buffer& buffer) override;
  std::uint64_t poolReserved(int device) override {
    return pools_[static_cast<std::size_t>(device)]->statistics().reservedBytes;
  }
  std::vector<MemoryReport> poolReports() override;

  void freeParked() { parked_.clear(); }
  /// Gives back what pools hold beyond their release threshold, as a synchronise does.
  void trimPools();

 private:
  CpuTickets& tickets_;
  const Program& program_;
  CpuSegments host_;
  /// Segments and pools by device.
  std::vector<std::unique_ptr<CpuSegments>> devices_;
  std::vector<std::unique_ptr<CachingAllocator>> pools_;
  std::mutex mutex_;
  std::vector<Pages> parked_;
};

}  // namespace copyscope
