// A program's multi-tensor copies, and their needs.
#pragma once

#include <vector>

#include "copy/memory_need.h"
#include "executor/program.h"

namespace copyscope {

struct MultiCopyUse {
  std::int32_t plan = -1;
  std::int32_t op = -1;
  std::int32_t stream = -1;
};

/// Returns them in the order of threads and instructions.
std::vector<MultiCopyUse> multiCopyUses(const Program& program);

/// Returns true if the calling thread makes its copies one after another, each a call of its own; else all of it is one
/// call with several threads.
bool isLoop(const copy::MultiCopyPlan& plan);

/// Maximum rows of one execution: on host threads, and in its stream.
struct MultiCopyRows {
  std::uint64_t host = 0;
  std::uint64_t stream = 0;
};
MultiCopyRows multiCopyRows(const copy::MultiCopyPlan& plan);

}  // namespace copyscope
