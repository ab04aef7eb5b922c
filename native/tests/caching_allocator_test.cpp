// PyTorch's reuse rules, with memory that only has addresses.
#include "memory/caching_allocator.h"

#include <random>

#include "check.h"
#include "fake_device.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;

struct Scene {
  explicit Scene(std::uint64_t capacity = 1024 * MiB) : device(capacity), allocator(device) {}
  std::byte* allocate(std::uint64_t bytes, int stream = 0) { return allocator.allocate(bytes, stream).address; }

  FakeDevice device;
  CachingAllocator allocator;
};

}  // namespace

TEST("sizes are rounded to 512 bytes, segments by the size of the request") {
  CHECK(CachingAllocator::roundedSize(1) == 512);
  CHECK(CachingAllocator::roundedSize(512) == 512);
  CHECK(CachingAllocator::roundedSize(513) == 1024);
  CHECK(CachingAllocator::segmentSize(1 * MiB) == 2 * MiB);
  CHECK(CachingAllocator::segmentSize(1 * MiB + 512) == 20 * MiB);
  CHECK(CachingAllocator::segmentSize(10 * MiB - 512) == 20 * MiB);
  CHECK(CachingAllocator::segmentSize(10 * MiB) == 10 * MiB);
  CHECK(CachingAllocator::segmentSize(10 * MiB + 512) == 12 * MiB);
}

TEST("small requests share a segment of 2 MiB, and lie one after another in it") {
  Scene scene;
  std::byte* const first = scene.allocate(100);
  std::byte* const second = scene.allocate(600);
  CHECK(second == first + 512);
  CHECK(scene.allocate(1) == second + 1024);
  CHECK(scene.device.segments.size() == 1 && scene.device.held == 2 * MiB);
  CHECK(scene.allocator.statistics().allocatedBytes == 512 + 1024 + 512);
  CHECK(scene.allocator.statistics().reservedBytes == 2 * MiB);
}

TEST("a large block is split only where more than 1 MiB remains") {
  Scene scene;
  std::byte* const whole = scene.allocate(20 * MiB);
  scene.allocator.free(whole);
  CHECK(scene.allocate(19 * MiB) == whole);
  CHECK(scene.allocator.snapshot().size() == 1);
  scene.allocator.free(whole);
  CHECK(scene.allocate(18 * MiB) == whole);
  CHECK(scene.allocator.snapshot().size() == 2);
}

TEST("the smallest block that is large enough is taken") {
  Scene scene;
  std::byte* const thirty = scene.allocate(30 * MiB);
  std::byte* const twelve = scene.allocate(12 * MiB);
  std::byte* const twenty = scene.allocate(20 * MiB);
  for (std::byte* block : {thirty, twelve, twenty}) scene.allocator.free(block);
  CHECK(scene.allocate(11 * MiB) == twelve);
  CHECK(scene.allocate(20 * MiB) == twenty);
  CHECK(!scene.allocator.allocate(30 * MiB, 0).isNewSegment);
}

TEST("a freed block serves its own stream at once and no other stream") {
  Scene scene;
  std::byte* const block = scene.allocate(4 * KiB, 1);
  scene.device.issue(1);
  scene.allocator.free(block);
  CHECK(scene.allocate(4 * KiB, 2) != block);
  CHECK(scene.allocate(4 * KiB, 1) == block);
}

TEST("recordStream keeps a freed block from being reused until that stream's work is done") {
  Scene scene;
  std::byte* const block = scene.allocate(4 * MiB, 1);
  scene.device.issue(2);
  scene.allocator.recordStream(block, 2);
  scene.allocator.free(block);
  CHECK(scene.allocator.snapshot()[0].state == BlockState::pendingFree);
  std::byte* const other = scene.allocate(4 * MiB, 1);
  CHECK(other != block);
  scene.device.complete(2);
  scene.allocator.free(other);
  CHECK(scene.allocate(4 * MiB, 1) == block);
  CHECK(scene.device.marks.empty());
}

TEST("free neighbours become one block") {
  Scene scene;
  std::byte* const a = scene.allocate(6 * MiB);
  std::byte* const b = scene.allocate(6 * MiB);
  std::byte* const c = scene.allocate(6 * MiB);
  CHECK(b == a + 6 * MiB && c == b + 6 * MiB);
  scene.allocator.free(a);
  scene.allocator.free(c);
  CHECK(scene.allocator.snapshot().size() == 3);
  scene.allocator.free(b);
  CHECK(scene.allocator.snapshot().size() == 1);
  CHECK(scene.allocator.allocate(20 * MiB, 0).address == a);
}

TEST("the cache is given back and the request tried again if the device has no more memory") {
  Scene scene(64 * MiB);
  std::byte* const block = scene.allocate(40 * MiB, 1);
  scene.device.issue(2);
  scene.allocator.recordStream(block, 2);
  scene.allocator.free(block);
  const CachedAllocation large = scene.allocator.allocate(48 * MiB, 3);
  CHECK(large.address != nullptr && large.isNewSegment);
  CHECK(scene.device.waits == 1);
  CHECK(scene.device.held == 48 * MiB);
  const AllocatorStatistics statistics = scene.allocator.statistics();
  CHECK(statistics.retries == 1 && statistics.segmentsFreed == 1 && statistics.reservedBytes == 48 * MiB);
  CHECK(statistics.peakReservedBytes == 48 * MiB && statistics.peakAllocatedBytes == 48 * MiB);
  CHECK(scene.allocate(48 * MiB, 3) == nullptr);
  CHECK(scene.allocator.statistics().failures == 1);
}

TEST("all memory and all marks are given back with the allocator") {
  FakeDevice device(1024 * MiB);
  {
    CachingAllocator allocator(device);
    allocator.allocate(5 * MiB, 0);
    std::byte* const block = allocator.allocate(5 * MiB, 0).address;
    allocator.recordStream(block, 1);
    allocator.free(block);
  }
  CHECK(device.held == 0 && device.marks.empty());
}

TEST("random use keeps blocks apart, and statistics and snapshot in agreement") {
  Scene scene(400 * MiB);
  std::mt19937 random(11);
  const std::uint64_t sizes[] = {1, 512, 700, 4 * KiB, 300 * KiB, 1 * MiB, 3 * MiB, 9 * MiB, 21 * MiB, 50 * MiB};
  struct Held {
    std::byte* address;
    std::uint64_t bytes;
  };
  std::vector<Held> held;
  for (int step = 0; step < 20000; ++step) {
    const int stream = static_cast<int>(random() % 3);
    scene.device.issue(stream);
    if (random() % 4 == 0) scene.device.complete(static_cast<int>(random() % 3));
    if (held.empty() || random() % 2 == 0) {
      const std::uint64_t bytes = sizes[random() % 10];
      std::byte* const address = scene.allocate(bytes, stream);
      if (address == nullptr) continue;
      for (const Held& other : held) {
        CHECK(address + bytes <= other.address || other.address + other.bytes <= address);
      }
      held.push_back({address, bytes});
    } else {
      const std::size_t index = random() % held.size();
      if (random() % 2 == 0) scene.allocator.recordStream(held[index].address, stream);
      scene.allocator.free(held[index].address);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
    }
    if (step % 500 != 0) continue;
    std::uint64_t allocated = 0;
    std::uint64_t reserved = 0;
    std::size_t used = 0;
    for (const BlockSnapshot& block : scene.allocator.snapshot()) {
      reserved += block.bytes;
      if (block.state != BlockState::allocated) continue;
      allocated += block.bytes;
      ++used;
    }
    const AllocatorStatistics statistics = scene.allocator.statistics();
    CHECK(used == held.size());
    CHECK(allocated == statistics.allocatedBytes && reserved == statistics.reservedBytes);
    CHECK(reserved == scene.device.held);
  }
}
