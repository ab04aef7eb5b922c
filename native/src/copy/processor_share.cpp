#include "copy/processor_share.h"

#include <cstddef>

#include "executor/thread_processors.h"

namespace copyscope::copy {

std::vector<int> processorShare(const std::vector<int>& all, unsigned number, unsigned groups) {
  const std::size_t each = groups == 0 ? 0 : all.size() / groups;
  if (groups < 2 || each < 2) return {};
  const std::size_t first = (1 + number % (groups - 1)) * each;
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + each)};
}

void keepToProcessorShare(unsigned number, unsigned groups) {
  const std::vector<int> share = processorShare(threadProcessors(), number, groups);
  if (!share.empty()) setThreadProcessors(share.data(), share.size());
}

}  // namespace copyscope::copy
