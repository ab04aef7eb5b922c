// Signals between host threads: order, bounds, deadlock, cancel.
#include "check.h"
#include "executor/failure.h"
#include "program_builder.h"

using namespace copyscope;
using namespace copyscope::testing;

TEST("a thread that waits goes on when another one signals") {
  ProgramBuilder builder;
  builder.program().iterations = 3;
  const int signal = builder.signalOf(10);
  builder.indexed(Code::waitSignal, signal);
  builder.nextThread();
  builder.work(5 * milliseconds).indexed(Code::signal, signal);
  const RunRecord record = runOnCpu(builder.program());
  const HostRow wait = hostRows(record, 0).at(0);
  const HostRow work = hostRows(record, 1).at(0);
  CHECK(wait.kind == RowKind::hostSync);
  CHECK(wait.startNs + wait.durationNs >= work.startNs + work.durationNs);
}

TEST("a full signal holds the one that signals until another thread has taken one") {
  ProgramBuilder builder;
  const int queue = builder.signalOf(2);
  const int mark = builder.signalOf(1);
  // Nothing is taken before the mark: if the second signal blocked, the run would report that no thread can go on.
  builder.indexed(Code::signal, queue).indexed(Code::signal, queue).indexed(Code::signal, mark);
  builder.indexed(Code::signal, queue);
  builder.nextThread();
  builder.indexed(Code::waitSignal, mark).work(longNs).indexed(Code::waitSignal, queue);
  const RunRecord record = runOnCpu(builder.program());
  const HostRow work = hostRows(record, 5).at(0);
  const HostRow third = hostRows(record, 3).at(0);
  CHECK(third.startNs + third.durationNs >= work.startNs + work.durationNs);
}

TEST("many threads pass many signals through a small queue") {
  ProgramBuilder builder;
  const int queue = builder.signalOf(3);
  for (int thread = 0; thread < 6; ++thread) {
    if (thread > 0) builder.nextThread();
    builder.repeat(300).indexed(thread % 2 == 0 ? Code::signal : Code::waitSignal, queue).endRepeat();
  }
  CHECK(failureOf(builder.program()).empty());
}

TEST("threads that all wait for each other end in a failure that names their operations") {
  ProgramBuilder builder;
  const int a = builder.signalOf(1);
  const int b = builder.signalOf(1);
  builder.indexed(Code::waitSignal, a).indexed(Code::signal, b);
  builder.nextThread();
  builder.work(milliseconds).indexed(Code::waitSignal, b).indexed(Code::signal, a);
  try {
    runOnCpu(builder.program());
    CHECK(false);
  } catch (const Failure& failure) {
    CHECK(failure.code == "run.deadlock");
    CHECK(failure.message.find("operation 0 for signal signal0") != std::string::npos);
    CHECK(failure.message.find("operation 3 for signal signal1") != std::string::npos);
    CHECK(failure.op == 0 || failure.op == 3);
  }
}

TEST("a wait for a thread that has come to its end is a deadlock too") {
  ProgramBuilder builder;
  const int signal = builder.signalOf(1);
  builder.indexed(Code::waitSignal, signal);
  builder.nextThread();
  builder.work(2 * milliseconds);
  CHECK(failureOf(builder.program()) == "run.deadlock");
}

TEST("a signal left over does not reach the next iteration") {
  ProgramBuilder builder;
  builder.program().iterations = 2;
  const int signal = builder.signalOf(1);
  builder.indexed(Code::signal, signal);
  CHECK(failureOf(builder.program()).empty());
}
