// Pools of memory and of threads.
#include <atomic>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "check.h"
#include "copy/memory_pool.h"
#include "copy/processor_share.h"
#include "copy/shared_work.h"
#include "copy/streaming_copy.h"
#include "copy/worker_pool.h"
#include "executor/failure.h"

using namespace copyscope::copy;

namespace {

std::shared_ptr<MemoryPool> poolOver(std::set<void*>& live, std::uint64_t budget,
                                     Budget budgetFor = Budget::held) {
  return std::make_shared<MemoryPool>(
      [&live](std::size_t bytes) {
        void* const memory = std::malloc(bytes);
        live.insert(memory);
        return memory;
      },
      [&live](void* memory) {
        live.erase(memory);
        std::free(memory);
      },
      budget, budgetFor);
}

}  // namespace

TEST("a block is rounded up by an eighth at most") {
  for (std::uint64_t bytes = 1; bytes < (1u << 30); bytes = bytes * 9 / 7 + 1) {
    const std::uint64_t block = blockBytes(bytes);
    CHECK(block >= bytes && block % 512 == 0 && block == blockBytes(block));
    CHECK(bytes < 4096 || block <= bytes + bytes / 8 + 1);
  }
}

TEST("a pool hands each block to one holder, reuses it, and gives everything back") {
  std::set<void*> live;
  {
    const std::shared_ptr<MemoryPool> pool = poolOver(live, 0);
    std::mt19937 random(3);
    std::vector<BlockRef> held;
    for (int round = 0; round < 3000; ++round) {
      if (random() % 2 == 0 || held.empty()) {
        const std::uint64_t bytes = 1 + random() % 100000;
        const BlockRef block = pool->take(bytes);
        CHECK(block->bytes >= bytes && pool->blockOf(block->memory, bytes) == block->memory);
        CHECK(pool->blockOf(block->memory, block->bytes + 1) == nullptr);
        for (const BlockRef& other : held) {
          CHECK(block->memory + block->bytes <= other->memory || other->memory + other->bytes <= block->memory);
        }
        held.push_back(block);
      } else {
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
      }
      if (held.size() > 40) held.clear();
    }
    CHECK(pool->counts().allocations < 400);
    held.clear();
    CHECK(pool->counts().usedBytes == 0);
    pool->trim();
    CHECK(live.empty() && pool->counts().reservedBytes == 0);
    held.push_back(pool->take(10));
  }
  CHECK(live.empty());
}

TEST("a pool keeps within its budget, giving unused blocks back first") {
  std::set<void*> live;
  const std::shared_ptr<MemoryPool> pool = poolOver(live, 10000);
  BlockRef first = pool->take(6000);
  CHECK(first != nullptr && pool->take(6000) == nullptr);
  first = nullptr;
  CHECK(pool->take(4096) != nullptr);
  CHECK(pool->counts().reservedBytes <= 10000);
}

TEST("a pool whose budget is for what it keeps hands out more, and keeps no more") {
  std::set<void*> live;
  const std::shared_ptr<MemoryPool> pool = poolOver(live, 10000, Budget::kept);
  for (int round = 0; round < 3; ++round) {
    std::vector<BlockRef> held;
    for (const std::uint64_t bytes : {6000, 6000, 20000}) held.push_back(pool->take(bytes));
    for (const BlockRef& block : held) CHECK(block != nullptr);
    CHECK(live.size() == 3 && pool->counts().usedBytes == pool->counts().reservedBytes);
    held.clear();
    CHECK(pool->counts().usedBytes == 0 && pool->counts().reservedBytes <= 10000);
    CHECK(live.size() == 1);
  }
  // One of the three was reused each time.
  CHECK(pool->counts().allocations == 3 + 2 + 2);
}

TEST("workers do every piece of work once, task after task, asleep or awake between them") {
  for (const std::int64_t spinNs : {0, 50000}) {
    WorkerPool workers([](unsigned) {}, spinNs);
    for (int task = 0; task < 400; ++task) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(task % 50));
      SharedWork work(done.size());
      const auto helpers = static_cast<unsigned>(task % 5);
      work.run(workers, helpers, nullptr, [&](std::size_t index, SharedWork&) { ++done[index]; });
      work.rethrow();
      for (const std::atomic<int>& count : done) CHECK(count == 1);
    }
    CHECK(workers.threads() <= 4);
  }
}

TEST("the first exception of any thread ends the work and is thrown again") {
  WorkerPool workers([](unsigned) {}, 1000);
  for (int round = 0; round < 50; ++round) {
    SharedWork work(1000);
    std::atomic<int> done{0};
    work.run(workers, 3, nullptr, [&](std::size_t index, SharedWork&) {
      if (index == 20) throw copyscope::Failure("test", "as ordered");
      ++done;
    });
    bool thrown = false;
    try {
      work.rethrow();
    } catch (const copyscope::Failure&) {
      thrown = true;
    }
    CHECK(thrown && work.failed() && done < 1000);
  }
}

TEST("helpers share no processors with each other, nor with the first share") {
  for (unsigned count = 1; count < 100; ++count) {
    std::vector<int> all;
    for (unsigned processor = 0; processor < count; ++processor) all.push_back(static_cast<int>(3 * processor));
    for (unsigned groups = 0; groups < 12; ++groups) {
      std::set<int> seen;
      for (unsigned number = 0; number + 1 < groups; ++number) {
        const std::vector<int> own = processorShare(all, number, groups);
        CHECK(own.empty() == (count / groups < 2));
        if (own.empty()) continue;
        CHECK(own.size() >= 2 && own.front() > all[own.size() - 1]);
        for (const int processor : own) CHECK(seen.insert(processor).second && processor % 3 == 0);
        CHECK(processorShare(all, number + groups - 1, groups) == own);
      }
    }
  }
  CHECK(processorShare({0, 1, 2, 3}, 0, 1).empty() && processorShare({}, 0, 8).empty());
}

TEST("a copy past the caches writes its bytes and no others, wherever both ends lie") {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t bytes = random() % 3 == 0 ? random() % 5000 : random() % 700;
    const std::size_t from = random() % 70;
    const std::size_t to = random() % 70;
    std::vector<std::byte> source(from + bytes + 1);
    for (std::byte& one : source) one = static_cast<std::byte>(random());
    std::vector<std::byte> target(to + bytes + 70, std::byte{0x5a});
    copyStreaming(target.data() + to, source.data() + from, bytes);
    finishStreaming();
    for (std::size_t at = 0; at < target.size(); ++at) {
      const bool inside = at >= to && at < to + bytes;
      CHECK(target[at] == (inside ? source[from + at - to] : std::byte{0x5a}));
    }
  }
}
