// A run ends soon after a stop is requested, at any point.
#include "check.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

/// Returns true if the run is stopped, and soon compared with its ten minutes or more: a busy machine is slow.
bool endsSoon(const Program& program) {
  const Stopped stopped = stopAfter(program, std::chrono::milliseconds(30));
  return stopped.code == "run.cancelled" && stopped.tookNs < tenMinutes / 2;
}

}  // namespace

TEST("a spin of ten minutes ends when the run is cancelled") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes).on(Code::synchronizeStream, stream);
  CHECK(endsSoon(builder.program()));
}

TEST("host work of ten minutes ends when the run is cancelled") {
  ProgramBuilder builder;
  builder.work(tenMinutes);
  CHECK(endsSoon(builder.program()));
}

TEST("a host thread held by a full queue is let go") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes).repeat(5000).spin(stream, 0).endRepeat();
  CHECK(endsSoon(builder.program()));
}

TEST("a long repeat ends between two operations") {
  ProgramBuilder builder;
  builder.repeat(300000).work(10 * milliseconds).endRepeat();
  CHECK(endsSoon(builder.program()));
}

TEST("a stream kernel of many passes ends") {
  ProgramBuilder builder;
  const int buffer = builder.buffer(Memory::device, 4u << 20, pattern(PatternKind::random, 1), true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.kernel(buffer, buffer, stream, 10'000'000).on(Code::synchronizeDevice);
  CHECK(endsSoon(builder.program()));
}
