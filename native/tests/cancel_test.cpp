// A run ends soon after it is asked to, wherever it is.
#include <thread>

#include "check.h"
#include "failure.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

namespace {

constexpr std::int64_t tenMinutes = 600000 * milliseconds;

/// Cancels a run after 30 ms; the time until it had ended, or -1 where it ended for another reason.
std::int64_t cancelled(const Program& program) {
  Stop stop;
  std::int64_t asked = 0;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    asked = nowNs();
    stop.request();
  });
  std::string code;
  try {
    runOnCpu(program, stop);
  } catch (const Failure& failure) {
    code = failure.code;
  }
  const std::int64_t ended = nowNs();
  canceller.join();
  return code == "run.cancelled" ? ended - asked : -1;
}

/// Against ten minutes; a sanitizer on a busy machine needs some of it.
bool soon(std::int64_t durationNs) { return durationNs >= 0 && durationNs < 1000 * milliseconds; }

}  // namespace

TEST("a spin of ten minutes ends when the run is cancelled") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes).on(Code::synchronizeStream, stream);
  CHECK(soon(cancelled(builder.program())));
}

TEST("host work of ten minutes ends when the run is cancelled") {
  ProgramBuilder builder;
  builder.work(tenMinutes);
  CHECK(soon(cancelled(builder.program())));
}

TEST("a host thread held by a full queue is let go") {
  ProgramBuilder builder;
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.spin(stream, tenMinutes).repeat(5000).spin(stream, 0).endRepeat();
  CHECK(soon(cancelled(builder.program())));
}

TEST("a long repeat ends between two operations") {
  ProgramBuilder builder;
  builder.repeat(300000).work(milliseconds).endRepeat();
  CHECK(soon(cancelled(builder.program())));
}

TEST("a stream kernel of many passes ends") {
  ProgramBuilder builder;
  const int buffer = builder.buffer(Memory::device, 4u << 20, pattern(PatternKind::random, 1), true);
  const int stream = builder.stream(StreamKind::nonBlocking);
  builder.kernel(buffer, buffer, stream, 10000).on(Code::synchronizeDevice);
  CHECK(soon(cancelled(builder.program())));
}
