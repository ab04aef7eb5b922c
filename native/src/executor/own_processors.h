// The processors on which the host threads of a run begin each iteration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copyscope {

/// Time of a processor for work that was the same for all.
struct ProcessorTime {
  int processor = 0;
  std::int64_t ns = 0;
};

/// Returns a processor for each of `threads`, spread over those that are about as fast as the fastest. Empty, for no
/// preference, if there are fewer than two for each thread and the leading one.
std::vector<int> chooseProcessors(std::vector<ProcessorTime> found, std::size_t threads);

/// Returns the numbers in a list as Linux writes it: "0-2,8" is 0, 1, 2, 8. Stops at anything that is no such list.
std::vector<int> numbersIn(const char* list);

/**
 * Moves each host thread to a fast processor of its own. The scheduler leaves a thread on its first processor for a whole
 * run. On virtual machines with an H200 that processor was often slow: calls took 1.5 times and writes 1.8 times as long as
 * on another one at the same moment. Calls of the median experiment took 1.27 times as long as in the fastest of four
 * recordings, and 1.06 times with the chosen processors; but some become slow later (docs/concepts/accuracy.md).
 *
 * Threads are moved before each iteration but not bound: they and the threads they start may run anywhere.
 * Does nothing if the system has no such calls, if processors are few, or if COPYSCOPE_OWN_PROCESSORS is 0.
 */
class OwnProcessors {
 public:
  /// Chooses for `threads` host threads, on the thread that leads the run: that thread and its children keep off their
  /// processors until this is destroyed. Takes about 0.1 ms per processor.
  explicit OwnProcessors(std::size_t threads);
  ~OwnProcessors();
  OwnProcessors(const OwnProcessors&) = delete;
  OwnProcessors& operator=(const OwnProcessors&) = delete;

  /// Puts the calling host thread on its processor.
  void settle(std::size_t thread) const noexcept;

 private:
  std::vector<int> allowed_;
  /// Processor of each host thread; empty if the scheduler places them.
  std::vector<int> own_;
};

}  // namespace copyscope
