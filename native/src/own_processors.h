// On which processors the host threads of a run begin each iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copyscope {

/// How long a processor took for work that all were given.
struct ProcessorTime {
  int processor = 0;
  std::int64_t ns = 0;
};

/// A processor for each of `threads`, spread over those that are about as fast as the fastest. Empty, for no wish, where
/// fewer than two would be there for each thread and the one that leads the run.
std::vector<int> chooseProcessors(std::vector<ProcessorTime> found, std::size_t threads);

/// The numbers in a list as Linux writes it: "0-2,8" is 0, 1, 2, 8. Ends where it is no such list.
std::vector<int> numbersIn(const char* list);

/**
 * Processors of their own for the host threads. Left to the scheduler a thread stays for a whole run where it happened to
 * begin. On virtual machines with an H200 that was often one whose calls took 1.5 times and whose writes 1.8 times as long
 * as those of another thread at the same moment. Calls of the median experiment took 1.27 times as long as in the fastest
 * of four recordings, and 1.06 times with processors found here; but some become slow later (docs/concepts/accuracy.md).
 *
 * Threads are put there before each iteration and not bound: what they start may run anywhere, and so may they.
 * Does nothing where the system has no such calls, where processors are few, and where COPYSCOPE_OWN_PROCESSORS is 0.
 */
class OwnProcessors {
 public:
  /// For `threads` host threads, on the thread that leads the run: it keeps off their processors, with all that it starts,
  /// until they go. Takes about 0.1 ms a processor.
  explicit OwnProcessors(std::size_t threads);
  ~OwnProcessors();
  OwnProcessors(const OwnProcessors&) = delete;
  OwnProcessors& operator=(const OwnProcessors&) = delete;

  /// Puts the calling host thread on its processor.
  void settle(std::size_t thread) const noexcept;

 private:
  std::vector<int> allowed_;
  /// Of each host thread; empty where they are left to the scheduler.
  std::vector<int> own_;
};

}  // namespace copyscope
