// On which processors the calling thread may run, and runs.
#pragma once

#include <cstddef>
#include <vector>

namespace copyscope {

/// Those that it may run on. Empty where the system has no such call.
std::vector<int> threadProcessors();

/// Lets it run on these alone. Does nothing where the system has no such call.
void setThreadProcessors(const int* processors, std::size_t count) noexcept;

/// The one that it runs on at this moment; -1 where the system has no such call.
int currentProcessor() noexcept;

}  // namespace copyscope
