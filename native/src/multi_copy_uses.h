// Where a program copies many tensors, and what that needs.
#pragma once

#include <vector>

#include "copy/memory_need.h"
#include "program.h"

namespace copyscope {

struct MultiCopyUse {
  std::int32_t plan = -1;
  std::int32_t op = -1;
  std::int32_t stream = -1;
};

/// In the order of threads and instructions.
std::vector<MultiCopyUse> multiCopyUses(const Program& program);

/// Whether its copies are made by the calling thread one after another, each a call of its own; else all of it is one
/// call, in which threads take part.
bool isLoop(const copy::MultiCopyPlan& plan);

/// The most rows that one execution makes: on host threads, and in its stream.
struct MultiCopyRows {
  std::uint64_t host = 0;
  std::uint64_t stream = 0;
};
MultiCopyRows multiCopyRows(const copy::MultiCopyPlan& plan);

}  // namespace copyscope
