#include "memory_check.h"

#include <algorithm>

#include "host_memory.h"

namespace copyscope {
namespace {

/// `counts` says which buffers lie in the memory at hand.
template <typename Counts>
void require(const Program& program, const char* where, std::uint64_t available, const Counts& counts) {
  std::uint64_t total = 0;
  const Buffer* largest = nullptr;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.byOperation || !counts(buffer)) continue;
    total += buffer.bytes;
    if (largest == nullptr || buffer.bytes > largest->bytes) largest = &buffer;
  }
  if (largest == nullptr || total <= available) return;
  throw Failure("run.out-of-memory",
                "The experiment needs " + std::to_string(total) + " bytes of " + where + " memory, and " +
                    std::to_string(available) + " are free. The largest buffer is " + largest->id + " with " +
                    std::to_string(largest->bytes) + " bytes.",
                "Make the buffers smaller, or free memory held by other programs.", "buffers." + largest->id);
}

}  // namespace

Failure outOfMemory(const Buffer& buffer, const char* where) {
  return Failure("run.out-of-memory",
                 "There is not enough " + std::string(where) + " memory for buffer " + buffer.id + " of " +
                     std::to_string(buffer.bytes) + " bytes.",
                 "Make the buffers smaller, or free memory held by other programs.", "buffers." + buffer.id);
}

void requireHostMemory(const Program& program, bool deviceToo) {
  const std::uint64_t available = availableHostMemory();
  if (available == 0) return;  // Unknown on this system: the allocation itself will tell.
  require(program, "host", available, [&](const Buffer& buffer) { return deviceToo || !isDevice(buffer); });
}

std::uint64_t requirePinnedMemory(const Program& program) {
  const std::uint64_t budget = pinnedBudget();
  std::uint64_t total = 0;
  const Buffer* largest = nullptr;
  for (const Buffer& buffer : program.buffers) {
    if (buffer.byOperation || !isPageLocked(buffer.memory)) continue;
    total += buffer.bytes;
    if (largest == nullptr || buffer.bytes > largest->bytes) largest = &buffer;
  }
  if (total <= budget) return budget - total;
  throw Failure("run.pinned-budget",
                "The experiment asks for " + std::to_string(total) + " bytes of page-locked memory, and the budget is " +
                    std::to_string(budget) + " bytes; " + std::to_string(availableHostMemory()) +
                    " bytes of host memory are free. The largest such buffer is " + largest->id + " with " +
                    std::to_string(largest->bytes) + " bytes.",
                "Make the buffers smaller or pageable, or set COPYSCOPE_PINNED_BUDGET to more, as 8G.",
                "buffers." + largest->id);
}

void requireDeviceMemory(const Program& program, int device, std::uint64_t available) {
  require(program, "device", available,
          [device](const Buffer& buffer) { return isDevice(buffer) && buffer.device == device; });
}

}  // namespace copyscope
