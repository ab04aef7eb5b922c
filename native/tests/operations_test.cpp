// Memsets, items, host functions, event timing, kinds of memory, launch blocking.
#include <algorithm>

#include "check.h"
#include "cpu/cpu_backend.h"
#include "executor/failure.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t bytes = 300 * 1024 + 4;
const Content data = pattern(PatternKind::random, 42);
const Content poison = pattern(PatternKind::constant, 0xdeadbeef);

std::int64_t endOfHost(const HostRow& row) { return row.startNs + row.durationNs; }

}  // namespace

TEST("a memset writes its byte, in the order of its stream, as a row of its own kind") {
  ProgramBuilder builder;
  const int device = builder.buffer(Memory::device, bytes, poison, true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, milliseconds).memset(device, 0xab, stream);
  builder.expect(device, pattern(PatternKind::constant, 0xabababab));
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.checks[0].wrong == 0 && record.checks[0].checked == bytes);
  const DeviceRow row = deviceRows(record, RowKind::memset, 1).at(0);
  CHECK(row.bytes == bytes && row.dst == Memory::device && row.src == Memory::none);
  CHECK(row.startNs >= endOf(deviceRows(record, RowKind::kernel, 0).at(0)));
  CHECK(hostRows(record, 1).at(0).name == CallName::memsetAsync);
}

TEST("an item copies four bytes back and waits for its stream") {
  ProgramBuilder builder;
  const int device = builder.buffer(Memory::device, bytes, data);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, 5 * milliseconds).item(device, stream);
  const RunRecord record = runOnCpu(builder.program());
  const DeviceRow copied = deviceRows(record, RowKind::copy, 1).at(0);
  CHECK(copied.bytes == 4 && copied.src == Memory::device && copied.dst == Memory::pageable);
  const auto host = hostRows(record, 1);
  CHECK(host.size() == 2 && host[0].name == CallName::memcpyAsync && host[1].name == CallName::streamSynchronize);
  CHECK(host[1].kind == RowKind::hostSync && endOfHost(host[1]) >= endOf(copied));
  CHECK(host[0].correlation == copied.correlation);
}

TEST("a host function holds its stream for as long as it runs") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.hostFunction(stream, 3 * milliseconds).spin(stream, 0);
  const RunRecord record = runOnCpu(builder.program());
  const DeviceRow function = deviceRows(record, RowKind::hostFunction, 0).at(0);
  CHECK(function.durationNs >= 3 * milliseconds);
  CHECK(deviceRows(record, RowKind::kernel, 1).at(0).startNs >= endOf(function));
  CHECK(hostRows(record, 0).at(0).name == CallName::launchHostFunc);
}

TEST("the time between two events is that of the work between them") {
  ProgramBuilder builder;
  builder.program().iterations = 2;
  const int stream = builder.stream(StreamKind::nonBlocking);
  const int first = builder.event();
  const int last = builder.event();
  builder.record(first, stream).spin(stream, 5 * milliseconds).record(last, stream);
  builder.on(Code::synchronizeStream, stream).elapsed(first, last);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.elapsed.size() == 2 && record.elapsed[1].iteration == 1 && record.elapsed[1].op == 4);
  const DeviceRow spin = deviceRows(record, RowKind::kernel).at(0);
  for (const ElapsedTime& time : record.elapsed) CHECK(time.durationNs >= 5 * milliseconds);
  CHECK(record.elapsed[0].durationNs >= static_cast<double>(spin.durationNs));
}

TEST("the time between events that are not complete, not timed or not recorded is refused") {
  for (int fault = 0; fault < 3; ++fault) {
    ProgramBuilder builder;
    const int stream = builder.stream(StreamKind::nonBlocking);
    const int first = builder.event();
    const int last = builder.event();
    builder.record(first, stream).spin(stream, fault == 0 ? tenMinutes : 0);
    if (fault != 2) builder.record(last, stream);
    if (fault != 0) builder.on(Code::synchronizeStream, stream);
    if (fault == 1) builder.program().events[1] = false;
    builder.elapsed(first, last);
    CHECK(failureOf(builder.program()) == "run.event-not-complete");
  }
}

TEST("memory of every kind is copied, and page-locked kinds let the caller go on") {
  for (const Memory memory : {Memory::pageable, Memory::pinned, Memory::pinnedWriteCombined, Memory::mapped,
                              Memory::registered}) {
    ProgramBuilder builder;
    const int host = builder.buffer(memory, bytes, data);
    const int device = builder.buffer(Memory::device, bytes, poison, true);
    const int stream = builder.stream(StreamKind::nonBlocking);
    const bool holds = memory == Memory::pageable;
    builder.spin(stream, holds ? longNs : milliseconds).copy(host, device, stream).expect(device, data);
    const RunRecord record = runOnCpu(builder.program());
    CHECK(record.checks[0].wrong == 0);
    const DeviceRow copied = deviceRows(record, RowKind::copy).at(0);
    CHECK(copied.src == memory);
    if (holds) {
      CHECK(endOfHost(hostRows(record, 1).at(0)) >= copied.startNs);
    } else {
      CHECK(copyReturnsWhileHeld(memory, bytes));
    }
  }
}

TEST("with launch blocking each issuing call lasts until its work is done") {
  ProgramBuilder builder;
  builder.program().launchBlocking = true;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, 5 * milliseconds).hostFunction(stream, 5 * milliseconds);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.hostRows.size() == 2);
  CHECK(endOfHost(hostRows(record, 0).at(0)) >= endOf(deviceRows(record, RowKind::kernel, 0).at(0)));
  CHECK(endOfHost(hostRows(record, 1).at(0)) >= endOf(deviceRows(record, RowKind::hostFunction, 1).at(0)));
}

TEST("the legacy default stream and device synchronises keep to their own device") {
  ProgramBuilder builder;
  builder.program().devices = {0, 1};
  const int legacy = builder.stream(StreamKind::legacyDefault);
  const int other = builder.stream(StreamKind::blocking);
  builder.program().streams[1].device = 1;
  builder.spin(other, tenMinutes).spin(legacy, 0);
  Held held(builder.program());
  held.issueAll();
  // Returns only when the legacy default stream has finished its own work.
  held.backend.synchronizeDevice(0);
  CHECK(!held.backend.queryStream(other));
}

TEST("rows recorded before a run was cancelled are kept") {
  ProgramBuilder builder;
  builder.program().iterations = 3;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, milliseconds);
  Stop stop;
  CpuBackend backend(stop);
  Executor executor(builder.program(), backend, stop, [&](Phase phase, int done, int) {
    if (phase == Phase::recording && done == 1) stop.request();
  });
  std::string code;
  try {
    executor.run();
  } catch (const Failure& failure) {
    code = failure.code;
  }
  CHECK(code == "run.cancelled");
  const RunRecord partial = executor.takePartial();
  CHECK(partial.startsNs.size() == 1 && partial.recordedWallNs.size() == 1 && partial.plainWallNs.size() == 3);
  CHECK(hostRows(partial, 0).size() == 1 && deviceRows(partial, RowKind::kernel).size() == 1);
  CHECK(partial.timing == "host-clock");
}
