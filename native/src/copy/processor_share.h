// The processors of a helping thread.
#pragma once

#include <vector>

namespace copyscope::copy {

/// Returns the processors of helper `number` (from 0) if `groups` threads share `all`; the leading thread has the first
/// share. Empty, for no preference, if a share would have fewer than two.
std::vector<int> processorShare(const std::vector<int>& all, unsigned number, unsigned groups);

/// Restricts the calling thread to its share. Schedulers, especially on virtual machines, tend to put threads that are
/// woken together on the waker's processor, one after the other: 528 small tensors took 36 to 47 us with shares, and 45
/// to 48 without (H200, 2026-11-30, five runs in turn). Does nothing if the system can't.
void keepToProcessorShare(unsigned number, unsigned groups);

}  // namespace copyscope::copy
