#include "processors.h"

#include <cstddef>

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace copyscope::copy {

std::vector<int> ownProcessors(const std::vector<int>& all, unsigned number, unsigned groups) {
  const std::size_t each = groups == 0 ? 0 : all.size() / groups;
  if (groups < 2 || each < 2) return {};
  const std::size_t first = (1 + number % (groups - 1)) * each;
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(first + each)};
}

#ifdef __linux__

void useOwnProcessors(unsigned number, unsigned groups) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0) return;
  std::vector<int> all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) all.push_back(processor);
  }
  const std::vector<int> own = ownProcessors(all, number, groups);
  if (own.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int processor : own) CPU_SET(processor, &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
}

#else

void useOwnProcessors(unsigned, unsigned) {}

#endif

}  // namespace copyscope::copy
