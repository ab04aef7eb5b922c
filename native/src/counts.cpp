#include "counts.h"

#include "failure.h"

namespace copyscope {
namespace {

/// Far beyond any limit, and small enough to be multiplied by a repeat's greatest count.
constexpr std::uint64_t saturated = 1ull << 36;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t product = (a < saturated ? a : saturated) * (b < saturated ? b : saturated);
  return product < saturated && (a == 0 || product / a == b) ? product : saturated;
}

void add(std::uint64_t& total, std::uint64_t more) { total = total + more < saturated ? total + more : saturated; }

bool hasHostRow(Code code) { return code != Code::repeat && code != Code::endRepeat && code != Code::endRange; }

void countThread(const std::vector<Instruction>& instructions, std::size_t thread, Counts& counts) {
  std::vector<std::uint64_t> rounds{1};
  std::vector<bool> used(counts.streamRows.size(), false);
  for (const Instruction& instruction : instructions) {
    if (instruction.code == Code::repeat) {
      rounds.push_back(times(rounds.back(), static_cast<std::uint64_t>(instruction.amount)));
    } else if (instruction.code == Code::endRepeat) {
      rounds.pop_back();
    }
    if (hasHostRow(instruction.code)) add(counts.hostRows[thread], rounds.back());
    if (!takesStream(instruction.code)) continue;
    const auto stream = static_cast<std::size_t>(instruction.stream);
    add(counts.streamRows[stream], rounds.back());
    if (!used[stream]) ++counts.streamThreads[stream];
    used[stream] = true;
  }
}

}  // namespace

Counts countRows(const Program& program) {
  Counts counts;
  counts.hostRows.resize(program.threads.size());
  counts.streamRows.resize(program.streams.size());
  counts.streamThreads.resize(program.streams.size());
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    countThread(program.threads[thread], thread, counts);
  }
  std::uint64_t total = 0;
  for (const std::uint64_t rows : counts.hostRows) add(total, rows);
  for (const std::uint64_t rows : counts.streamRows) add(total, rows);
  const std::uint64_t recorded = times(total, static_cast<std::uint64_t>(program.iterations));
  if (recorded > maxRecordedRows) {
    const std::string figure = recorded < saturated ? std::to_string(recorded) : "more than 60,000,000,000";
    throw Failure("run.too-many-rows",
                  "The run would record " + figure + " activities; at most " + std::to_string(maxRecordedRows) +
                      " are kept.",
                  "Lower the repeat counts or the number of iterations.", "environment.iterations");
  }
  return counts;
}

}  // namespace copyscope
