// Capture and launch of graphs, and which operation became part of which.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "activity_join.h"
#include "cuda_calls.h"

namespace copyscope {

class CudaGraphs {
 public:
  explicit CudaGraphs(const Program& program);

  /// Whether the program has any: without, nothing below costs a call anything.
  bool any() const { return !graphs_.empty(); }

  void begin(const Instruction& instruction, cudaStream_t stream);
  void end(const Instruction& instruction, cudaStream_t stream);
  void instantiate(const Instruction& instruction);
  void upload(const Instruction& instruction, cudaStream_t stream);
  /// Launches, and returns what runs and its place among all launches. Throws a Failure `run.no-graph`.
  Issued launch(const Instruction& instruction, cudaStream_t stream);

  /// The capture that takes what is issued to the stream; null outside any.
  std::shared_ptr<CapturedGraph> captureOf(int stream) const;
  /// What was issued to a stream in a capture.
  void add(CapturedGraph& capture, const Instruction& instruction, std::size_t records);
  void noteRecord(int event, int stream);
  /// A stream that waits for an event of a capture becomes part of it.
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
  /// By stream, and by event.
  std::vector<std::shared_ptr<CapturedGraph>> captures_;
  std::vector<std::shared_ptr<CapturedGraph>> recordedIn_;
  std::uint64_t launches_ = 0;
};

}  // namespace copyscope
