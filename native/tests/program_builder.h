// Builds small programs for the tests, and runs them on the CPU backend.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cpu/cpu_backend.h"
#include "executor/executor.h"
#include "executor/program.h"

namespace copyscope::testing {

inline constexpr std::int64_t milliseconds = 1000000;
/// For work that must be waited for, so that a missing wait shows. Nothing is sure to be done within it.
inline constexpr std::int64_t longNs = 300 * milliseconds;
/// For work that is stopped before it ends, however late the stop comes.
inline constexpr std::int64_t tenMinutes = 600'000 * milliseconds;

Content pattern(PatternKind kind, std::uint32_t value, std::uint32_t multiplier = 1);

class ProgramBuilder {
 public:
  ProgramBuilder() { program_.threads.emplace_back(); }

  int buffer(Memory memory, std::uint64_t bytes, Content content, bool written = false);
  int stream(StreamKind kind);
  int event();
  /// Starts a new host thread for the following instructions.
  void nextThread() { program_.threads.emplace_back(); }

  ProgramBuilder& copy(int src, int dst, int stream, bool blocking = false);
  ProgramBuilder& spin(int stream, std::int64_t durationNs);
  ProgramBuilder& kernel(int src, int dst, int stream, int passes);
  ProgramBuilder& record(int event, int stream);
  ProgramBuilder& waitFor(int event, int stream);
  ProgramBuilder& on(Code code, int stream = -1, int event = -1);
  ProgramBuilder& work(std::int64_t durationNs);
  ProgramBuilder& write(int buffer, Content content);
  ProgramBuilder& read(int buffer, Content expected);
  ProgramBuilder& repeat(int count);
  ProgramBuilder& endRepeat();
  ProgramBuilder& expect(int buffer, Content content);

  int signalOf(std::int64_t capacity);
  int graph();
  /// Adds a buffer that an operation makes.
  int lateBuffer(Memory memory, std::uint64_t bytes);
  ProgramBuilder& memset(int buffer, int value, int stream);
  ProgramBuilder& hostFunction(int stream, std::int64_t durationNs);
  ProgramBuilder& item(int buffer, int stream);
  ProgramBuilder& elapsed(int start, int end);
  /// For signal, waitSignal, beginCapture, endCapture and launchGraph: `index` is that of the signal or graph.
  ProgramBuilder& indexed(Code code, int index, int stream = -1);
  ProgramBuilder& allocate(int buffer, Allocator allocator, int stream);
  ProgramBuilder& release(int buffer, Allocator allocator, int stream);
  ProgramBuilder& recordStream(int buffer, int stream);
  ProgramBuilder& pin(int src, int dst);
  ProgramBuilder& multiCopy(copy::MultiCopyPlan plan, int stream);

  Program& program() { return program_; }

 private:
  Instruction& add(Code code);

  Program program_;
  std::vector<int> openRepeats_;
  int nextOp_ = 0;
};

RunRecord runOnCpu(const Program& program);
RunRecord runOnCpu(const Program& program, Stop& stop);
/// Returns the code of the run's failure; empty if it succeeds.
std::string failureOf(const Program& program);

struct Stopped {
  /// Code as from failureOf().
  std::string code;
  /// Time from the request to stop to the end.
  std::int64_t tookNs;
};
/// Runs it on the CPU backend, and requests a stop after `delay`.
Stopped stopAfter(const Program& program, std::chrono::milliseconds delay);

/// A CPU backend to call without the executor. A spin of ten minutes holds its stream during its lifetime: a call that
/// returns before has not waited for it. The program must live longer.
struct Held {
  explicit Held(const Program& held) : program(held) { backend.prepare(program); }
  /// Ends running spins; the backend waits for them.
  ~Held() { stop.request(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  /// Puts the first thread's instructions into their streams; there must be no other kind.
  void issueAll();

  const Program& program;
  Stop stop;
  CpuBackend backend{stop};
};
/// Returns true if a copy from this memory to the device returns while earlier work in the stream is held.
bool copyReturnsWhileHeld(Memory from, std::uint64_t bytes);

/// Returns rows of one kind and operation in the first iteration; an operation of -1 means all.
std::vector<DeviceRow> deviceRows(const RunRecord& record, RowKind kind, int op = -1);
std::vector<HostRow> hostRows(const RunRecord& record, int op);
std::int64_t endOf(const DeviceRow& row);

}  // namespace copyscope::testing
