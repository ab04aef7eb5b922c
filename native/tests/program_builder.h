// Builds small programs for the tests, and runs them on the CPU backend.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "executor.h"
#include "program.h"

namespace copyscope::testing {

inline constexpr std::int64_t milliseconds = 1000000;
/// Longer than a busy machine may be late in giving a thread its turn, under a sanitizer too.
inline constexpr std::int64_t longNs = 300 * milliseconds;
/// What is stopped before it ends, however late the stop comes.
inline constexpr std::int64_t tenMinutes = 600'000 * milliseconds;

Content pattern(PatternKind kind, std::uint32_t value, std::uint32_t multiplier = 1);

class ProgramBuilder {
 public:
  ProgramBuilder() { program_.threads.emplace_back(); }

  int buffer(Memory memory, std::uint64_t bytes, Content content, bool written = false);
  int stream(StreamKind kind);
  int event();
  /// Instructions that follow go to a new host thread.
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
  /// A buffer that an operation makes.
  int lateBuffer(Memory memory, std::uint64_t bytes);
  ProgramBuilder& memset(int buffer, int value, int stream);
  ProgramBuilder& hostFunction(int stream, std::int64_t durationNs);
  ProgramBuilder& item(int buffer, int stream);
  ProgramBuilder& elapsed(int start, int end);
  /// signal, waitSignal, beginCapture, endCapture, launchGraph: `index` names the signal or graph.
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
/// Code of the failure that the run ends in; empty where it ends well.
std::string failureOf(const Program& program);

struct Stopped {
  /// As of failureOf().
  std::string code;
  /// From when it was asked to stop until it had.
  std::int64_t tookNs;
};
/// Runs it on the CPU backend, and asks it to stop after `delay`.
Stopped stopAfter(const Program& program, std::chrono::milliseconds delay);

/// Rows of one kind and operation in the first iteration; an operation of -1 means all.
std::vector<DeviceRow> deviceRows(const RunRecord& record, RowKind kind, int op = -1);
std::vector<HostRow> hostRows(const RunRecord& record, int op);
std::int64_t endOf(const DeviceRow& row);

}  // namespace copyscope::testing
