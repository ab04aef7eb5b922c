// One host thread of the experiment: runs its instructions in a tight loop and records a row for each.
#pragma once

#include <cstddef>
#include <vector>

#include "executor/backend.h"
#include "executor/program.h"
#include "executor/rows.h"
#include "executor/signals.h"
#include "executor/stop.h"

namespace copyscope {

class MultiCopies;

/// Results of the reads of one instruction, over all recorded iterations.
struct ReadFindings {
  std::int32_t op = -1;
  std::int32_t buffer = -1;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  /// Offset in the buffer; meaningless if none is wrong.
  std::uint64_t firstWrong = 0;
};

/// Result of an elapsedTime in a recorded iteration.
struct ElapsedTime {
  std::int32_t op = -1;
  std::int32_t iteration = 0;
  double durationNs = 0;
};

/// Objects that all host threads of a run share.
struct Surroundings {
  const Program& program;
  Backend& backend;
  Signals& signals;
  MultiCopies& multiCopies;
  Stop& stop;
};

class HostThread {
 public:
  /// `rows` is the number of rows of one iteration; correlations start at `firstCorrelation`.
  HostThread(const Surroundings& surroundings, int thread, std::uint64_t rows, std::int32_t firstCorrelation);

  /// Runs all instructions once, or until a stop is requested. Throws a Failure with the operation's number.
  /// `iteration` is -1 without recording.
  void run(int iteration);

  const std::vector<HostRow>& rows() const { return rows_; }
  std::vector<ReadFindings> findings() const;
  const std::vector<ElapsedTime>& elapsed() const { return elapsed_; }

 private:
  class CopyRows;

  void step(const Instruction& instruction, std::size_t& next);
  std::size_t endRepeat(const Instruction& instruction, std::size_t here);
  void issue(const Instruction& instruction);
  void put(const Instruction& instruction, std::int32_t correlation);
  void advise(const Instruction& instruction);
  void item(const Instruction& instruction);
  void capture(const Instruction& instruction);
  void endCapture(const Instruction& instruction);
  void elapsedTime(const Instruction& instruction);
  void work(const Instruction& instruction);
  void allocateOrFree(const Instruction& instruction);
  void recordStream(const Instruction& instruction);
  void pin(const Instruction& instruction);
  void signal(const Instruction& instruction);
  void multiCopy(const Instruction& instruction);
  void blockCopy(const Instruction& instruction);
  void packBlocks(const Instruction& instruction);
  void makePlan(const Instruction& instruction);
  void synchronize(const Instruction& instruction);
  void query(const Instruction& instruction);
  void write(const Instruction& instruction);
  void read(const Instruction& instruction);
  void beginRange(const Instruction& instruction);
  void endRange();
  HostRow begin(const Instruction& instruction, RowKind kind, CallName name) const;
  void end(const HostRow& row);
  void noteMemory();

  const Program& program_;
  const std::vector<Instruction>& instructions_;
  Backend& backend_;
  Signals& signals_;
  MultiCopies& multiCopies_;
  Stop& stop_;
  const int thread_;
  const std::int32_t firstCorrelation_;
  /// Rounds still to go, by index of the repeat instruction.
  std::vector<std::int64_t> remaining_;
  /// Results by index of the read instruction.
  std::vector<ReadFindings> findings_;
  /// Rows of open ranges.
  std::vector<std::size_t> openRanges_;
  std::vector<HostRow> rows_;
  std::vector<ElapsedTime> elapsed_;
  /// True between begin and end of a capture.
  bool capturing_ = false;
  /// Keeps the compiler from dropping a read whose bytes are not compared.
  volatile std::byte seen_{};
  int iteration_ = -1;
  std::int32_t nextCorrelation_ = 0;
};

}  // namespace copyscope
