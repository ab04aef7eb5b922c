// Copies under way: submitted by the caller, dropped early, failing, between devices.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "check.h"
#include "copy/host_copy_device.h"
#include "copy/pending_copy.h"

using namespace copyscope;
using namespace copyscope::copy;

namespace {

struct Fixture {
  Fixture() : device(new HostCopyDevice(0)), engine(new CopyEngine(std::unique_ptr<CopyDevice>(device))) {}

  /// Starts a copy of one tensor of these bytes to new device memory.
  std::shared_ptr<PendingCopy> upload(std::vector<std::byte>& source) {
    auto copy = std::make_shared<PendingCopy>(engine, engine->defaultStream());
    copy->results.push_back(engine->deviceMemory().take(source.size()));
    copy->batch.transfers.push_back({source.data(), copy->results[0]->memory, source.size()});
    return copy;
  }

  HostCopyDevice* device;
  std::shared_ptr<CopyEngine> engine;
};

/// Returns true if `call` ends while the device holds a copy, which is released after that.
template <typename Call>
bool endsWhileHeld(Fixture& fixture, const Call& call) {
  std::future<void> called = std::async(std::launch::async, call);
  // A time that no machine takes, so that a test fails and doesn't hang.
  const bool ended = called.wait_for(std::chrono::minutes(2)) == std::future_status::ready;
  fixture.device->holdNext(false);
  called.get();
  return ended;
}

std::vector<std::byte> bytesOf(std::size_t count, int seed) {
  std::vector<std::byte> bytes(count);
  const auto start = static_cast<std::size_t>(seed);
  for (std::size_t at = 0; at < count; ++at) bytes[at] = static_cast<std::byte>(at * 31 + start);
  return bytes;
}

}  // namespace

TEST("a small copy is submitted by its owner, and may be dropped while on the wire") {
  Fixture fixture;
  fixture.device->holdNext(true);
  std::vector<std::byte> source = bytesOf(1000, 2);
  std::shared_ptr<PendingCopy> copy = fixture.upload(source);
  const BlockRef result = copy->results[0];
  CHECK(copy->submitSmall() && copy->isSubmitted());
  CHECK(copy->state() == CopyState::pending);
  // The destructor waits as long as the copy is on the wire.
  const std::future<void> dropped = std::async(std::launch::async, [&] { copy = nullptr; });
  CHECK(dropped.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
  fixture.device->holdNext(false);
  dropped.wait();
  CHECK(std::equal(source.begin(), source.end(), result->memory));
}

TEST("a small copy that is let go of on the wire is waited for by the scheduler's thread") {
  Fixture fixture;
  CopyScheduler scheduler;
  std::vector<std::byte> source = bytesOf(1000, 10);
  fixture.device->holdNext(true);
  std::shared_ptr<PendingCopy> copy = fixture.upload(source);
  CHECK(copy->submitSmall());
  CHECK(endsWhileHeld(fixture, [&] {
    scheduler.letGo(std::move(copy));
    // It is still being written.
    CHECK(fixture.engine->deviceMemory().counts().usedBytes > 0);
  }));
  while (fixture.engine->deviceMemory().counts().usedBytes > 0) std::this_thread::yield();
}

TEST("a failing copy says why, small or in the background, and the next one works") {
  Fixture fixture;
  CopyScheduler scheduler;
  std::vector<std::byte> small = bytesOf(1000, 4);
  std::vector<std::byte> large = bytesOf(6 << 20, 5);
  for (std::vector<std::byte>* source : {&small, &large}) {
    for (const bool fails : {true, false}) {
      fixture.device->failAfter(fails ? 0 : -1);
      const std::shared_ptr<PendingCopy> copy = fixture.upload(*source);
      if (!copy->submitSmall()) scheduler.add(copy);
      copy->wait();
      CHECK(copy->state() == (fails ? CopyState::failed : CopyState::done));
      CHECK(!fails || copy->failure().code == "engine.cuda");
    }
  }
}

TEST("a copy between devices waits for what the source's stream holds") {
  Fixture from;
  Fixture to;
  CopyScheduler scheduler;
  from.device->delayCopies(5000000);
  std::vector<std::byte> source = bytesOf(5000, 7);
  const BlockRef middle = from.engine->deviceMemory().take(5000);
  const OwnedCopyStream busy = from.device->createStream();
  from.device->copy(middle->memory, source.data(), 5000, Direction::h2d, busy.get());
  auto copy = std::make_shared<PendingCopy>(to.engine, to.engine->defaultStream());
  const BlockRef result = to.engine->deviceMemory().take(5000);
  copy->batch.direction = Direction::d2d;
  copy->batch.sourceDevice = 1;
  copy->batch.transfers.push_back({middle->memory, result->memory, 5000});
  copy->before = from.device->createEvent();
  from.device->record(copy->before.get(), busy.get());
  scheduler.add(copy);
  copy->wait();
  CHECK(std::equal(source.begin(), source.end(), result->memory));
}
