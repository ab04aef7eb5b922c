#include "executor/multi_copy_uses.h"

#include <algorithm>
#include <thread>

#include "copy/copy_engine.h"

namespace copyscope {
namespace {

constexpr std::uint64_t divided(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

}  // namespace

std::vector<MultiCopyUse> multiCopyUses(const Program& program) {
  std::vector<MultiCopyUse> uses;
  for (const auto& instructions : program.threads) {
    for (const Instruction& instruction : instructions) {
      if (instruction.code == Code::multiCopy) uses.push_back({instruction.index, instruction.op, instruction.stream});
    }
  }
  return uses;
}

bool isLoop(const copy::MultiCopyPlan& plan) {
  const bool onHost = plan.direction == copy::Direction::h2h;
  switch (plan.options.strategy) {
    case copy::Strategy::threadedPinning:
      return plan.direction == copy::Direction::d2d;
    case copy::Strategy::packed:
      return plan.direction == copy::Direction::d2d || (!onHost && !plan.options.usePinnedStaging);
    case copy::Strategy::pipelined:
      return plan.direction == copy::Direction::d2d || (!onHost && plan.pinned);
    default:
      return true;
  }
}

MultiCopyRows multiCopyRows(const copy::MultiCopyPlan& plan) {
  const std::uint64_t tensors = plan.sizes.size();
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : plan.sizes) bytes += size;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const copy::Tuning tuning = copy::chooseTuning(plan.options, bytes, cores);
  const std::uint64_t spread = bytes + tensors * copy::mostGapBytes;
  const std::uint64_t chunks = divided(spread, tuning.chunkBytes) + tensors;
  const std::uint64_t units = chunks + divided(spread, tuning.unitBytes);
  // For each tensor or chunk: a copy and its call, its wait, a copy on the host on either side.
  return {1 + 3 * tensors + units, tensors + 2 * chunks};
}

}  // namespace copyscope
