// Multi-tensor copies in the executor: data, rows, several threads at once, and ends in the middle.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "check.h"
#include "copy/host_copy_device.h"
#include "cpu/cpu_backend.h"
#include "executor/failure.h"
#include "executor/multi_copies.h"
#include "executor/multi_copy_uses.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;
using copy::Direction;
using copy::MultiCopyPlan;
using copy::Strategy;

namespace {

const std::vector<std::uint64_t> mixedSizes = {0, 1, 7, 4000, 4000, 65537, 300 * 1024, 262145, 64, 63};

MultiCopyPlan planOf(Direction direction, Strategy strategy, std::vector<std::uint64_t> sizes = mixedSizes) {
  MultiCopyPlan plan;
  plan.direction = direction;
  plan.sizes = std::move(sizes);
  plan.options.strategy = strategy;
  plan.options.threads = 3;
  plan.options.slotBytes = 64 << 10;
  plan.options.slotsPerThread = 2;
  return plan;
}

bool allRight(const RunRecord& record, std::size_t checks) {
  const bool right = std::all_of(record.checks.begin(), record.checks.end(),
                                 [](const Check& check) { return check.wrong == 0 && check.multiCopy >= 0; });
  return right && record.checks.size() == checks;
}

std::uint64_t bytesOf(const MultiCopyPlan& plan) {
  std::uint64_t sum = 0;
  for (const std::uint64_t size : plan.sizes) sum += size;
  return sum;
}

}  // namespace

TEST("every strategy and direction runs as an operation, with rows within what is counted for it") {
  for (int direction = 0; direction < 4; ++direction) {
    for (int strategy = 0; strategy < copy::strategyCount; ++strategy) {
      for (const bool pinned : {false, true}) {
        ProgramBuilder builder;
        builder.program().iterations = 2;
        MultiCopyPlan plan = planOf(static_cast<Direction>(direction), static_cast<Strategy>(strategy));
        plan.pinned = pinned;
        builder.multiCopy(plan, builder.stream(StreamKind::nonBlocking));
        const RunRecord record = runOnCpu(builder.program());
        CHECK(allRight(record, 1));
        CHECK(record.checks[0].checked == bytesOf(plan));
        const MultiCopyRows most = multiCopyRows(plan);
        CHECK(record.hostRows.size() <= 2 * most.host);
        CHECK(record.deviceRows.size() <= 2 * most.stream);
        for (const HostRow& row : record.hostRows) CHECK(row.worker >= 0 && row.worker < 3 && row.durationNs >= 0);
        for (const DeviceRow& row : record.deviceRows) CHECK(row.correlation > 0 && row.op == 0);
      }
    }
  }
}

TEST("tensors that never arrived are found out, with the first wrong byte") {
  Stop stop;
  CpuBackend backend(stop);
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.multiCopy(planOf(Direction::h2d, Strategy::nonBlockingLoop, {100, 200}), stream);
  backend.prepare(builder.program());
  MultiCopies copies(builder.program(), backend, stop);
  copies.poison();
  const MultiCopies::Found found = copies.verify(0);
  CHECK(found.op == 0 && found.comparison.checked == 300);
  CHECK(found.comparison.wrong > 290 && found.comparison.firstWrong < 3);
}

TEST("copies of one stream come after what was issued there before them") {
  for (const Strategy strategy : {Strategy::blockingLoop, Strategy::packed, Strategy::pipelined}) {
    ProgramBuilder builder;
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.spin(stream, 20 * milliseconds).multiCopy(planOf(Direction::d2h, strategy), stream);
    const RunRecord record = runOnCpu(builder.program());
    const std::vector<DeviceRow> spins = deviceRows(record, RowKind::kernel, 0);
    for (const DeviceRow& copied : deviceRows(record, RowKind::copy)) CHECK(copied.startNs >= endOf(spins[0]));
  }
}

TEST("in the legacy default stream they wait for blocking streams, and those for them") {
  ProgramBuilder builder;
  const int legacy = builder.stream(StreamKind::legacyDefault);
  const int blocking = builder.stream(StreamKind::blocking);
  builder.spin(blocking, 10 * milliseconds).multiCopy(planOf(Direction::h2d, Strategy::pipelined), legacy);
  builder.spin(blocking, milliseconds);
  const RunRecord record = runOnCpu(builder.program());
  const std::int64_t before = endOf(deviceRows(record, RowKind::kernel, 0)[0]);
  const std::int64_t after = deviceRows(record, RowKind::kernel, 2)[0].startNs;
  for (const DeviceRow& copied : deviceRows(record, RowKind::copy)) {
    CHECK(copied.startNs >= before && endOf(copied) <= after);
  }
}

TEST("host threads copy at once, with the same engine and with another") {
  for (const bool twoDevices : {false, true}) {
    ProgramBuilder builder;
    builder.program().iterations = 3;
    if (twoDevices) builder.program().devices = {0, 1};
    const int a = builder.stream(StreamKind::nonBlocking);
    const int b = builder.stream(StreamKind::nonBlocking);
    if (twoDevices) builder.program().streams[1].device = 1;
    builder.repeat(4).multiCopy(planOf(Direction::h2d, Strategy::pipelined), a).endRepeat();
    builder.nextThread();
    builder.repeat(4).multiCopy(planOf(Direction::d2h, Strategy::threadedPinning), b).endRepeat();
    CHECK(allRight(runOnCpu(builder.program()), 2));
  }
}

TEST("a multi-tensor copy is cancelled wherever it is, and what follows works") {
  for (int strategy = 0; strategy < copy::strategyCount; ++strategy) {
    for (const Direction direction : {Direction::h2d, Direction::d2h}) {
      ProgramBuilder builder;
      const int stream = builder.stream(StreamKind::nonBlocking);
      const MultiCopyPlan plan =
          planOf(direction, static_cast<Strategy>(strategy), std::vector<std::uint64_t>(200, 10000));
      builder.repeat(100000).spin(stream, 10000).multiCopy(plan, stream).endRepeat();
      // More rounds than rows may be kept.
      builder.program().threads[0][0].amount = 1000;
      // The stop may come late on a busy machine.
      builder.work(tenMinutes);
      CHECK(stopAfter(builder.program(), std::chrono::milliseconds(15 + 3 * strategy)).code == "run.cancelled");
    }
  }
}

TEST("within a capture it is refused") {
  Stop stop;
  CpuBackend backend(stop);
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  const int graph = builder.graph();
  builder.indexed(Code::beginCapture, graph, stream);
  builder.multiCopy(planOf(Direction::h2d, Strategy::pipelined), stream);
  builder.indexed(Code::endCapture, graph, stream);
  CHECK(failureOf(builder.program()) == "run.capture");
}

TEST("a stop ends the making of tensors, however many they are") {
  ProgramBuilder builder;
  const std::vector<std::uint64_t> sizes(2000, 64u << 10);
  builder.multiCopy(planOf(Direction::h2d, Strategy::pipelined, sizes), builder.stream(StreamKind::nonBlocking));
  builder.work(tenMinutes);
  CHECK(stopAfter(builder.program(), std::chrono::milliseconds(20)).code == "run.cancelled");

  // A copy fills each tensor on the device, and here requests the stop. A thread waits for its copy and checks again,
  // so that no thread makes a second one.
  std::atomic<bool> cancelled{false};
  auto* const device = new copy::HostCopyDevice(0);
  copy::CopyEngine engine{std::unique_ptr<copy::CopyDevice>(device)};
  device->holdCopies([&cancelled] {
    cancelled.store(true);
    return true;
  });
  const copy::MultiCopy made(engine, planOf(Direction::d2h, Strategy::pipelined, sizes), &cancelled);
  const long atOnce = std::max(1u, std::thread::hardware_concurrency());
  CHECK(device->copies() > 0 && device->copies() <= atOnce);
}
