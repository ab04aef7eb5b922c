// Host functions in streams. CUDA calls them on a thread of its own, where the executor's clock times them.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "activity_join.h"
#include "cuda_calls.h"
#include "graph_join.h"
#include "stop.h"

namespace copyscope {

class CudaHostFunctions {
 public:
  explicit CudaHostFunctions(Stop& stop) : stop_(stop) {}

  /// `capture` is the graph that it becomes part of; null where it runs by itself.
  void launch(const Instruction& instruction, std::int32_t correlation, cudaStream_t stream,
              std::shared_ptr<const CapturedGraph> capture);

  /// Before an iteration: forgets what ran. The devices must be idle, and graphs with host functions be gone.
  void reset();
  /// Adds a row for each that ran in this iteration; in a graph, once for each of its launches in turn.
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
  /// Stay where they are: CUDA holds their addresses.
  std::deque<Call> calls_;
  std::vector<Ran> ran_;
};

}  // namespace copyscope
