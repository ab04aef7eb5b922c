#include "cuda/cuda_graphs.h"

#include "executor/run_failures.h"

namespace copyscope {

CudaGraphs::CudaGraphs(const Program& program)
    : program_(program),
      graphs_(program.graphs.size()),
      captures_(program.streams.size()),
      recordedIn_(program.events.size()) {}

/// Thread-local, so that calls of other host threads are not affected.
void CudaGraphs::begin(const Instruction& instruction, cudaStream_t stream) {
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  auto capture = std::make_shared<CapturedGraph>();
  capture->origin = instruction.stream;
  const std::lock_guard<std::mutex> lock(mutex_);
  captures_[static_cast<std::size_t>(instruction.stream)] = std::move(capture);
}

void CudaGraphs::end(const Instruction& instruction, cudaStream_t stream) {
  cudaGraph_t captured = nullptr;
  const cudaError_t result = cudaStreamEndCapture(stream, &captured);
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::shared_ptr<CapturedGraph> capture = captures_[static_cast<std::size_t>(instruction.stream)];
  for (auto& one : captures_) {
    if (one == capture) one.reset();
  }
  check(result, "cudaStreamEndCapture");
  at(instruction) = Graph();
  at(instruction).graph = OwnedGraph(captured);
  at(instruction).captured = capture;
}

void CudaGraphs::instantiate(const Instruction& instruction) {
  cudaGraphExec_t exec = nullptr;
  check(cudaGraphInstantiate(&exec, at(instruction).graph.get(), 0), "cudaGraphInstantiate");
  at(instruction).exec = OwnedGraphExec(exec);
}

void CudaGraphs::upload(const Instruction& instruction, cudaStream_t stream) {
  check(cudaGraphUpload(at(instruction).exec.get(), stream), "cudaGraphUpload");
}

/// Locked, so that launches of all host threads are counted in the order in which CUDA got them.
Issued CudaGraphs::launch(const Instruction& instruction, cudaStream_t stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Graph& graph = at(instruction);
  if (graph.exec.get() == nullptr) throw graphNotThere(program_.graphs[static_cast<std::size_t>(instruction.index)]);
  check(cudaGraphLaunch(graph.exec.get(), stream), "cudaGraphLaunch");
  Issued issued;
  issued.instruction = &instruction;
  issued.graph = graph.captured;
  issued.launch = ++launches_;
  return issued;
}

std::shared_ptr<CapturedGraph> CudaGraphs::captureOf(int stream) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return captures_[static_cast<std::size_t>(stream)];
}

void CudaGraphs::add(CapturedGraph& capture, const Instruction& instruction, std::size_t records) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isDeviceWork(instruction.code)) return;
  capture.operations.push_back(&instruction);
  capture.records.push_back(records);
}

void CudaGraphs::noteRecord(int event, int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  recordedIn_[static_cast<std::size_t>(event)] = captures_[static_cast<std::size_t>(stream)];
}

void CudaGraphs::noteWait(int event, int stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto& capture = recordedIn_[static_cast<std::size_t>(event)];
  if (capture != nullptr) captures_[static_cast<std::size_t>(stream)] = capture;
}

void CudaGraphs::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (Graph& graph : graphs_) graph = Graph();
  for (auto& capture : captures_) capture.reset();
  for (auto& capture : recordedIn_) capture.reset();
}

}  // namespace copyscope
