// Which processors a helping thread may run on.
#pragma once

#include <vector>

namespace copyscope::copy {

/// The processors of helper `number` (from 0) where `groups` threads share `all`: the first share is left to whoever
/// leads the work. Empty, for no wish, where a share would be fewer than two.
std::vector<int> processorShare(const std::vector<int>& all, unsigned number, unsigned groups);

/// Keeps the calling thread on them. Schedulers, those of virtual machines above all, tend to put threads that are woken
/// together on the waker's processor, one behind the other. Does nothing where the system has no such call.
void keepToProcessorShare(unsigned number, unsigned groups);

}  // namespace copyscope::copy
