// Page-locked blocks: powers of two, reuse only after events, a budget.
#include "memory/caching_host_allocator.h"

#include "check.h"
#include "fake_device.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t MiB = 1u << 20;

struct Scene {
  explicit Scene(std::uint64_t budget = 64 * MiB) : device(1024 * MiB), allocator(device, budget) {}
  FakeDevice device;
  CachingHostAllocator allocator;
};

}  // namespace

TEST("host blocks are powers of two") {
  CHECK(CachingHostAllocator::roundedSize(1) == 1);
  CHECK(CachingHostAllocator::roundedSize(4096) == 4096);
  CHECK(CachingHostAllocator::roundedSize(4097) == 8192);
  Scene scene;
  scene.allocator.allocate(3 * MiB);
  CHECK(scene.device.held == 4 * MiB);
}

TEST("a freed host block serves any request that rounds to its size") {
  Scene scene;
  std::byte* const block = scene.allocator.allocate(3 * MiB).address;
  scene.allocator.free(block);
  CHECK(scene.allocator.allocate(1 * MiB).address != block);
  const CachedAllocation again = scene.allocator.allocate(4 * MiB);
  CHECK(again.address == block && !again.isNewSegment);
}

TEST("a host block that a copy uses is not reused before the copy has completed") {
  Scene scene;
  std::byte* const block = scene.allocator.allocate(MiB).address;
  scene.device.issue(3);
  scene.allocator.recordStream(block, 3);
  scene.allocator.free(block);
  CHECK(scene.allocator.snapshot()[0].state == BlockState::pendingFree);
  CHECK(scene.allocator.allocate(MiB).address != block);
  scene.device.complete(3);
  CHECK(scene.allocator.allocate(MiB).address == block);
}

TEST("the budget holds; what is cached is given back before a request is refused") {
  Scene scene(8 * MiB);
  scene.allocator.free(scene.allocator.allocate(4 * MiB).address);
  CHECK(scene.allocator.allocate(8 * MiB).address != nullptr);
  CHECK(scene.device.held == 8 * MiB);
  CHECK(scene.allocator.allocate(1).address == nullptr);
  const AllocatorStatistics statistics = scene.allocator.statistics();
  CHECK(statistics.retries == 1 && statistics.failures == 1 && statistics.peakReservedBytes == 8 * MiB);
  CHECK(scene.allocator.allocate(9 * MiB).address == nullptr);
}

TEST("host memory is given back with the allocator") {
  FakeDevice device(1024 * MiB);
  {
    CachingHostAllocator allocator(device, 64 * MiB);
    std::byte* const block = allocator.allocate(MiB).address;
    allocator.recordStream(block, 1);
    device.issue(1);
    allocator.free(block);
    allocator.allocate(2 * MiB);
  }
  CHECK(device.held == 0 && device.marks.empty());
}
