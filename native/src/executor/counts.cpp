#include "executor/counts.h"

#include "executor/failure.h"
#include "executor/multi_copy_uses.h"

namespace copyscope {
namespace {

/// Far beyond any limit, and small enough to be multiplied by a repeat's greatest count.
constexpr std::uint64_t saturated = 1ull << 36;

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t product = (a < saturated ? a : saturated) * (b < saturated ? b : saturated);
  return product < saturated && (a == 0 || product / a == b) ? product : saturated;
}

void add(std::uint64_t& total, std::uint64_t more) { total = total + more < saturated ? total + more : saturated; }

/// Returns the host rows of one execution.
std::uint64_t hostRowsOf(Code code) {
  switch (code) {
    case Code::repeat:
    case Code::endRepeat:
    case Code::endRange:
      return 0;
    case Code::pin:
    case Code::item:
      return 2;
    case Code::endCapture:
      return 3;
    default:
      return 1;
  }
}

/// Returns the rows of one launch of each graph: those of its longest capture.
std::vector<std::uint64_t> graphRows(const Program& program) {
  std::vector<std::uint64_t> rows(program.graphs.size(), 0);
  for (const auto& instructions : program.threads) {
    std::vector<std::uint64_t> rounds{1};
    std::uint64_t captured = 0;
    bool capturing = false;
    for (const Instruction& instruction : instructions) {
      const Code code = instruction.code;
      if (code == Code::repeat) rounds.push_back(times(rounds.back(), static_cast<std::uint64_t>(instruction.amount)));
      if (code == Code::endRepeat) rounds.pop_back();
      if (capturing && takesStream(code)) add(captured, rounds.back());
      if (code == Code::beginCapture) captured = 0;
      if (code == Code::beginCapture || code == Code::endCapture) capturing = code == Code::beginCapture;
      if (code != Code::endCapture) continue;
      std::uint64_t& most = rows[static_cast<std::size_t>(instruction.index)];
      most = most < captured ? captured : most;
    }
  }
  return rows;
}

void countThread(const Program& program, std::size_t thread, const std::vector<std::uint64_t>& ofGraph,
                 Counts& counts) {
  const std::vector<Instruction>& instructions = program.threads[thread];
  std::vector<std::uint64_t> rounds{1};
  std::vector<bool> used(counts.streamRows.size(), false);
  for (const Instruction& instruction : instructions) {
    if (instruction.code == Code::repeat) {
      rounds.push_back(times(rounds.back(), static_cast<std::uint64_t>(instruction.amount)));
    } else if (instruction.code == Code::endRepeat) {
      rounds.pop_back();
    }
    const auto stream = static_cast<std::size_t>(instruction.stream);
    if (instruction.code == Code::multiCopy) {
      const MultiCopyRows rows = multiCopyRows(program.multiCopies[static_cast<std::size_t>(instruction.index)]);
      // PyTorch's own time has a row before or after each other one.
      add(counts.hostRows[thread], times(instruction.amount > 0 ? 2 * rows.host : rows.host, rounds.back()));
      add(counts.streamRows[stream], times(rows.stream, rounds.back()));
      counts.streamThreads[stream] += 2;  // Its own thread and helpers.
      continue;
    }
    add(counts.hostRows[thread], times(hostRowsOf(instruction.code), rounds.back()));
    if (!takesStream(instruction.code)) continue;
    const bool isLaunch = instruction.code == Code::launchGraph;
    const std::uint64_t rows = isLaunch ? ofGraph[static_cast<std::size_t>(instruction.index)] + 1 : 1;
    add(counts.streamRows[stream], times(rows, rounds.back()));
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
  const std::vector<std::uint64_t> ofGraph = graphRows(program);
  for (std::size_t thread = 0; thread < program.threads.size(); ++thread) {
    countThread(program, thread, ofGraph, counts);
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
