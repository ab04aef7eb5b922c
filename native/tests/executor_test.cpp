// The protocol: iterations, repeats, restored patterns, verification, correlations.
#include <set>

#include "check.h"
#include "executor/failure.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::uint64_t bytes = 300 * 1024 + 4;
const Content poison = pattern(PatternKind::constant, 0xdeadbeef);

}  // namespace

TEST("a copy there and back arrives byte for byte, after as many iterations as asked for") {
  ProgramBuilder builder;
  builder.program().iterations = 3;
  builder.program().warmups = 2;
  const Content data = pattern(PatternKind::random, 42);
  const int source = builder.buffer(Memory::pageable, bytes, data);
  const int device = builder.buffer(Memory::device, bytes, poison, true);
  const int back = builder.buffer(Memory::pinned, bytes, poison, true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.copy(source, device, stream).copy(device, back, stream).on(Code::synchronizeStream, stream);
  builder.read(back, data).expect(device, data).expect(back, data);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.startsNs.size() == 3 && record.recordedWallNs.size() == 3 && record.plainWallNs.size() == 3);
  CHECK(record.hostRows.size() == 3 * 4);
  CHECK(record.deviceRows.size() == 3 * 2);
  CHECK(record.checks.size() == 3);
  for (const Check& check : record.checks) CHECK(check.wrong == 0 && check.firstWrong == -1);
  CHECK(record.checks[2].checked == 3 * bytes);
}

TEST("a stream kernel multiplies every word in each pass") {
  ProgramBuilder builder;
  const int factor = builder.buffer(Memory::device, bytes, pattern(PatternKind::random, 7));
  const int product = builder.buffer(Memory::device, bytes, poison, true);
  const int stream = builder.stream(StreamKind::legacyDefault);
  builder.kernel(factor, product, stream, 3);
  builder.expect(product, pattern(PatternKind::random, 7, streamMultiplier * streamMultiplier * streamMultiplier));
  builder.expect(factor, pattern(PatternKind::random, 7));
  const RunRecord record = runOnCpu(builder.program());
  for (const Check& check : record.checks) CHECK(check.wrong == 0);
}

TEST("an expectation that is wrong is found to be, with the first wrong byte") {
  ProgramBuilder builder;
  const int source = builder.buffer(Memory::pinned, 64, pattern(PatternKind::index, 0));
  const int device = builder.buffer(Memory::device, 64, poison, true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.copy(source, device, stream);
  Instruction& copy = builder.program().threads[0][0];
  copy.srcOffset = copy.dstOffset = 8;
  copy.bytes = 16;
  builder.expect(device, poison);
  const RunRecord record = runOnCpu(builder.program());
  // Words 2 to 5 differ from the poison in all of their bytes.
  CHECK(record.checks[0].wrong == 16);
  CHECK(record.checks[0].firstWrong == 8);
}

TEST("written buffers hold their pattern again when an iteration begins") {
  ProgramBuilder builder;
  builder.program().iterations = 3;
  const int host = builder.buffer(Memory::pageable, 4096, pattern(PatternKind::index, 3), true);
  builder.read(host, pattern(PatternKind::index, 3)).write(host, pattern(PatternKind::constant, 1));
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.checks.back().checked == 3 * 4096);
  CHECK(record.checks.back().wrong == 0);
}

TEST("nested repeats run as often as their product, each instance with a correlation of its own") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.repeat(3).spin(stream, 0).repeat(4).spin(stream, 0).endRepeat().endRepeat();
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.deviceRows.size() == 3 + 3 * 4);
  std::set<int> ofDevice;
  std::set<int> ofHost;
  for (const DeviceRow& row : record.deviceRows) ofDevice.insert(row.correlation);
  for (const HostRow& row : record.hostRows) ofHost.insert(row.correlation);
  CHECK(ofDevice.size() == 15);
  CHECK(ofDevice == ofHost);
  CHECK(*ofHost.begin() > 0);
}

TEST("host threads start together and have correlations apart") {
  ProgramBuilder builder;
  const int a = builder.stream(StreamKind::nonBlocking);
  const int b = builder.stream(StreamKind::nonBlocking);
  builder.work(5 * milliseconds).spin(a, milliseconds).spin(b, 0);
  builder.nextThread();
  builder.work(5 * milliseconds).spin(b, milliseconds).spin(a, 0);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.hostRows.size() == 6);
  CHECK(record.hostRows[0].thread == 0 && record.hostRows[3].thread == 1);
  std::set<int> correlations;
  for (const DeviceRow& row : record.deviceRows) correlations.insert(row.correlation);
  CHECK(correlations.size() == 4);
}

TEST("ranges enclose what is in them") {
  ProgramBuilder builder;
  builder.on(Code::beginRange).work(2 * milliseconds).on(Code::endRange);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.hostRows.size() == 2);
  const HostRow range = record.hostRows[0];
  const HostRow work = record.hostRows[1];
  CHECK(range.kind == RowKind::hostRange && work.kind == RowKind::hostWork);
  CHECK(work.durationNs >= 2 * milliseconds);
  CHECK(range.startNs <= work.startNs);
  CHECK(range.startNs + range.durationNs >= work.startNs + work.durationNs);
}

TEST("a blocking copy returns when the data is there") {
  ProgramBuilder builder;
  const Content data = pattern(PatternKind::random, 5);
  const int device = builder.buffer(Memory::device, bytes, data);
  const int host = builder.buffer(Memory::pinned, bytes, poison, true);
  const int stream = builder.stream(StreamKind::legacyDefault);
  builder.spin(stream, 3 * milliseconds).copy(device, host, stream, true).read(host, data);
  const RunRecord record = runOnCpu(builder.program());
  CHECK(record.checks[0].wrong == 0);
}

TEST("a program that would record too much is refused before it runs") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.repeat(10000000).repeat(10000000).repeat(10000000).spin(stream, 0).endRepeat().endRepeat().endRepeat();
  std::string code;
  try {
    runOnCpu(builder.program());
  } catch (const Failure& failure) {
    code = failure.code;
  }
  CHECK(code == "run.too-many-rows");
}
