// The copy engine with simulated devices: every strategy and direction, byte for byte; failures; a steady state.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "adjacent_device.h"
#include "check.h"
#include "copy/host_copy_device.h"
#include "copy/multi_copy.h"
#include "copy_arrives.h"
#include "executor/failure.h"

using namespace copyscope;
using namespace copyscope::copy;
using copyscope::testing::arrives;
using copyscope::testing::CancelAtFirst;

namespace {

struct Fixture {
  Fixture() : device(new HostCopyDevice(0)), engine(std::unique_ptr<CopyDevice>(device)) {}
  HostCopyDevice* device;
  CopyEngine engine;
};

MultiCopyPlan planOf(Direction direction, Strategy strategy, std::vector<std::uint64_t> sizes) {
  MultiCopyPlan plan;
  plan.direction = direction;
  plan.sizes = std::move(sizes);
  plan.options.strategy = strategy;
  plan.options.threads = 3;
  plan.options.slotBytes = 64 << 10;
  plan.options.slotsPerThread = 2;
  return plan;
}

const std::vector<std::uint64_t> mixedSizes = {0,      1,      7,     4000, 4000, 0, 65536, 65537, 300 * 1024,
                                               262144, 262145, 1 << 20, 13,  64,   63};

std::vector<std::uint64_t> manySmall() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t index = 0; index < 528; ++index) sizes.push_back(8 + index * 37 % 560);
  return sizes;
}

std::string codeOf(const std::exception& thrown) {
  const auto* failure = dynamic_cast<const Failure*>(&thrown);
  return failure == nullptr ? "" : failure->code;
}

}  // namespace

TEST("tensors in allocations that touch go over by themselves, in every strategy and direction") {
  const std::vector<std::uint64_t> touching = {512, 512, 4096, 4096, 4096, 4096, 4096, 1u << 18, 1u << 19, 1u << 19, 1u << 20};
  for (int direction = 0; direction < 4; ++direction) {
    for (int strategy = 0; strategy < strategyCount; ++strategy) {
      for (const bool pinned : {false, true}) {
        CopyEngine engine(std::make_unique<testing::AdjacentDevice>());
        MultiCopyPlan plan = planOf(static_cast<Direction>(direction), static_cast<Strategy>(strategy), touching);
        plan.pinned = pinned;
        MultiCopy copies(engine, plan);
        CHECK(arrives(copies, engine));
      }
    }
  }
}

TEST("small tensors that lie apart on the device are gathered there, and cross the link in one copy a chunk") {
  Fixture fixture;
  MultiCopyPlan plan = planOf(Direction::d2h, Strategy::pipelined, std::vector<std::uint64_t>(1000, 4000));
  plan.options = CopyOptions();
  plan.options.chunkBytes = 1u << 20;
  MultiCopy copies(fixture.engine, plan);
  copies.poison();
  const long copiesBefore = fixture.device->copies();
  const long launchesBefore = fixture.device->pieceLaunches();
  copies.run(fixture.engine.defaultStream());
  CHECK(fixture.device->copies() - copiesBefore == 4);
  CHECK(fixture.device->pieceLaunches() - launchesBefore == 4);
  CHECK(copies.verify().wrong == 0);
}

TEST("within a device one kernel moves all small tensors, and large ones go by themselves") {
  Fixture fixture;
  std::vector<std::uint64_t> sizes(500, 4000);
  sizes[100] = sizes[300] = 1u << 20;
  MultiCopy copies(fixture.engine, planOf(Direction::d2d, Strategy::pipelined, sizes));
  copies.poison();
  const long copiesBefore = fixture.device->copies();
  const long launchesBefore = fixture.device->pieceLaunches();
  copies.run(fixture.engine.defaultStream());
  CHECK(fixture.device->copies() - copiesBefore == 2);
  CHECK(fixture.device->pieceLaunches() - launchesBefore == 1);
  CHECK(copies.verify().wrong == 0);
}

TEST("without device memory for a gather the tensors are copied one by one") {
  Fixture fixture;
  MultiCopyPlan plan = planOf(Direction::d2h, Strategy::pipelined, std::vector<std::uint64_t>(100, 4000));
  plan.options = CopyOptions();
  MultiCopy copies(fixture.engine, plan);
  fixture.device->limitMemory(0);
  copies.poison();
  const long launchesBefore = fixture.device->pieceLaunches();
  copies.run(fixture.engine.defaultStream());
  CHECK(fixture.device->pieceLaunches() == launchesBefore);
  CHECK(copies.verify().wrong == 0);
}

TEST("the bare loop brings every byte") {
  Fixture fixture;
  MultiCopy copies(fixture.engine, planOf(Direction::h2d, Strategy::nonBlockingLoop, mixedSizes));
  copies.poison();
  copies.runBare(fixture.engine.defaultStream());
  CHECK(copies.verify().wrong == 0);
}

TEST("a steady state allocates nothing") {
  Fixture fixture;
  for (const Direction direction : {Direction::h2d, Direction::d2h}) {
    MultiCopy copies(fixture.engine, planOf(direction, Strategy::pipelined, mixedSizes));
    copies.run(fixture.engine.defaultStream());
    const EngineCounts before = fixture.engine.counts();
    for (int run = 0; run < 20; ++run) copies.run(fixture.engine.defaultStream());
    const EngineCounts after = fixture.engine.counts();
    CHECK(after.pinned.allocations == before.pinned.allocations);
    CHECK(after.device.allocations == before.device.allocations);
    CHECK(after.eventsMade == before.eventsMade);
    CHECK(after.threadsStarted == before.threadsStarted);
    CHECK(copies.verify().wrong == 0);
  }
}

TEST("the default ring holds at most 64 MiB") {
  Fixture fixture;
  MultiCopyPlan plan = planOf(Direction::h2d, Strategy::pipelined, std::vector<std::uint64_t>(20, 4000000));
  plan.options = CopyOptions();
  MultiCopy copies(fixture.engine, plan);
  CHECK(copies.bytes() > ringBytes);
  CHECK(arrives(copies, fixture.engine));
  CHECK(fixture.engine.counts().ringBytes <= ringBytes);
  CHECK(fixture.engine.counts().pinned.reservedBytes <= ringBytes);
}

TEST("a failing copy is reported, and the engine works on") {
  Fixture fixture;
  for (int direction = 0; direction < 3; ++direction) {
    for (int strategy = 0; strategy < strategyCount; ++strategy) {
      MultiCopy copies(fixture.engine, planOf(static_cast<Direction>(direction), static_cast<Strategy>(strategy),
                                              std::vector<std::uint64_t>(12, 300 * 1024)));
      fixture.device->failAfter(3);
      std::string code;
      try {
        copies.run(fixture.engine.defaultStream());
      } catch (const std::exception& thrown) {
        code = codeOf(thrown);
      }
      fixture.device->failAfter(-1);
      CHECK(code == "engine.cuda");
      CHECK(arrives(copies, fixture.engine));
    }
  }
}

TEST("cancelling ends a long batch soon, and the engine works on") {
  Fixture fixture;
  for (const Direction direction : {Direction::h2d, Direction::d2h}) {
    CancelAtFirst cancel;
    MultiCopy copies(fixture.engine, planOf(direction, Strategy::pipelined, std::vector<std::uint64_t>(100, 300 * 1024)),
                     &cancel.cancelled);
    const long before = fixture.device->copies();
    std::string code;
    try {
      copies.run(fixture.engine.defaultStream(), &cancel);
    } catch (const std::exception& thrown) {
      code = codeOf(thrown);
    }
    CHECK(code == "copy.cancelled");
    // Soon: at most the data in slots at that time was copied.
    CHECK(fixture.device->copies() - before < static_cast<long>(copies.bytes() / (64 << 10)) / 2);
  }
  MultiCopy copies(fixture.engine, planOf(Direction::h2d, Strategy::pipelined, mixedSizes));
  CHECK(arrives(copies, fixture.engine));
}

TEST("a small batch submitted by the caller arrives, and slots are not overwritten too early") {
  Fixture fixture;
  fixture.device->delayCopies(200000);
  CopyOptions options;
  const std::size_t tensors = 200;
  std::vector<std::vector<std::byte>> sources;
  std::vector<BlockRef> targets;
  std::vector<OwnedCopyEvent> events;
  for (std::size_t index = 0; index < tensors; ++index) {
    sources.emplace_back(500 + index, static_cast<std::byte>(index));
    targets.push_back(fixture.engine.deviceMemory().take(500 + index));
    Batch batch;
    batch.transfers.push_back({sources[index].data(), targets[index]->memory, 500 + index});
    events.push_back(fixture.engine.submitSmall(batch, options, fixture.engine.defaultStream()));
    CHECK(events.back() != nullptr);
  }
  fixture.device->synchronize(fixture.engine.defaultStream());
  for (OwnedCopyEvent& event : events) fixture.engine.putBack(std::move(event));
  for (std::size_t index = 0; index < tensors; ++index) {
    for (std::size_t at = 0; at < sources[index].size(); ++at) CHECK(targets[index]->memory[at] == sources[index][at]);
  }
}

/// Tensors in one allocation on the device, whose host addresses only `find` knows.
struct LateBatch {
  LateBatch(CopyEngine& engine, const std::vector<std::uint64_t>& sizes) {
    std::uint64_t bytes = 0;
    for (const std::uint64_t size : sizes) bytes += roundUp(size, 16);
    target = engine.deviceMemory().take(bytes);
    std::memset(target->memory, 0xEE, bytes);
    std::uint64_t offset = 0;
    for (const std::uint64_t size : sizes) {
      sources.emplace_back(size, static_cast<std::byte>(sources.size() * 7 + 1));
      batch.transfers.push_back({nullptr, target->memory + offset, size, 0});
      offset += roundUp(size, 16);
    }
    options.threads = 3;
    options.slotsPerThread = 2;
    options.slotBytes = 16 << 10;
  }
  bool arrived() const {
    for (std::size_t index = 0; index < sources.size(); ++index) {
      if (!std::equal(sources[index].begin(), sources[index].end(), batch.transfers[index].device)) return false;
    }
    return true;
  }
  std::vector<std::vector<std::byte>> sources;
  BlockRef target;
  Batch batch;
  CopyOptions options;
};

TEST("sources that are found one by one are copied while others are searched, each asked for once and in order") {
  Fixture fixture;
  std::vector<std::uint64_t> sizes = manySmall();
  sizes.insert(sizes.begin() + 5, {0, 70000, 0, 0, 16 << 10});
  sizes.push_back(0);
  for (int round = 0; round < 50; ++round) {
    LateBatch late(fixture.engine, sizes);
    std::vector<std::size_t> asked;
    const FindSource find = [&](std::size_t index) {
      asked.push_back(index);
      if (asked.size() % 100 == 0) std::this_thread::yield();
      return late.sources[index].data();
    };
    OwnedCopyEvent event =
        fixture.engine.submitSmall(late.batch, late.options, fixture.engine.defaultStream(), find);
    CHECK(event != nullptr);
    fixture.device->wait(event.get());
    fixture.engine.putBack(std::move(event));
    CHECK(late.arrived());
    CHECK(std::is_sorted(asked.begin(), asked.end()));
    CHECK(asked.size() == sizes.size() - std::count(sizes.begin(), sizes.end(), 0u));
  }
}

TEST("a source that can't be found ends the batch, and the next one works") {
  Fixture fixture;
  for (const std::size_t failing : {std::size_t{0}, std::size_t{300}, std::size_t{527}}) {
    LateBatch late(fixture.engine, manySmall());
    const auto submit = [&](std::size_t last) {
      return fixture.engine.submitSmall(late.batch, late.options, fixture.engine.defaultStream(),
                                        [&](std::size_t index) {
                                          if (index == last) throw Failure("test.no-source", "There is none.");
                                          return late.sources[index].data();
                                        });
    };
    std::string code;
    try {
      submit(failing);
    } catch (const Failure& failure) {
      code = failure.code;
    }
    CHECK(code == "test.no-source");
    OwnedCopyEvent event = submit(late.sources.size());
    fixture.device->wait(event.get());
    fixture.engine.putBack(std::move(event));
    CHECK(late.arrived());
  }
}

TEST("threads that copy at once through one engine don't disturb each other") {
  Fixture fixture;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      const auto direction = static_cast<Direction>(number % 2);
      MultiCopy copies(fixture.engine, planOf(direction, Strategy::pipelined, mixedSizes));
      for (int run = 0; run < 10; ++run) {
        copies.poison();
        copies.run(fixture.engine.defaultStream());
        if (copies.verify().wrong > 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST("all memory is given back") {
  auto* const device = new HostCopyDevice(0);
  CopyEngine engine{std::unique_ptr<CopyDevice>(device)};
  {
    MultiCopy copies(engine, planOf(Direction::h2d, Strategy::threadedPinning, mixedSizes));
    copies.run(engine.defaultStream());
    CHECK(device->liveBlocks() > 0);
  }
  engine.trim();
  CHECK(device->liveBlocks() == 0);
}

TEST("no device memory left is reported with the bytes asked for and free") {
  Fixture fixture;
  fixture.device->limitMemory(1 << 20);
  std::string message;
  try {
    MultiCopy copies(fixture.engine, planOf(Direction::h2d, Strategy::pipelined, {2 << 20}));
    copies.run(fixture.engine.defaultStream());
  } catch (const Failure& failure) {
    CHECK(failure.code == "run.out-of-memory");
    message = failure.message;
  }
  CHECK(message.find("2097152") != std::string::npos && message.find("1048576") != std::string::npos);
}

TEST("results that follow each other in page-locked memory are gathered in their layout, and cross in one copy") {
  Fixture fixture;
  constexpr std::size_t tensors = 300;
  constexpr std::size_t bytes = 1000;
  constexpr std::size_t step = 1008;
  const BlockRef host = fixture.engine.pinnedMemory().take(tensors * step);
  std::vector<BlockRef> sources;
  Batch batch;
  batch.direction = Direction::d2h;
  for (std::size_t index = 0; index < tensors; ++index) {
    sources.push_back(fixture.engine.deviceMemory().take(bytes));
    std::memset(sources.back()->memory, static_cast<int>(index), bytes);
    Transfer transfer{host->memory + index * step, sources.back()->memory, bytes};
    transfer.pinned = true;
    transfer.hostStorage = 0;
    batch.transfers.push_back(transfer);
  }
  // The middle tensor belongs to another allocation.
  batch.transfers[100].hostStorage = 1;
  for (int round = 0; round < 2; ++round) {
    std::memset(host->memory, 0xEE, tensors * step);
    const long copies = fixture.device->copies();
    const EngineCounts before = fixture.engine.counts();
    fixture.engine.run(batch, {}, fixture.engine.defaultStream());
    CHECK(fixture.device->copies() - copies == 3);
    if (round > 0) CHECK(allocationsOf(fixture.engine.counts()) == allocationsOf(before));
    for (std::size_t index = 0; index < tensors; ++index) {
      const auto* const found = host->memory + index * step;
      const auto wanted = static_cast<std::byte>(index);
      CHECK(std::all_of(found, found + bytes, [&](std::byte byte) { return byte == wanted; }));
    }
  }
}
