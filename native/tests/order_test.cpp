// Orders that CUDA promises, and those that it doesn't.
#include "check.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::int64_t spinNs = 5 * milliseconds;
const Content zeros = pattern(PatternKind::constant, 1);

/// Two spins, one in each of two streams; whether the second began only when the first had ended.
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

}  // namespace

TEST("a stream runs its work in issue order") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, spinNs).spin(stream, spinNs).spin(stream, spinNs);
  const auto rows = deviceRows(runOnCpu(builder.program()), RowKind::kernel);
  CHECK(rows.size() == 3);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    CHECK(rows[index].op == static_cast<int>(index));
    CHECK(rows[index].durationNs >= spinNs);
    if (index > 0) CHECK(rows[index].startNs >= endOf(rows[index - 1]));
  }
}

TEST("different streams overlap") {
  CHECK(!inTurn(StreamKind::nonBlocking, StreamKind::nonBlocking));
  CHECK(!inTurn(StreamKind::blocking, StreamKind::blocking));
  CHECK(!inTurn(StreamKind::perThreadDefault, StreamKind::blocking));
}

TEST("the legacy default stream and blocking streams wait for each other") {
  CHECK(inTurn(StreamKind::blocking, StreamKind::legacyDefault));
  CHECK(inTurn(StreamKind::legacyDefault, StreamKind::blocking));
  CHECK(inTurn(StreamKind::legacyDefault, StreamKind::perThreadDefault));
}

TEST("non-blocking streams take no part in the legacy default stream's barrier") {
  CHECK(!inTurn(StreamKind::nonBlocking, StreamKind::legacyDefault));
  CHECK(!inTurn(StreamKind::legacyDefault, StreamKind::nonBlocking));
}

TEST("synchronising the legacy default stream waits for blocking streams only") {
  for (const StreamKind kind : {StreamKind::blocking, StreamKind::nonBlocking}) {
    ProgramBuilder builder;
    const int legacy = builder.stream(StreamKind::legacyDefault);
    const int other = builder.stream(kind);
    builder.spin(other, longNs).on(Code::synchronizeStream, legacy);
    const RunRecord record = runOnCpu(builder.program());
    const HostRow sync = hostRows(record, 1)[0];
    const bool waited = sync.startNs + sync.durationNs >= endOf(deviceRows(record, RowKind::kernel)[0]);
    CHECK(waited == (kind == StreamKind::blocking));
  }
}

TEST("a stream that waits for an event goes on when the recorded work is done") {
  ProgramBuilder builder;
  const int a = builder.stream(StreamKind::nonBlocking);
  const int b = builder.stream(StreamKind::nonBlocking);
  const int event = builder.event();
  builder.spin(a, spinNs).record(event, a).waitFor(event, b).spin(b, spinNs);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(deviceRows(record, RowKind::kernel, 3)[0].startNs >= endOf(deviceRows(record, RowKind::kernel, 0)[0]));
  CHECK(deviceRows(record, RowKind::eventRecord).size() == 1);
  CHECK(deviceRows(record, RowKind::eventRecord)[0].durationNs == 0);
  CHECK(deviceRows(record, RowKind::eventWait).size() == 1);
}

TEST("a wait is for the record before it, not for a later one") {
  ProgramBuilder builder;
  const int a = builder.stream(StreamKind::nonBlocking);
  const int b = builder.stream(StreamKind::nonBlocking);
  const int event = builder.event();
  builder.record(event, a).waitFor(event, b).spin(a, longNs).record(event, a).spin(b, spinNs);
  builder.on(Code::synchronizeEvent, -1, event);
  const RunRecord record = runOnCpu(builder.program());
  const DeviceRow longSpin = deviceRows(record, RowKind::kernel, 2)[0];
  CHECK(deviceRows(record, RowKind::kernel, 4)[0].startNs < endOf(longSpin));
  const HostRow sync = hostRows(record, 5)[0];
  CHECK(sync.startNs + sync.durationNs >= endOf(longSpin));
}

TEST("an event that was never recorded counts as complete") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  const int event = builder.event();
  builder.waitFor(event, stream).on(Code::synchronizeEvent, -1, event).on(Code::queryEvent, -1, event);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.hostRows.size() == 3);
}

TEST("copies of one direction run one after another, opposite ones need not") {
  constexpr std::uint64_t bytes = 16u << 20;
  ProgramBuilder builder;
  const int pinned = builder.buffer(Memory::pinned, bytes, pattern(PatternKind::random, 1));
  const int first = builder.buffer(Memory::device, bytes, zeros, true);
  const int second = builder.buffer(Memory::device, bytes, zeros, true);
  const int a = builder.stream(StreamKind::nonBlocking);
  const int b = builder.stream(StreamKind::nonBlocking);
  builder.repeat(12).copy(pinned, first, a).copy(pinned, second, b).endRepeat();
  const auto rows = deviceRows(runOnCpu(builder.program()), RowKind::copy);
  CHECK(rows.size() == 24);
  for (const DeviceRow& one : rows) {
    for (const DeviceRow& other : rows) {
      CHECK(&one == &other || one.startNs >= endOf(other) || other.startNs >= endOf(one));
    }
  }
}

TEST("a pageable copy holds the host, a pinned one does not") {
  for (const Memory memory : {Memory::pageable, Memory::pinned}) {
    ProgramBuilder builder;
    const int source = builder.buffer(memory, 1u << 20, pattern(PatternKind::random, 1));
    const int target = builder.buffer(Memory::device, 1u << 20, zeros, true);
    const int stream = builder.stream(StreamKind::nonBlocking);
    builder.spin(stream, longNs).copy(source, target, stream);
    const RunRecord record = runOnCpu(builder.program());
    const HostRow call = hostRows(record, 1)[0];
    const bool held = call.startNs + call.durationNs >= endOf(deviceRows(record, RowKind::copy)[0]);
    CHECK(held == (memory == Memory::pageable));
  }
}

TEST("a small pageable source is taken with the call") {
  ProgramBuilder builder;
  const int source = builder.buffer(Memory::pageable, 4096, pattern(PatternKind::random, 1), true);
  const int target = builder.buffer(Memory::device, 4096, zeros, true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, longNs).copy(source, target, stream).write(source, pattern(PatternKind::constant, 9));
  builder.expect(target, pattern(PatternKind::random, 1));
  const RunRecord record = runOnCpu(builder.program());
  CHECK(hostRows(record, 1)[0].durationNs < longNs);
  CHECK(record.checks[0].wrong == 0);
}

TEST("a full queue holds the host until there is room") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, longNs).repeat(1100).spin(stream, 0).endRepeat();
  const RunRecord record = runOnCpu(builder.program());
  std::int64_t longest = 0;
  for (const HostRow& row : hostRows(record, 2)) longest = row.durationNs > longest ? row.durationNs : longest;
  CHECK(longest > spinNs);
  CHECK(deviceRows(record, RowKind::kernel).size() == 1101);
}
