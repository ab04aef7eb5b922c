#include "bench/bench_memory.h"

#include <string>

#include "cuda/device_scope.h"

namespace copyscope::bench {
namespace {

[[noreturn]] void outOfMemory(const std::string& what, std::uint64_t bytes, std::uint64_t available) {
  throw Failure("run.out-of-memory",
                "The benchmark needs " + std::to_string(bytes) + " bytes of " + what + " memory, and " +
                    std::to_string(available) + " are free.",
                "Free memory held by other programs.");
}

[[noreturn]] void overBudget(std::uint64_t bytes, std::uint64_t held, std::uint64_t budget) {
  throw Failure("run.pinned-budget",
                "The benchmark asks for " + std::to_string(bytes) + " bytes of page-locked memory in addition to " +
                    std::to_string(held) + " that it holds, and the budget is " + std::to_string(budget) + " bytes.",
                "Set COPYSCOPE_PINNED_BUDGET to more, as 8G.");
}

PinnedMemory pagelocked(std::uint64_t bytes) {
  void* address = nullptr;
  check(cudaHostAlloc(&address, bytes, cudaHostAllocPortable), "cudaHostAlloc");
  return PinnedMemory(address);
}

}  // namespace

std::byte* BenchMemory::host(HostMemory memory, std::uint64_t bytes) {
  HostBlock& block = host_[static_cast<std::size_t>(memory)];
  if (block.bytes >= bytes) return block.address;
  if (block.pinned.get() != nullptr) pinnedBytes_ -= block.bytes;
  block = HostBlock{};
  const std::uint64_t available = availableHostMemory();
  if (available != 0 && bytes > available) outOfMemory("host", bytes, available);
  if (memory == HostMemory::pageable) {
    block.pageable = allocatePages(bytes);
    block.address = block.pageable.get();
  } else {
    if (pinnedBytes_ + bytes > pinnedBudget_) overBudget(bytes, pinnedBytes_, pinnedBudget_);
    block.pinned = pagelocked(bytes);
    pinnedBytes_ += bytes;
    block.address = static_cast<std::byte*>(block.pinned.get());
  }
  if (block.address == nullptr) outOfMemory("host", bytes, available);
  block.bytes = bytes;
  return block.address;
}

std::byte* BenchMemory::device(int index, std::uint64_t bytes, std::size_t which) {
  DeviceScope::change(index);
  DeviceBlock& block = device_[which];
  if (block.bytes >= bytes && block.device == index) return static_cast<std::byte*>(block.memory.get());
  block = DeviceBlock{};
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  if (bytes > available) outOfMemory("device", bytes, available);
  block.memory = allocateDevice(bytes);
  block.bytes = bytes;
  block.device = index;
  return static_cast<std::byte*>(block.memory.get());
}

}  // namespace copyscope::bench
