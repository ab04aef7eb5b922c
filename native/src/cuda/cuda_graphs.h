// Capture and launch of graphs, and the operations of each.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "cuda/cuda_calls.h"
#include "cupti/activity_join.h"

namespace copyscope {

class CudaGraphs {
 public:
  explicit CudaGraphs(const Program& program);

  /// Returns true if the program has graphs; without them, the functions below cost nothing.
  bool any() const { return !graphs_.empty(); }

  void begin(const Instruction& instruction, cudaStream_t stream);
  void end(const Instruction& instruction, cudaStream_t stream);
  void instantiate(const Instruction& instruction);
  void upload(const Instruction& instruction, cudaStream_t stream);
  /// Launches a graph. Returns it and its place among all launches. Throws a Failure `run.no-graph`.
  Issued launch(const Instruction& instruction, cudaStream_t stream);

  /// Returns the active capture of the stream; null outside any.
  std::shared_ptr<CapturedGraph> captureOf(int stream) const;
  /// Adds an operation issued to a stream in a capture.
  void add(CapturedGraph& capture, const Instruction& instruction, std::size_t records);
  void noteRecord(int event, int stream);
  /// Adds a stream that waits for an event of a capture to that capture.
  void noteWait(int event, int stream);

  /// Destroys all graphs. The devices must be idle.
  void reset();

 private:
  struct Graph {
    OwnedGraph graph;
    OwnedGraphExec exec;
    std::shared_ptr<const CapturedGraph> captured;
  };
  Graph& at(const Instruction& instruction) { return graphs_[static_cast<std::size_t>(instruction.index)]; }

  const Program& program_;
  std::vector<Graph> graphs_;
  mutable std::mutex mutex_;
  /// Captures by stream, and by event.
  std::vector<std::shared_ptr<CapturedGraph>> captures_;
  std::vector<std::shared_ptr<CapturedGraph>> recordedIn_;
  std::uint64_t launches_ = 0;
};

}  // namespace copyscope
