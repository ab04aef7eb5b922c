#include "cuda/cuda_host_functions.h"

#include <algorithm>
#include <map>

#include "executor/clock.h"

namespace copyscope {

void CudaHostFunctions::launch(const Instruction& instruction, std::int32_t correlation, cudaStream_t stream,
                               std::shared_ptr<const CapturedGraph> capture) {
  Call* call = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    calls_.push_back({this, &instruction, correlation, std::move(capture)});
    call = &calls_.back();
  }
  check(cudaLaunchHostFunc(stream, run, call), "cudaLaunchHostFunc");
}

void CudaHostFunctions::run(void* argument) {
  const Call& call = *static_cast<const Call*>(argument);
  CudaHostFunctions& owner = *call.owner;
  Ran ran;
  ran.call = &call;
  ran.startNs = nowNs();
  owner.stop_.busyUntil(ran.startNs + call.instruction->amount);
  ran.endNs = nowNs();
  const std::lock_guard<std::mutex> lock(owner.mutex_);
  owner.ran_.push_back(ran);
}

void CudaHostFunctions::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ran_.clear();
  calls_.clear();
}

void CudaHostFunctions::addRows(std::int32_t iteration, const std::vector<GraphLaunch>& launches,
                                std::vector<DeviceRow>& rows) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<const Call*, std::size_t> rounds;
  for (const Ran& ran : ran_) {
    DeviceRow row;
    row.kind = RowKind::hostFunction;
    row.startNs = ran.startNs;
    row.durationNs = ran.endNs - ran.startNs;
    row.op = ran.call->instruction->op;
    row.correlation = ran.call->correlation;
    row.iteration = iteration;
    row.stream = ran.call->instruction->stream;
    if (ran.call->capture != nullptr) {
      // Launches of one graph run one after another.
      std::size_t toSkip = rounds[ran.call]++;
      const auto launch = std::find_if(launches.begin(), launches.end(), [&](const GraphLaunch& one) {
        return one.issued.graph == ran.call->capture && toSkip-- == 0;
      });
      if (launch == launches.end()) continue;
      row.correlation = launch->issued.correlation;
      if (row.stream == ran.call->capture->origin) row.stream = launch->stream;
    } else if (row.correlation == 0) {
      continue;
    }
    rows.push_back(row);
  }
}

}  // namespace copyscope
