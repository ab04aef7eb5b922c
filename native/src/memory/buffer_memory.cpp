#include "memory/buffer_memory.h"

#include <algorithm>

#include "executor/clock.h"

namespace copyscope {
namespace {

CallName allocationCall(const Buffer& buffer) {
  if (isDevice(buffer)) return CallName::malloc;
  if (buffer.memory == Memory::managed) return CallName::mallocManaged;
  return isPageLocked(buffer.memory) && buffer.memory != Memory::registered ? CallName::hostAlloc : CallName::none;
}

CallName releaseCall(const Buffer& buffer) {
  if (mayFillDevice(buffer)) return CallName::free;
  return isPageLocked(buffer.memory) && buffer.memory != Memory::registered ? CallName::freeHost : CallName::none;
}

/// Returns true for memory that a cache can serve; other kinds come from the source, whatever the allocator.
bool isCached(const Buffer& buffer) { return isDevice(buffer) || buffer.memory == Memory::pinned; }

}  // namespace

Failure notAllocated(const Buffer& buffer) {
  return Failure("run.not-allocated", "Buffer " + buffer.id + " has no memory here.",
                 "Allocate it before it is used, and free it after.", "buffers." + buffer.id);
}

BufferMemory::BufferMemory(const Program& program, MemorySource& source, std::vector<AllocatorDevice*> segments,
                           AllocatorDevice& hostSegments, std::uint64_t pinnedBudget)
    : program_(program), source_(source), hostCache_(hostSegments, pinnedBudget), slots_(program.buffers.size()) {
  for (AllocatorDevice* device : segments) caches_.push_back(std::make_unique<CachingAllocator>(*device));
  const bool isUsed = std::any_of(program.buffers.begin(), program.buffers.end(), [](const Buffer& one) { return one.byOperation; });
  if (isUsed) reservedSteps_.resize(2 * caches_.size() + 1);
}

BufferMemory::~BufferMemory() {
  try {
    freeAll();
  } catch (const Failure&) {
    // The device is lost, and its memory with it.
  }
}

CallName BufferMemory::allocate(const Instruction& instruction) {
  Slot& slot = slots_[static_cast<std::size_t>(instruction.src)];
  const Buffer& buffer = declared(instruction.src);
  if (slot.owner != Owner::none) {
    throw Failure("run.already-allocated", "Buffer " + buffer.id + " is allocated already.",
                  "Free it before it is allocated again.", "buffers." + buffer.id);
  }
  const auto allocator = static_cast<Allocator>(instruction.amount);
  const Owner wanted = allocator == Allocator::pool && isDevice(buffer)      ? Owner::pool
                       : allocator == Allocator::caching && isCached(buffer) ? Owner::cache
                                                                             : Owner::source;
  const CachedAllocation taken = take(buffer, wanted, instruction.stream);
  slot.owner = wanted;
  slot.stream = instruction.stream;
  slot.address.store(taken.address, std::memory_order_release);
  if (wanted == Owner::pool) return CallName::mallocAsync;
  return wanted == Owner::source || taken.isNewSegment ? allocationCall(buffer) : CallName::none;
}

CachedAllocation BufferMemory::take(const Buffer& buffer, Owner owner, int stream) {
  CachedAllocation taken;
  if (owner == Owner::source) taken.address = source_.allocate(buffer);
  if (owner == Owner::pool) taken.address = source_.allocateFromPool(buffer, stream);
  if (owner == Owner::cache) {
    taken = isDevice(buffer) ? caches_[static_cast<std::size_t>(buffer.device)]->allocate(buffer.bytes, stream)
                             : hostCache_.allocate(buffer.bytes);
  }
  if (taken.address == nullptr) refuse(buffer, owner);
  return taken;
}

void BufferMemory::refuse(const Buffer& buffer, Owner owner) {
  const bool budgeted = owner == Owner::cache && !isDevice(buffer);
  const std::uint64_t available = source_.available(buffer);
  std::string text = "There is not enough memory for buffer " + buffer.id + " of " + std::to_string(buffer.bytes) +
                     " bytes.";
  if (budgeted) {
    text += " The caching host allocator holds " + std::to_string(hostCache_.statistics().reservedBytes) + " of the " +
            std::to_string(hostCache_.budget()) + " bytes of page-locked memory that it may hold.";
  } else if (available > 0) {
    text += " " + std::to_string(available) + " bytes are free.";
  }
  throw Failure("run.out-of-memory", text, "Make the buffers smaller, or free some first.", "buffers." + buffer.id);
}

CallName BufferMemory::free(const Instruction& instruction) {
  Slot& slot = slots_[static_cast<std::size_t>(instruction.src)];
  const Buffer& buffer = declared(instruction.src);
  if (slot.owner == Owner::none) throw notAllocated(buffer);
  const Owner owner = slot.owner;
  give(instruction.src, slot, instruction.stream);
  if (owner == Owner::pool) return CallName::freeAsync;
  return owner == Owner::source ? releaseCall(buffer) : CallName::none;
}

/// Frees a cached block in the stream of its allocation, as PyTorch does; a pool's block in the given stream.
void BufferMemory::give(int index, Slot& slot, int stream) {
  const Buffer& buffer = declared(index);
  std::byte* const address = slot.address.exchange(nullptr, std::memory_order_acq_rel);
  const Owner owner = slot.owner;
  slot.owner = Owner::none;
  if (owner == Owner::source) return source_.free(buffer, address);
  if (owner == Owner::pool) return source_.freeToPool(buffer, address, stream);
  if (isDevice(buffer)) return caches_[static_cast<std::size_t>(buffer.device)]->free(address);
  hostCache_.free(address);
}

void BufferMemory::recordStream(const Instruction& instruction) {
  Slot& slot = slots_[static_cast<std::size_t>(instruction.src)];
  const Buffer& buffer = declared(instruction.src);
  if (slot.owner == Owner::none) {
    if (buffer.byOperation) throw notAllocated(buffer);
    return;  // Nothing reuses a buffer that stays for the whole run.
  }
  if (slot.owner != Owner::cache) return;
  std::byte* const address = slot.address.load(std::memory_order_acquire);
  if (isDevice(buffer)) return caches_[static_cast<std::size_t>(buffer.device)]->recordStream(address, instruction.stream);
  hostCache_.recordStream(address, instruction.stream);
}

CallName BufferMemory::allocatePinned(int index) {
  const Buffer& buffer = declared(index);
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (!buffer.byOperation) return CallName::none;
  // If a tensor is pinned again under the same name, the new block exists before the old one is freed.
  const CachedAllocation taken = take(buffer, Owner::cache, -1);
  if (slot.owner != Owner::none) give(index, slot, slot.stream);
  slot.owner = Owner::cache;
  slot.address.store(taken.address, std::memory_order_release);
  return taken.isNewSegment ? CallName::hostAlloc : CallName::none;
}

void BufferMemory::noteUse(int index, int stream) {
  if (index < 0) return;
  const Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (slot.owner != Owner::cache || isDevice(declared(index))) return;
  hostCache_.recordStream(slot.address.load(std::memory_order_acquire), stream);
}

void BufferMemory::freeAll() {
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (slots_[index].owner != Owner::none) give(static_cast<int>(index), slots_[index], slots_[index].stream);
  }
}

void BufferMemory::noteReserved(int iteration) {
  const std::size_t devices = caches_.size();
  const std::lock_guard<std::mutex> lock(notes_);
  for (std::size_t index = 0; index < reservedSteps_.size(); ++index) {
    std::vector<ReservedStep>& steps = reservedSteps_[index];
    const std::uint64_t bytes = index < devices    ? caches_[index]->statistics().reservedBytes
                                : index == devices ? hostCache_.statistics().reservedBytes
                                                   : source_.poolReserved(static_cast<int>(index - devices - 1));
    const bool isKnown = !steps.empty() && steps.back().iteration == iteration;
    if (bytes != (isKnown ? steps.back().bytes : 0)) steps.push_back({iteration, nowNs(), bytes});
  }
}

std::vector<MemoryReport> BufferMemory::report() const {
  std::vector<MemoryReport> reports;
  for (std::size_t device = 0; device < caches_.size(); ++device) {
    const AllocatorStatistics statistics = caches_[device]->statistics();
    if (statistics.allocations == 0 && statistics.failures == 0) continue;
    reports.push_back(
        {AllocatorKind::caching, static_cast<std::int32_t>(device), statistics, caches_[device]->snapshot(), {}});
  }
  const AllocatorStatistics statistics = hostCache_.statistics();
  if (statistics.allocations > 0 || statistics.failures > 0) {
    reports.push_back({AllocatorKind::cachingHost, -1, statistics, hostCache_.snapshot(), {}});
  }
  for (MemoryReport& pool : source_.poolReports()) reports.push_back(std::move(pool));
  for (MemoryReport& one : reports) {
    const std::size_t device = one.device < 0 ? caches_.size() : static_cast<std::size_t>(one.device);
    const std::size_t index = device + (one.allocator == AllocatorKind::pool ? caches_.size() + 1 : 0);
    if (index < reservedSteps_.size()) one.reservedSteps = reservedSteps_[index];
  }
  return reports;
}

}  // namespace copyscope
