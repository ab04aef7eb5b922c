// Streams and events of the copy engine: if one of them can't be made, nothing of the incomplete object remains.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "copy/host_copy_device.h"
#include "copy/multi_copy.h"
#include "copy/pending_copy.h"
#include "copy_arrives.h"
#include "executor/failure.h"

using namespace copyscope;
using namespace copyscope::copy;
using copyscope::testing::arrives;

namespace {

constexpr long mostHandles = 200;

template <typename Make>
bool fails(const Make& make) {
  try {
    make();
  } catch (const Failure& failure) {
    CHECK(failure.code == "engine.cuda");
    return true;
  }
  return false;
}

/// Makes each handle that `make` requests fail in turn, until none fails. Returns the number of requests.
template <typename Make>
long failEach(const Make& make) {
  for (long failing = 0; failing < mostHandles; ++failing) {
    if (!fails([&] { make(failing); })) return failing;
  }
  return mostHandles;
}

MultiCopyPlan planOf(Direction direction) {
  MultiCopyPlan plan;
  plan.direction = direction;
  plan.sizes = std::vector<std::uint64_t>(6, 300'000);
  plan.options.threads = 2;
  plan.options.slotBytes = 64 << 10;
  return plan;
}

}  // namespace

TEST("an engine that can't be made leaves no stream and no event") {
  const long asked = failEach([](long failing) {
    auto device = std::make_unique<HostCopyDevice>(0);
    const auto live = device->liveHandles();
    device->failHandleAfter(failing);
    std::unique_ptr<CopyEngine> engine;
    const bool failed = fails([&] { engine = std::make_unique<CopyEngine>(std::move(device)); });
    if (!failed) CHECK(live->load() == failing);
    engine.reset();
    CHECK(live->load() == 0);
    if (failed) throw Failure("engine.cuda", "As it was ordered.");
  });
  CHECK(asked == 2);
}

TEST("a batch whose events can't be made fails, and the next one arrives") {
  for (const Direction direction : {Direction::h2d, Direction::d2h}) {
    auto* const target = new HostCopyDevice(0);
    CopyEngine engine{std::unique_ptr<CopyDevice>(target)};
    MultiCopy copies(engine, planOf(direction));
    // One event fails, and the next run makes the missing one.
    target->failHandleAfter(1);
    CHECK(fails([&] { copies.run(engine.defaultStream()); }));
    CHECK(arrives(copies, engine));
  }
}

TEST("the needs of a payload's threads go with them, even if one of them fails") {
  auto* const device = new HostCopyDevice(0);
  CopyEngine engine{std::unique_ptr<CopyDevice>(device)};
  MultiCopy copies(engine, planOf(Direction::h2d));
  CHECK(arrives(copies, engine));
  const long before = device->liveHandles()->load();
  device->failHandleAfter(0);
  CHECK(fails([&] { copies.verify(); }));
  CHECK(device->liveHandles()->load() == before);
  device->failAfter(2);
  CHECK(fails([&] { copies.verify(); }));
  CHECK(device->liveHandles()->load() == before);
}

TEST("an event may end before a stream has reached it") {
  HostCopyDevice device(0);
  const OwnedCopyStream stream = device.createStream();
  const OwnedCopyStream other = device.createStream();
  std::vector<std::byte> source(100, std::byte{5});
  std::vector<std::byte> target(100);
  device.delayCopies(1'000'000);
  device.copy(target.data(), source.data(), source.size(), Direction::h2d, stream.get());
  {
    const OwnedCopyEvent event = device.createEvent();
    device.record(event.get(), stream.get());
    device.streamWait(other.get(), event.get());
  }
  device.synchronize(other.get());
  CHECK(target == source);
}
