#include "executor/memory_check.h"

#include <algorithm>

#include "copy/memory_need.h"
#include "executor/host_memory.h"
#include "executor/multi_copy_uses.h"

namespace copyscope {
namespace {

/// Sum of a program's requests, and the largest of them.
struct Demand {
  std::uint64_t total = 0;
  std::uint64_t most = 0;
  std::string largest;
  std::string field;

  void add(const Buffer& buffer) {
    add(buffer.bytes, "The largest buffer is " + buffer.id, "buffers." + buffer.id);
  }
  void add(std::uint64_t bytes, const MultiCopyUse& use) {
    add(bytes, "The largest part is multi-tensor copy " + std::to_string(use.op), "");
  }

 private:
  void add(std::uint64_t bytes, const std::string& name, const std::string& where) {
    total += bytes;
    if (bytes <= most) return;
    most = bytes;
    largest = name + " with " + std::to_string(bytes) + " bytes.";
    field = where;
  }
};

/// `counts` selects the buffers in this memory, `copyBytes` gives the needs of multi-tensor copies.
template <typename Counts, typename CopyBytes>
void require(const Program& program, const char* where, std::uint64_t available, const Counts& counts,
             const CopyBytes& copyBytes) {
  Demand demand;
  for (const Buffer& buffer : program.buffers) {
    if (!buffer.byOperation && counts(buffer)) demand.add(buffer);
  }
  for (const MultiCopyUse& use : multiCopyUses(program)) demand.add(copyBytes(use), use);
  if (demand.total <= available) return;
  throw Failure("run.out-of-memory",
                "The experiment needs " + std::to_string(demand.total) + " bytes of " + where + " memory, and " +
                    std::to_string(available) + " are free. " + demand.largest,
                "Make it smaller, or free memory held by other programs.", demand.field);
}

copy::MemoryNeed needOf(const Program& program, const MultiCopyUse& use) {
  return copy::memoryNeed(program.multiCopies[static_cast<std::size_t>(use.plan)]);
}

std::int32_t deviceOf(const Program& program, const MultiCopyUse& use) {
  return program.streams[static_cast<std::size_t>(use.stream)].device;
}

/// Raises `most` to `value`. Returns the increase.
std::uint64_t grown(std::uint64_t& most, std::uint64_t value) {
  const std::uint64_t more = value > most ? value - most : 0;
  most += more;
  return more;
}

/// Shares the rest: all to buffers made by operations, or half of it to copies if there are any, so that the blocks of
/// one need not be freed for the next.
void share(std::uint64_t left, PinnedShares& shares) {
  const auto copying = static_cast<std::uint64_t>(
      std::count_if(shares.copies.begin(), shares.copies.end(), [](std::uint64_t bytes) { return bytes > 0; }));
  shares.operations = copying == 0 ? left : left / 2;
  for (std::uint64_t& bytes : shares.copies) bytes += bytes == 0 ? 0 : left / 2 / copying;
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
  if (available == 0) return;  // Unknown on this system: the allocation itself will fail.
  require(
      program, "host", available, [&](const Buffer& buffer) { return deviceToo || !isDevice(buffer); },
      [&](const MultiCopyUse& use) {
        const copy::MemoryNeed need = needOf(program, use);
        return need.pageable + need.pinned + need.staging + need.ring + (deviceToo ? need.device : 0);
      });
}

PinnedShares requirePinnedMemory(const Program& program) {
  const std::uint64_t budget = pinnedBudget();
  PinnedShares shares;
  shares.copies.resize(program.devices.size());
  std::vector<copy::MemoryNeed> shared(program.devices.size());
  Demand demand;
  for (const Buffer& buffer : program.buffers) {
    if (!buffer.byOperation && isPageLocked(buffer.memory)) demand.add(buffer);
  }
  for (const MultiCopyUse& use : multiCopyUses(program)) {
    const copy::MemoryNeed need = needOf(program, use);
    const auto device = static_cast<std::size_t>(deviceOf(program, use));
    const std::uint64_t more = grown(shared[device].staging, need.staging) + grown(shared[device].ring, need.ring);
    shares.copies[device] += need.pinned + more;
    demand.add(need.pinned + more, use);
  }
  if (demand.total <= budget) {
    share(budget - demand.total, shares);
    return shares;
  }
  throw Failure("run.pinned-budget",
                "The experiment asks for " + std::to_string(demand.total) + " bytes of page-locked memory, and the budget is " +
                    std::to_string(budget) + " bytes; " + std::to_string(availableHostMemory()) +
                    " bytes of host memory are free. " + demand.largest,
                "Make it smaller or pageable, or set COPYSCOPE_PINNED_BUDGET to more, as 8G.", demand.field);
}

void requireDeviceMemory(const Program& program, int device, std::uint64_t available) {
  require(
      program, "device", available,
      [device](const Buffer& buffer) { return mayFillDevice(buffer) && buffer.device == device; },
      [&](const MultiCopyUse& use) { return deviceOf(program, use) == device ? needOf(program, use).device : 0; });
}

}  // namespace copyscope
