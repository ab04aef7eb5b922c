#include "executor/thread_processors.h"

#ifdef __linux__
#include <pthread.h>
#include <sched.h>
#endif

namespace copyscope {

#ifdef __linux__

std::vector<int> threadProcessors() {
  std::vector<int> all;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0) return all;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &allowed)) all.push_back(processor);
  }
  return all;
}

void setThreadProcessors(const int* processors, std::size_t count) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t at = 0; at < count; ++at) CPU_SET(processors[at], &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof(set), &set));
}

int currentProcessor() noexcept { return sched_getcpu(); }

#else

std::vector<int> threadProcessors() { return {}; }

void setThreadProcessors(const int*, std::size_t) noexcept {}

int currentProcessor() noexcept { return -1; }

#endif

}  // namespace copyscope
