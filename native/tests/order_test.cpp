// Orders that CUDA guarantees, and those that it doesn't.
#include <atomic>
#include <chrono>
#include <thread>

#include "check.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::int64_t spinNs = 5 * milliseconds;
const Content zeros = pattern(PatternKind::constant, 1);

/// Runs two spins, one in each of two streams. Returns true if the second began only after the first had ended.
bool inTurn(StreamKind first, StreamKind second) {
  ProgramBuilder builder;
  const int a = builder.stream(first);
  const int b = builder.stream(second);
  builder.spin(a, longNs).spin(b, spinNs);
  const RunRecord record = runOnCpu(builder.program());
  const DeviceRow one = deviceRows(record, RowKind::kernel, 0).at(0);
  const DeviceRow other = deviceRows(record, RowKind::kernel, 1).at(0);
  return other.startNs >= endOf(one);
}

/// Returns true if the last operation, in another stream, is done while the first stream is held.
bool overlap(StreamKind first, StreamKind second) {
  ProgramBuilder builder;
  const int a = builder.stream(first);
  const int b = builder.stream(second);
  builder.spin(a, tenMinutes).spin(b, 0);
  Held held(builder.program());
  held.issueAll();
  held.backend.synchronizeStream(b);
  return !held.backend.queryStream(a);
}

}  // namespace

TEST("different streams overlap") {
  CHECK(overlap(StreamKind::nonBlocking, StreamKind::nonBlocking));
  CHECK(overlap(StreamKind::blocking, StreamKind::blocking));
  CHECK(overlap(StreamKind::perThreadDefault, StreamKind::blocking));
}

TEST("the legacy default stream and blocking streams wait for each other") {
  CHECK(inTurn(StreamKind::blocking, StreamKind::legacyDefault));
  CHECK(inTurn(StreamKind::legacyDefault, StreamKind::blocking));
  CHECK(inTurn(StreamKind::legacyDefault, StreamKind::perThreadDefault));
}

TEST("non-blocking streams take no part in the legacy default stream's barrier") {
  CHECK(overlap(StreamKind::nonBlocking, StreamKind::legacyDefault));
  CHECK(overlap(StreamKind::legacyDefault, StreamKind::nonBlocking));
}

TEST("synchronising the legacy default stream waits for blocking streams only") {
  ProgramBuilder waiting;
  const int legacy = waiting.stream(StreamKind::legacyDefault);
  waiting.spin(waiting.stream(StreamKind::blocking), longNs).on(Code::synchronizeStream, legacy);
  const RunRecord record = runOnCpu(waiting.program());
  const HostRow sync = hostRows(record, 1)[0];
  CHECK(sync.startNs + sync.durationNs >= endOf(deviceRows(record, RowKind::kernel)[0]));

  ProgramBuilder builder;
  const int passing = builder.stream(StreamKind::legacyDefault);
  const int other = builder.stream(StreamKind::nonBlocking);
  builder.spin(other, tenMinutes);
  Held held(builder.program());
  held.issueAll();
  held.backend.synchronizeStream(passing);
  CHECK(!held.backend.queryStream(other));
}

TEST("a wait is for the record before it, not for a later one") {
  const auto build = [](ProgramBuilder& builder, std::int64_t durationNs) {
    const int a = builder.stream(StreamKind::nonBlocking);
    const int b = builder.stream(StreamKind::nonBlocking);
    const int event = builder.event();
    builder.record(event, a).waitFor(event, b).spin(a, durationNs).record(event, a).spin(b, 0);
  };
  ProgramBuilder endless;
  build(endless, tenMinutes);
  Held held(endless.program());
  held.issueAll();
  held.backend.synchronizeStream(1);
  CHECK(!held.backend.queryStream(0));

  // The host waits for the latest record.
  ProgramBuilder builder;
  build(builder, longNs);
  builder.on(Code::synchronizeEvent, -1, 0);
  const RunRecord record = runOnCpu(builder.program());
  const HostRow sync = hostRows(record, 5)[0];
  CHECK(sync.startNs + sync.durationNs >= endOf(deviceRows(record, RowKind::kernel, 2)[0]));
}

TEST("an event that was never recorded counts as complete") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  const int event = builder.event();
  builder.waitFor(event, stream).on(Code::synchronizeEvent, -1, event).on(Code::queryEvent, -1, event);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.hostRows.size() == 3);
}

TEST("a small pageable source is taken with the call") {
  ProgramBuilder builder;
  const int source = builder.buffer(Memory::pageable, 4096, pattern(PatternKind::random, 1), true);
  const int target = builder.buffer(Memory::device, 4096, zeros, true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, longNs).copy(source, target, stream).write(source, pattern(PatternKind::constant, 9));
  builder.expect(target, pattern(PatternKind::random, 1));
  CHECK(runOnCpu(builder.program()).checks[0].wrong == 0);
  CHECK(copyReturnsWhileHeld(Memory::pageable, 4096));
}

TEST("a full queue holds the host until there is room") {
  constexpr int depth = 1022;
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes);
  for (int more = 0; more < 1100; ++more) builder.spin(stream, 0);
  std::atomic<int> issued{0};
  Held held(builder.program());
  std::thread host([&] {
    for (const Instruction& instruction : held.program.threads[0]) {
      held.backend.issue(instruction, 0);
      ++issued;
    }
  });
  while (issued < depth) std::this_thread::yield();
  // Time for a queue without a limit to show.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(issued == depth);
  held.stop.request();
  host.join();
  held.backend.synchronizeStream(stream);
  CHECK(issued == 1101);
}
