// Copies over several links at once, on simulated devices: every byte, shares, order, failures, and what is given back.
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "check.h"
#include "copy/copy_path.h"
#include "copy/host_copy_device.h"
#include "copy/multi_copy.h"
#include "copy_arrives.h"
#include "failure.h"

using namespace copyscope;
using namespace copyscope::copy;
using copyscope::testing::arrives;
using copyscope::testing::CancelAtFirst;
using copyscope::testing::rounds;

namespace {

/// Several devices, the first of which copies through all others.
struct Hosts {
  explicit Hosts(int count) {
    for (int index = 0; index < count; ++index) {
      devices.push_back(new HostCopyDevice(index));
      engines.push_back(std::make_unique<CopyEngine>(std::unique_ptr<CopyDevice>(devices.back())));
    }
  }
  void connect() {
    for (std::size_t index = 1; index < engines.size(); ++index) {
      engines[0]->addRelay(engines[index]->asRelay());
      relays.push_back(static_cast<int>(index));
    }
  }
  CopyEngine& target() { return *engines[0]; }

  std::vector<HostCopyDevice*> devices;
  std::vector<std::unique_ptr<CopyEngine>> engines;
  std::vector<int> relays;
};

MultiCopyPlan planOf(Direction direction, std::vector<std::uint64_t> sizes, const std::vector<int>& relays) {
  MultiCopyPlan plan;
  plan.direction = direction;
  plan.sizes = std::move(sizes);
  plan.options.threads = 3;
  plan.options.slotBytes = 64 << 10;
  plan.options.relays = relays;
  return plan;
}

std::string codeOfRun(MultiCopy& copies, CopyEngine& engine, std::string* message = nullptr,
                      CopyObserver* observer = nullptr) {
  try {
    copies.run(engine.defaultStream(), observer);
  } catch (const Failure& failure) {
    if (message != nullptr) *message = failure.message;
    return failure.code;
  }
  return "";
}

/// True once `condition` is. After a time that no machine takes it is true as well, so that a test fails and doesn't hang.
std::function<bool()> orLongAfter(std::function<bool()> condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  return [condition = std::move(condition), until] { return condition() || std::chrono::steady_clock::now() > until; };
}

const std::vector<std::uint64_t> mixedSizes = {0,      1,      7,     4000, 4000, 0, 65536, 65537, 300 * 1024,
                                               262144, 262145, 1 << 20, 13,  64,   63, 3 << 20};
constexpr Direction overLinks[] = {Direction::h2d, Direction::d2h};

}  // namespace

TEST("every byte arrives over one relay and over several, in every direction, pageable and pinned") {
  for (const int count : {2, 4}) {
    Hosts hosts(count);
    hosts.connect();
    for (HostCopyDevice* const device : hosts.devices) device->delayCopies(50'000);
    for (int direction = 0; direction < 4; ++direction) {
      for (const bool pinned : {false, true}) {
        MultiCopyPlan plan = planOf(static_cast<Direction>(direction), mixedSizes, hosts.relays);
        plan.pinned = pinned;
        MultiCopy copies(hosts.target(), plan);
        CHECK(arrives(copies, hosts.target()));
      }
    }
    for (int index = 1; index < count; ++index) CHECK(hosts.devices[static_cast<std::size_t>(index)]->copies() > 0);
  }
}

TEST("whatever sizes and options are, every byte arrives over the links") {
  std::mt19937 random(7);
  const auto between = [&](std::uint32_t least, std::uint32_t most) { return least + random() % (most - least + 1); };
  Hosts hosts(3);
  hosts.connect();
  for (int round = 0; round < rounds(60); ++round) {
    std::vector<std::uint64_t> sizes(between(1, 30));
    for (std::uint64_t& size : sizes) size = between(0, 9) == 0 ? between(0, 2'000'000) : between(0, 70'000);
    MultiCopyPlan plan = planOf(overLinks[round % 2], sizes, hosts.relays);
    plan.pinned = between(0, 2) == 0;
    plan.options.threads = between(1, 5);
    plan.options.slotsPerThread = between(0, 3);
    plan.options.slotBytes = between(4096, 200'000);
    plan.options.chunkBytes = between(0, 1) * between(4096, 200'000);
    plan.options.relayBytes = between(0, 1) * between(1, 500'000);
    if (between(0, 1) == 0) plan.options.relays = {2};
    MultiCopy copies(hosts.target(), plan);
    CHECK(arrives(copies, hosts.target()));
    CHECK(arrives(copies, hosts.target()));
  }
}

TEST("a slow link takes fewer chunks than a fast one, whichever of the two is the slow one") {
  for (const std::size_t slow : {0u, 1u}) {
    for (const Direction direction : overLinks) {
      Hosts hosts(2);
      hosts.connect();
      MultiCopyPlan plan = planOf(direction, std::vector<std::uint64_t>(4, 2 << 20), hosts.relays);
      plan.pinned = true;
      MultiCopy copies(hosts.target(), plan);
      const long chunks = static_cast<long>(copies.bytes() / (64 << 10));
      // Copies over the relay's link, of which it makes one or two a chunk; all others are the target's link's.
      const auto overRelay = [&] { return hosts.devices[1]->copies() / (direction == Direction::h2d ? 1 : 2); };
      const auto overDirect = [&] {
        // Read first: a relayed chunk is counted on its relay's link before it is here, so that this is never too many.
        const long all = hosts.devices[0]->copies();
        return all - (direction == Direction::h2d ? overRelay() : 0);
      };
      // In H2D the last step of a relayed chunk is a copy of the target too, so that both links are as slow as it is.
      const bool bothSlow = slow == 0 && direction == Direction::h2d;
      hosts.devices[slow]->holdCopies(orLongAfter([&, slow] {
        if (bothSlow) return overRelay() > 0;
        return (slow == 1 ? overDirect() : overRelay()) > chunks / 2;
      }));
      copies.run(hosts.target().defaultStream());
      CHECK(overRelay() > 0 && overRelay() < chunks);
      if (slow == 1) CHECK(overRelay() < chunks / 2);
      if (slow == 0 && !bothSlow) CHECK(overRelay() > chunks / 2);
    }
  }
}

TEST("the relay waits for what the target's stream holds, and the stream for the relay") {
  Hosts hosts(2);
  hosts.connect();
  HostCopyDevice& device = *hosts.devices[0];
  const std::size_t bytes = 2 << 20;
  const BlockRef memory = hosts.target().deviceMemory().take(bytes);
  const BlockRef host = hosts.target().pinnedMemory().take(bytes);
  std::memset(memory->memory, 0, bytes);
  const std::vector<std::byte> fresh(bytes, std::byte{7});
  const StreamRef stream = hosts.target().defaultStream();
  device.delayCopies(50'000'000);
  device.copy(memory->memory, fresh.data(), bytes, Direction::h2d, stream);
  device.delayCopies(0);
  CopyOptions options;
  options.chunkBytes = 64 << 10;
  options.relays = hosts.relays;
  Batch down;
  down.direction = Direction::d2h;
  down.transfers.push_back({host->memory, memory->memory, bytes, 0, true, 0});
  hosts.target().run(down, options, stream);
  CHECK(std::memcmp(host->memory, fresh.data(), bytes) == 0);

  hosts.devices[1]->delayCopies(500'000);
  std::memset(host->memory, 9, bytes);
  Batch up = down;
  up.direction = Direction::h2d;
  hosts.target().run(up, options, stream);
  hosts.devices[1]->delayCopies(0);
  CHECK(std::memcmp(memory->memory, host->memory, bytes) == 0);
}

TEST("a copy that fails on either device ends the batch and is told, and the next one is as good as ever") {
  Hosts hosts(2);
  hosts.connect();
  // Links that take longer than what is done between: so that each has something to do.
  for (HostCopyDevice* const device : hosts.devices) device->delayCopies(200'000);
  for (const Direction direction : overLinks) {
    for (const bool pinned : {false, true}) {
      MultiCopyPlan plan = planOf(direction, std::vector<std::uint64_t>(4, 700 * 1024), hosts.relays);
      plan.pinned = pinned;
      MultiCopy copies(hosts.target(), plan);
      for (const std::size_t failing : {0u, 1u}) {
        HostCopyDevice& failed = *hosts.devices[failing];
        HostCopyDevice& other = *hosts.devices[1 - failing];
        for (const long after : {0L, 1L, 5L, 9L}) {
          failed.failAfter(after);
          // How many chunks a link takes is a matter of clocks. The target alone can do all of them, and the relay its
          // first: so these are sure to come to the copy that fails.
          const bool isSure = failing == 0 || after == 0;
          if (isSure) other.holdCopies(orLongAfter([&failed] { return failed.hasFailed(); }));
          std::string message;
          const std::string code = codeOfRun(copies, hosts.target(), &message);
          CHECK(failed.hasFailed() || !isSure);
          CHECK(code == (failed.hasFailed() ? "engine.cuda" : ""));
          if (failing == 1 && !code.empty()) CHECK(message.find("relay device 1") != std::string::npos);
          failed.failAfter(-1);
          other.holdCopies(nullptr);
          CHECK(arrives(copies, hosts.target()));
        }
      }
    }
  }
}

TEST("cancelling ends a long batch soon on all links, and the engine works on") {
  Hosts hosts(3);
  hosts.connect();
  const auto copiesUntilNow = [&] {
    long sum = 0;
    for (const HostCopyDevice* const device : hosts.devices) sum += device->copies();
    return sum;
  };
  for (const Direction direction : overLinks) {
    CancelAtFirst cancel;
    MultiCopy copies(hosts.target(), planOf(direction, std::vector<std::uint64_t>(100, 300 * 1024), hosts.relays),
                     &cancel.cancelled);
    const long before = copiesUntilNow();
    CHECK(codeOfRun(copies, hosts.target(), nullptr, &cancel) == "copy.cancelled");
    // Soon: at most what had a slot then was copied, by the one or two copies that a chunk takes on each device.
    CHECK(copiesUntilNow() - before < static_cast<long>(copies.bytes() / (64 << 10)) / 2);
    MultiCopy next(hosts.target(), planOf(direction, mixedSizes, hosts.relays));
    CHECK(arrives(next, hosts.target()));
  }
}

TEST("devices without peer access are refused by name, and the others stay usable") {
  Hosts hosts(3);
  hosts.devices[1]->allowPeers(false);
  std::string code;
  std::string message;
  try {
    hosts.connect();
  } catch (const Failure& failure) {
    code = failure.code;
    message = failure.message;
    CHECK(!failure.remedy.empty());
    CHECK(failure.field == "relay");
  }
  CHECK(code == "copy.no-peer-access");
  CHECK(message.find("device 0") != std::string::npos && message.find("device 1") != std::string::npos);
  hosts.target().addRelay(hosts.engines[2]->asRelay());
  MultiCopy copies(hosts.target(), planOf(Direction::h2d, mixedSizes, {2}));
  CHECK(arrives(copies, hosts.target()));
}

TEST("slots on relay devices keep to their budget, and are given back") {
  for (const int count : {2, 8}) {
    Hosts hosts(count);
    hosts.connect();
    MultiCopyPlan plan = planOf(Direction::h2d, std::vector<std::uint64_t>(18, 4'000'000), hosts.relays);
    plan.options = CopyOptions();
    plan.options.relays = hosts.relays;
    MultiCopy copies(hosts.target(), plan);
    CHECK(copies.bytes() > relayBytesByDefault);
    CHECK(arrives(copies, hosts.target()));
    const EngineCounts counts = hosts.target().counts();
    CHECK(counts.relayBytes > 0 && counts.relayBytes <= relayBytesByDefault);
    CHECK(counts.relayRingBytes > 0 && counts.relayRingBytes <= relayRingBytes);
    hosts.target().trim();
    CHECK(hosts.target().counts().relayBytes == 0);
    for (int index = 1; index < count; ++index) {
      CHECK(hosts.devices[static_cast<std::size_t>(index)]->liveBlocks() == 0);
    }
    CHECK(arrives(copies, hosts.target()));
  }
}

TEST("a relay device without memory for its slots is told by name") {
  Hosts hosts(2);
  hosts.connect();
  hosts.devices[1]->limitMemory(1000);
  MultiCopy copies(hosts.target(), planOf(Direction::h2d, mixedSizes, hosts.relays));
  std::string message;
  CHECK(codeOfRun(copies, hosts.target(), &message) == "run.out-of-memory");
  CHECK(message.find("device 1") != std::string::npos);
  hosts.devices[1]->limitMemory(std::size_t{1} << 30);
  CHECK(arrives(copies, hosts.target()));
}

TEST("a steady state over relays allocates nothing, also on the relay devices") {
  Hosts hosts(3);
  hosts.connect();
  const auto all = [&] {
    std::uint64_t sum = 0;
    for (const auto& engine : hosts.engines) sum += allocationsOf(engine->counts());
    return sum;
  };
  for (const Direction direction : overLinks) {
    MultiCopy copies(hosts.target(), planOf(direction, mixedSizes, hosts.relays));
    for (int run = 0; run < 3; ++run) copies.run(hosts.target().defaultStream());
    const std::uint64_t before = all();
    for (int run = 0; run < 20; ++run) copies.run(hosts.target().defaultStream());
    CHECK(all() == before);
    CHECK(copies.verify().wrong == 0);
  }
}

TEST("a small payload takes no relay") {
  Hosts hosts(2);
  hosts.connect();
  MultiCopyPlan plan = planOf(Direction::h2d, std::vector<std::uint64_t>(20, 4000), hosts.relays);
  MultiCopy copies(hosts.target(), plan);
  CHECK(arrives(copies, hosts.target()));
  CHECK(hosts.devices[1]->copies() == 0);
}

TEST("two devices that relay for each other at once don't disturb each other") {
  Hosts hosts(2);
  hosts.connect();
  hosts.engines[1]->addRelay(hosts.engines[0]->asRelay());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < 4; ++number) {
    threads.emplace_back([&, number] {
      CopyEngine& engine = *hosts.engines[number % 2];
      const int relay = static_cast<int>(1 - number % 2);
      MultiCopy copies(engine, planOf(overLinks[number / 2], mixedSizes, {relay}));
      for (int run = 0; run < 5; ++run) {
        if (!arrives(copies, engine)) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
