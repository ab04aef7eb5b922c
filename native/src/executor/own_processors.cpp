#include "executor/own_processors.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "executor/clock.h"
#include "executor/host_memory.h"
#include "executor/thread_processors.h"

namespace copyscope {
namespace {

/// A processor counts as about as fast as the fastest if it takes at most this share longer.
constexpr double aboutAsFast = 0.15;

bool isEnough(std::size_t processors, std::size_t threads) { return processors >= 2 * (threads + 1); }

bool contains(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

std::vector<int> chooseProcessors(std::vector<ProcessorTime> found, std::size_t threads) {
  if (threads == 0 || !isEnough(found.size(), threads)) return {};
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
  const double mostNs = (1 + aboutAsFast) * static_cast<double>(found[0].ns);
  std::size_t fast = threads;
  while (fast < found.size() && static_cast<double>(found[fast].ns) <= mostNs) ++fast;
  std::vector<int> numbers;
  for (std::size_t place = 0; place < fast; ++place) numbers.push_back(found[place].processor);
  std::sort(numbers.begin(), numbers.end());
  // Neighbours may be one core, which virtual machines don't report. The first processor has the system's own work, and
  // the first few are those that a copy engine's helpers leave to the leading thread (copy/processor_share.h).
  const std::size_t first = fast >= 2 * threads ? 1 : 0;
  std::vector<int> chosen;
  for (std::size_t thread = 0; thread < threads; ++thread) chosen.push_back(numbers[thread * fast / threads + first]);
  return chosen;
}

std::vector<int> numbersIn(const char* list) {
  std::vector<int> numbers;
  char* rest = nullptr;
  for (const char* at = list; *at >= '0' && *at <= '9'; at = *rest == ',' ? rest + 1 : rest) {
    const long first = std::strtol(at, &rest, 10);
    const long last = *rest == '-' ? std::strtol(rest + 1, &rest, 10) : first;
    constexpr long most = 1 << 16;
    for (long number = first; number <= last && number < most; ++number) numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

namespace {

/// Returns the system's description of a processor; empty if there is none.
std::vector<int> told(int processor, const char* what) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(processor) + what);
  std::string list;
  std::getline(file, list);
  return numbersIn(list.c_str());
}

/// Returns one processor of each core; only those that share the last cache with the current one, if they are enough.
std::vector<int> candidates(const std::vector<int>& allowed, std::size_t threads) {
  std::vector<int> cores;
  for (const int processor : allowed) {
    const std::vector<int> siblings = told(processor, "/topology/thread_siblings_list");
    const auto known = [&](int sibling) { return contains(cores, sibling); };
    if (std::none_of(siblings.begin(), siblings.end(), known)) cores.push_back(processor);
  }
  const std::vector<int> sharing = told(currentProcessor(), "/cache/index3/shared_cpu_list");
  std::vector<int> near;
  std::copy_if(cores.begin(), cores.end(), std::back_inserter(near), [&](int one) { return contains(sharing, one); });
  return isEnough(near.size(), threads) ? near : cores;
}

/// Writes words repeatedly into the nearest cache. The time depends on the throughput of the core, so that another
/// thread on it shows, which a chain of dependent steps would hardly reveal.
std::int64_t timeHere() {
  constexpr std::size_t bytes = 16384;
  constexpr std::size_t rounds = 15;
  std::vector<std::byte> target(bytes);
  std::vector<std::int64_t> took(rounds);
  for (std::int64_t& one : took) {
    const std::int64_t start = nowNs();
    writeContent(target.data(), bytes, {PatternKind::index});
    one = nowNs() - start;
  }
  std::nth_element(took.begin(), took.begin() + rounds / 2, took.end());
  return took[rounds / 2];
}

bool isWanted() {
  const char* const asked = std::getenv("COPYSCOPE_OWN_PROCESSORS");
  return asked == nullptr || std::strcmp(asked, "0") != 0;
}

}  // namespace

OwnProcessors::OwnProcessors(std::size_t threads) {
  if (!isWanted()) return;
  allowed_ = threadProcessors();
  if (!isEnough(allowed_.size(), threads)) return;
  std::vector<ProcessorTime> found;
  for (const int processor : candidates(allowed_, threads)) {
    setThreadProcessors(&processor, 1);
    found.push_back({processor, timeHere()});
  }
  own_ = chooseProcessors(std::move(found), threads);
  std::vector<int> others;
  std::copy_if(allowed_.begin(), allowed_.end(), std::back_inserter(others),
               [this](int one) { return !contains(own_, one); });
  setThreadProcessors(others.data(), others.size());
}

OwnProcessors::~OwnProcessors() {
  if (!allowed_.empty()) setThreadProcessors(allowed_.data(), allowed_.size());
}

void OwnProcessors::settle(std::size_t thread) const noexcept {
  if (thread >= own_.size() || currentProcessor() == own_[thread]) return;
  setThreadProcessors(&own_[thread], 1);
  setThreadProcessors(allowed_.data(), allowed_.size());
}

}  // namespace copyscope
