// Runs a program on a backend: warm-ups, iterations timed without recording, recorded iterations, verification.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "executor/backend.h"
#include "executor/counts.h"
#include "executor/gate.h"
#include "executor/host_thread.h"
#include "executor/multi_copies.h"
#include "executor/own_processors.h"
#include "executor/program.h"
#include "executor/rows.h"
#include "executor/signals.h"
#include "executor/stop.h"

namespace copyscope {

/// One comparison of data with its expected content. `op` is -1 for the check after the last iteration.
struct Check {
  std::int32_t op = -1;
  std::int32_t buffer = -1;
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  /// Offset in the buffer; -1 if none is wrong.
  std::int64_t firstWrong = -1;
  /// Number of the multi-tensor copy whose targets were compared; then there is no buffer.
  std::int32_t multiCopy = -1;
};

struct RunRecord {
  std::vector<HostRow> hostRows;
  std::vector<DeviceRow> deviceRows;
  /// nowNs() at the start of each recorded iteration.
  std::vector<std::int64_t> startsNs;
  std::vector<std::int64_t> recordedWallNs;
  std::vector<std::int64_t> plainWallNs;
  std::vector<Check> checks;
  std::vector<ElapsedTime> elapsed;
  std::vector<MemoryReport> memory;
  std::vector<std::string> notes;
  std::string timing;
};

using ProgressListener = std::function<void(Phase phase, int done, int total)>;
/// Receives the data recorded so far, between two iterations: more rarely as the recording gets longer.
using PartialListener = std::function<void(RunRecord record)>;

class Executor {
 public:
  /// All references must outlive the executor.
  Executor(const Program& program, Backend& backend, Stop& stop, ProgressListener progress,
           PartialListener partial = nullptr);

  /// Throws a Failure; `run.cancelled` if a stop was requested from outside.
  RunRecord run();
  /// Called after run() has thrown: returns the data recorded until then; no rows if recording had not begun.
  RunRecord takePartial() { return std::move(record_); }

 private:
  void prepare();
  void startThreads();
  void joinThreads() noexcept;
  void runThread(std::size_t thread);
  void endIteration() noexcept;
  void iterate(Phase phase, int count);
  void takeHostRows(RunRecord& record) const;
  void offerPartial();
  void keepPartial() noexcept;
  void poison();
  void fill(std::size_t buffer);
  void restore(bool all);
  std::int64_t runOnce(bool recorded, int iteration);
  void verify();
  /// Keeps the result of comparing a buffer's bytes from `offset` on.
  void keep(const Comparison& found, std::int32_t buffer, std::uint64_t offset);
  void verifyBuffer(const Expectation& expected);
  void fail(std::exception_ptr error) noexcept;
  void stopIfAsked();

  const Program& program_;
  Backend& backend_;
  Stop& stop_;
  ProgressListener progress_;
  PartialListener partial_;
  std::int64_t recordingNs_ = 0;
  std::int64_t nextPartialNs_ = 0;
  Counts counts_;
  /// For each buffer, true if a host thread writes it itself.
  const std::vector<bool> writtenByHost_;
  Signals signals_;
  std::unique_ptr<MultiCopies> multiCopies_;
  Gate gate_;
  /// Made when all others have their threads, which may run anywhere.
  std::unique_ptr<OwnProcessors> processors_;
  /// Iteration that the next round records; -1 for none. Written while the threads are held at the gate.
  int iteration_ = -1;
  /// Time at which the device had finished the last round. Written by one thread before it arrives at the gate.
  std::int64_t endNs_ = 0;
  std::vector<std::unique_ptr<HostThread>> hostThreads_;
  std::vector<std::thread> threads_;
  std::mutex errorMutex_;
  std::exception_ptr error_;
  RunRecord record_;
};

}  // namespace copyscope
