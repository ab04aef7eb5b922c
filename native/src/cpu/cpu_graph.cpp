// Graphs of the CPU engine: captured commands, run one after another by the stream of the launch.
#include "cpu/cpu_backend.h"
#include "executor/failure.h"

namespace copyscope {

void CpuBackend::beginCapture(const Instruction& instruction) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Queue& own = queue(instruction.stream);
  if (own.capture != nullptr) throw captureForbids("Another capture of the stream");
  if (own.kind == StreamKind::legacyDefault) throw captureForbids("The legacy default stream");
  own.capture = std::make_shared<Graph>();
  own.capture->origin = instruction.stream;
}

void CpuBackend::endCapture(const Instruction& instruction) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::shared_ptr<Graph> captured = queue(instruction.stream).capture;
  if (captured == nullptr) throw captureForbids("Ending what was not begun");
  for (const auto& one : queues_) {
    if (one->capture == captured) one->capture.reset();
  }
  captured->isOpen = false;
  graphs_[static_cast<std::size_t>(instruction.index)] = captured;
}

void CpuBackend::instantiate(const Instruction& instruction) {
  const std::lock_guard<std::mutex> lock(mutex_);
  graphs_[static_cast<std::size_t>(instruction.index)]->isInstantiated = true;
}

/// Returns true if the command became part of a graph.
bool CpuBackend::captureLocked(const Command& command) {
  Graph* const capture = queue(command.instruction->stream).capture.get();
  if (capture == nullptr) return false;
  capture->commands.push_back(command);
  // A graph reads its source when it runs, however small.
  capture->commands.back().isStaged = false;
  return true;
}

void CpuBackend::launch(Command command) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto index = static_cast<std::size_t>(command.instruction->index);
  const std::shared_ptr<Graph>& graph = graphs_[index];
  if (graph == nullptr || !graph->isInstantiated) throw graphNotThere(program_->graphs[index]);
  command.graph = graph;
  putLocked(lock, std::move(command));
}

void CpuBackend::executeGraph(Queue& own, int stream, const Command& launched) {
  for (const Command& captured : launched.graph->commands) {
    if (stop_.requested()) return;
    Command command = captured;
    command.correlation = launched.correlation;
    const std::int32_t from = captured.instruction->stream;
    const bool isOrigin = from == launched.graph->origin;
    if (captured.graph != nullptr) {
      executeGraph(own, stream, command);
    } else {
      execute(own, isOrigin ? stream : from, command);
    }
  }
}

void CpuBackend::requireRecorded(const Event& event) const {
  if (event.capture != nullptr) throw captureForbids("An event of a capture");
}

}  // namespace copyscope
