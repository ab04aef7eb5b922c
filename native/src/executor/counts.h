// The amount of work in one iteration of a program, with repeats unrolled, for the allocation of records.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/program.h"

namespace copyscope {

struct Counts {
  /// Host rows of each thread; also the number of its correlations.
  std::vector<std::uint64_t> hostRows;
  /// Commands of each stream, including those of launched graphs: copies, kernels, event records and waits.
  std::vector<std::uint64_t> streamRows;
  /// Number of host threads that put work into each stream.
  std::vector<std::uint32_t> streamThreads;
};

/// Rows that a run may record, host and device together: about 300 MB of records.
constexpr std::uint64_t maxRecordedRows = 4000000;

/// Throws a Failure `run.too-many-rows` if `program.iterations` recordings would exceed maxRecordedRows.
Counts countRows(const Program& program);

}  // namespace copyscope
