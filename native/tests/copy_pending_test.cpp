// Copies under way: in the background, submitted by the caller, cancelled, dropped early, failing, strided.
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

TEST("a copy in the background ends done, and its owner is notified once") {
  Fixture fixture;
  CopyScheduler scheduler;
  std::vector<std::byte> source = bytesOf(6 << 20, 1);
  const std::shared_ptr<PendingCopy> copy = fixture.upload(source);
  const BlockRef result = copy->results[0];
  std::atomic<int> told{0};
  copy->onEnd = [&] { ++told; };
  scheduler.add(copy);
  copy->wait();
  CHECK(copy->state() == CopyState::done);
  CHECK(std::equal(source.begin(), source.end(), result->memory));
  while (told == 0) std::this_thread::yield();
  CHECK(told == 1);
}

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

TEST("a cancelled copy ends cancelled and holds no results") {
  Fixture fixture;
  CopyScheduler scheduler;
  fixture.device->holdNext(true);
  std::vector<std::byte> source = bytesOf(64 << 20, 3);
  const std::shared_ptr<PendingCopy> copy = fixture.upload(source);
  copy->options.slotBytes = 64 << 10;
  copy->options.slotsPerThread = 1;
  scheduler.add(copy);
  while (fixture.device->copies() == 0) std::this_thread::yield();
  copy->cancel();
  fixture.device->holdNext(false);
  copy->wait();
  CHECK(copy->state() == CopyState::cancelled && copy->failure().code == "copy.cancelled");
  CHECK(fixture.engine->deviceMemory().counts().usedBytes == 0);
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

TEST("a strided source arrives contiguous, backwards strides included") {
  Fixture fixture;
  std::vector<std::byte> source = bytesOf(6 * 4 * 2, 6);
  // The transposed second half of a 6 x 4 matrix of 2-byte elements, rows backwards.
  auto copy = std::make_shared<PendingCopy>(fixture.engine, fixture.engine->defaultStream());
  const BlockRef result = fixture.engine->deviceMemory().take(4 * 3 * 2);
  copy->batch.transfers.push_back({source.data() + 5 * 4 * 2, result->memory, 4 * 3 * 2});
  copy->strided.push_back({0, 2, {4, 3}, {1, -4}});
  CHECK(!copy->submitSmall());
  copy->execute();
  CHECK(copy->state() == CopyState::done);
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 3; ++row) {
      const std::byte* const expected = source.data() + ((5 - row) * 4 + column) * 2;
      CHECK(std::memcmp(result->memory + (column * 3 + row) * 2, expected, 2) == 0);
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
