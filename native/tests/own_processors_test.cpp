// The processors on which the host threads of a run begin.
#include "executor/own_processors.h"

#include <thread>

#include "check.h"
#include "executor/thread_processors.h"

using namespace copyscope;

namespace {

std::vector<ProcessorTime> processors(std::size_t count, std::int64_t ns) {
  std::vector<ProcessorTime> all;
  for (std::size_t one = 0; one < count; ++one) all.push_back({static_cast<int>(one), ns});
  return all;
}

}  // namespace

TEST("host threads are spread over processors that are equally fast") {
  CHECK(chooseProcessors(processors(16, 4000), 1) == std::vector<int>{1});
  CHECK(chooseProcessors(processors(16, 4000), 4) == std::vector<int>{1, 5, 9, 13});
}

TEST("slow processors are left out as long as there are others") {
  std::vector<ProcessorTime> found = processors(8, 4000);
  for (const std::size_t slow : {1, 3, 5, 6, 7}) found[slow].ns = 6500;
  found[2].ns = 4300;
  CHECK(chooseProcessors(found, 1) == std::vector<int>{2});
  CHECK(chooseProcessors(found, 3) == std::vector<int>{0, 2, 4});
}

TEST("the scheduler decides if processors are few") {
  CHECK(chooseProcessors(processors(3, 4000), 1).empty());
  CHECK(chooseProcessors(processors(4, 4000), 1).size() == 1);
  CHECK(chooseProcessors(processors(16, 4000), 8).empty());
  CHECK(chooseProcessors({}, 0).empty());
}

TEST("lists of processors are read as Linux writes them") {
  CHECK(numbersIn("0-2,8") == std::vector<int>{0, 1, 2, 8});
  CHECK(numbersIn("5\n") == std::vector<int>{5});
  CHECK(numbersIn("").empty());
  CHECK(numbersIn("none").empty());
  CHECK(numbersIn("4-") == std::vector<int>{});
}

TEST("a thread runs where it is put, until it is let go") {
  std::thread([] {
    const std::vector<int> before = threadProcessors();
    for (const int processor : before) {
      setThreadProcessors(&processor, 1);
      CHECK(threadProcessors() == std::vector<int>{processor} && currentProcessor() == processor);
    }
    setThreadProcessors(before.data(), before.size());
    CHECK(threadProcessors() == before);
  }).join();
}

TEST("the one that leads may run where it might before, once those of the host threads have gone") {
  const std::vector<int> before = threadProcessors();
  {
    const OwnProcessors processors(1);
    // Started with the leader's processors, like an executor's threads.
    std::thread([&] {
      processors.settle(0);
      CHECK(threadProcessors() == before);
    }).join();
  }
  CHECK(threadProcessors() == before);
}
