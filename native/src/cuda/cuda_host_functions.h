// Host functions in streams. CUDA calls them on its own thread, where the executor's clock times them.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "cuda/cuda_calls.h"
#include "cupti/activity_join.h"
#include "cupti/graph_join.h"
#include "executor/stop.h"

namespace copyscope {

class CudaHostFunctions {
 public:
  explicit CudaHostFunctions(Stop& stop) : stop_(stop) {}

  /// `capture` is the graph that it becomes part of; null if it runs by itself.
  void launch(const Instruction& instruction, std::int32_t correlation, cudaStream_t stream,
              std::shared_ptr<const CapturedGraph> capture);

  /// Called before an iteration: forgets earlier calls. Devices must be idle, graphs with host functions destroyed.
  void reset();
  /// Adds a row for each that ran in this iteration; in a graph, one for each of its launches in turn.
  void addRows(std::int32_t iteration, const std::vector<GraphLaunch>& launches, std::vector<DeviceRow>& rows) const;

 private:
  struct Call {
    CudaHostFunctions* owner = nullptr;
    const Instruction* instruction = nullptr;
    std::int32_t correlation = 0;
    std::shared_ptr<const CapturedGraph> capture;
  };
  struct Ran {
    const Call* call = nullptr;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
  };

  static void CUDART_CB run(void* call);

  Stop& stop_;
  mutable std::mutex mutex_;
  /// Never moved, since CUDA has their addresses.
  std::deque<Call> calls_;
  std::vector<Ran> ran_;
};

}  // namespace copyscope
