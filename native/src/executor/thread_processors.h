// The processors of the calling thread.
#pragma once

#include <cstddef>
#include <vector>

namespace copyscope {

/// Returns the processors that it may run on; empty if the system has no such call.
std::vector<int> threadProcessors();

/// Restricts it to these processors. Does nothing if the system has no such call.
void setThreadProcessors(const int* processors, std::size_t count) noexcept;

/// Returns its current processor; -1 if the system has no such call.
int currentProcessor() noexcept;

}  // namespace copyscope
