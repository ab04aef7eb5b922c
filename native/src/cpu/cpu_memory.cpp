#include "cpu/cpu_memory.h"

namespace copyscope {
namespace {

/// Returns pages, or null if the system would have to promise memory that it lacks.
std::byte* allocateWithin(std::uint64_t bytes) {
  constexpr std::uint64_t worthAsking = 64u << 20;
  const std::uint64_t available = bytes < worthAsking ? 0 : availableHostMemory();
  if (available != 0 && bytes > available) return nullptr;
  return allocatePages(bytes).release();
}

}  // namespace

std::byte* CpuSegments::allocateSegment(std::uint64_t bytes) { return allocateWithin(bytes); }

int CpuSegments::mark(int stream) {
  const Ticket ticket = tickets_.latest(stream);
  const std::lock_guard<std::mutex> lock(mutex_);
  marks_[++lastMark_] = ticket;
  return lastMark_;
}

void CpuSegments::forget(int mark) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  marks_.erase(mark);
}

Ticket CpuSegments::ticketOf(int mark) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return marks_.at(mark);
}

CpuMemory::CpuMemory(CpuTickets& tickets, const Program& program)
    : tickets_(tickets), program_(program), host_(tickets) {
  for (std::size_t device = 0; device < program.devices.size(); ++device) {
    devices_.push_back(std::make_unique<CpuSegments>(tickets));
    pools_.push_back(std::make_unique<CachingAllocator>(*devices_.back()));
  }
}

std::vector<AllocatorDevice*> CpuMemory::segments() const {
  std::vector<AllocatorDevice*> devices;
  for (const auto& device : devices_) devices.push_back(device.get());
  return devices;
}

std::byte* CpuMemory::allocate(const Buffer& buffer) { return allocateWithin(buffer.bytes); }

void CpuMemory::free(const Buffer& buffer, std::byte* address) {
  Pages pages(address);
  if (buffer.memory == Memory::pageable) {
    const std::lock_guard<std::mutex> lock(mutex_);
    parked_.push_back(std::move(pages));
    return;
  }
  for (std::size_t stream = 0; stream < program_.streams.size(); ++stream) tickets_.wait(tickets_.latest(static_cast<int>(stream)));
}

std::byte* CpuMemory::allocateFromPool(const Buffer& buffer, int stream) {
  return pools_[static_cast<std::size_t>(buffer.device)]->allocate(buffer.bytes, stream).address;
}

void CpuMemory::freeToPool(const Buffer& buffer, std::byte* address, int stream) {
  CachingAllocator& pool = *pools_[static_cast<std::size_t>(buffer.device)];
  pool.recordStream(address, stream);
  pool.free(address);
}

void CpuMemory::trimPools() {
  for (const auto& pool : pools_) pool->trim(program_.poolReleaseThreshold);
}

std::uint64_t CpuMemory::available(const Buffer&) { return availableHostMemory(); }

std::vector<MemoryReport> CpuMemory::poolReports() {
  std::vector<MemoryReport> reports;
  for (std::size_t device = 0; device < pools_.size(); ++device) {
    const AllocatorStatistics statistics = pools_[device]->statistics();
    if (statistics.allocations == 0) continue;
    reports.push_back({AllocatorKind::pool, static_cast<std::int32_t>(device), statistics, pools_[device]->snapshot(), {}});
  }
  return reports;
}

}  // namespace copyscope
