// Counting signals between the host threads of an experiment: bounded queues without data.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "executor/program.h"
#include "executor/stop.h"

namespace copyscope {

class Signals {
 public:
  Signals(const Program& program, Stop& stop);

  /// Called before an iteration: nothing is pending, and every thread runs.
  void reset();
  /// Adds one; waits while the signal is at its limit.
  void signal(const Instruction& instruction, int thread) { pass(instruction, thread, false); }
  /// Takes one; waits while there is none to take.
  void wait(const Instruction& instruction, int thread) { pass(instruction, thread, true); }
  /// Notes that a thread has ended, and will signal no more.
  void finish();

  // Each wait ends when a stop is requested. If all running threads wait for each other, each of their calls throws a
  // Failure `run.deadlock` that names the operations.

 private:
  struct Waiter {
    int thread = 0;
    const Instruction* instruction = nullptr;
    bool takes = false;
  };

  void pass(const Instruction& instruction, int thread, bool takes);
  bool canPass(const Instruction& instruction, bool takes) const;
  void findDeadlock();

  const Program& program_;
  Stop& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::int64_t> pending_;
  std::vector<Waiter> waiters_;
  std::size_t running_ = 0;
  /// Description of the threads' waits; empty while they are not deadlocked.
  std::string deadlock_;
};

}  // namespace copyscope
