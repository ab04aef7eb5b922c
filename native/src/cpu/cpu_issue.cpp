// Issues the host threads' work to the CPU engine's streams.
#include "cpu/cpu_backend.h"
#include "executor/failure.h"

namespace copyscope {
namespace {

/// Size up to which the driver copies a pageable source within the call.
constexpr std::uint64_t stagedBytes = 64u << 10;

bool isBlockingKind(StreamKind kind) { return kind == StreamKind::blocking || kind == StreamKind::perThreadDefault; }

}  // namespace

void CpuBackend::issue(const Instruction& instruction, std::int32_t correlation) {
  Command command = commandOf(instruction, correlation);
  switch (instruction.code) {
    case Code::copy:
      operationMemory_->noteUse(instruction.src, instruction.stream);
      operationMemory_->noteUse(instruction.dst, instruction.stream);
      return issueCopy(instruction, std::move(command));
    case Code::recordEvent:
      return recordEvent(std::move(command));
    case Code::waitEvent:
      return waitEvent(std::move(command));
    case Code::launchGraph:
      return launch(std::move(command));
    default:
      put(std::move(command));
  }
}

void CpuBackend::issuePart(const CopyPart& part, std::int32_t correlation) {
  Command command;
  command.instruction = &parts_.of(part);
  command.correlation = correlation;
  command.source = part.source;
  command.target = part.target;
  command.pieces = part.pieces;
  command.pieceCount = part.pieceCount;
  if (!part.isKernel()) return issueCopy(*command.instruction, std::move(command));
  put(std::move(command));
}

void CpuBackend::waitIn(int stream, const Ticket& ticket) {
  Command command;
  command.instruction = &parts_.waitIn(stream);
  command.event = ticket;
  put(std::move(command));
}

/// Resolves addresses at the time of the call, as CUDA does.
CpuBackend::Command CpuBackend::commandOf(const Instruction& instruction, std::int32_t correlation) {
  Command command;
  command.instruction = &instruction;
  command.correlation = correlation;
  if (!isDeviceWork(instruction.code)) return command;
  if (instruction.src >= 0) command.source = at(instruction.src, instruction.srcOffset);
  if (instruction.code == Code::matmul) command.second = at(libraryCallOf(*program_, instruction).other, 0);
  if (instruction.dst >= 0) command.target = at(instruction.dst, instruction.dstOffset);
  return command;
}

/// A pageable copy blocks its caller until the driver has staged it, which ends shortly before the copy itself. A small
/// one is staged within the call. Copies back to pageable memory, and host to host, return only when complete. (CUDA
/// Runtime API, API synchronisation behaviour)
void CpuBackend::issueCopy(const Instruction& instruction, Command command) {
  const Memory src = sourceMemory(*program_, instruction);
  const Memory dst = targetMemory(*program_, instruction);
  const bool fromHost = src != Memory::device;
  const bool toHost = dst != Memory::device;
  const bool taken = src == Memory::pageable && !toHost && instruction.bytes <= stagedBytes;
  const bool pageable = src == Memory::pageable || dst == Memory::pageable;
  const bool onDevice = !fromHost && !toHost;
  const bool holds = (fromHost && toHost) || (pageable && !taken) || (instruction.blocking && !taken && !onDevice);
  if (taken) {
    command.staged.assign(command.source, command.source + instruction.bytes);
    command.isStaged = true;
  }
  const Ticket ticket = put(std::move(command));
  if (holds) wait(ticket);
}

void CpuBackend::recordEvent(Command command) {
  std::unique_lock<std::mutex> lock(mutex_);
  const Instruction& instruction = *command.instruction;
  Event& event = events_[static_cast<std::size_t>(instruction.event)];
  event.capture = queue(instruction.stream).capture;
  if (event.capture == nullptr) event.ticket = putLocked(lock, std::move(command));
}

/// Waits for the latest record at the time of this call, whatever is recorded later. A wait for an event of a capture
/// takes the stream into that capture.
void CpuBackend::waitEvent(Command command) {
  std::unique_lock<std::mutex> lock(mutex_);
  const Instruction& instruction = *command.instruction;
  const Event& event = events_[static_cast<std::size_t>(instruction.event)];
  if (event.capture != nullptr) {
    if (!event.capture->isOpen) throw captureForbids("An event of a capture that has ended");
    queue(instruction.stream).capture = event.capture;
    return;
  }
  command.event = event.ticket;
  putLocked(lock, std::move(command));
}

/// Returns a place that is reached already if the command went into a capture.
Ticket CpuBackend::put(Command command) {
  std::unique_lock<std::mutex> lock(mutex_);
  return putLocked(lock, std::move(command));
}

Ticket CpuBackend::putLocked(std::unique_lock<std::mutex>& lock, Command command) {
  if (captureLocked(command)) return {};
  const std::int32_t stream = command.instruction->stream;
  Queue& own = queue(stream);
  changed_.wait(lock, [&] { return own.issued - own.completed < own.ring.size(); });
  Command& place = own.ring[own.issued % own.ring.size()];
  command.barrier.swap(place.barrier);  // Its memory exists already.
  place = std::move(command);
  setBarrier(place, own);
  ++own.issued;
  own.wake.notify_one();
  return {stream, own.issued};
}

/// The legacy default stream waits for all earlier work in blocking streams, and later work in blocking streams waits
/// for it. Non-blocking streams take no part. (CUDA Runtime API, stream synchronisation behaviour)
void CpuBackend::setBarrier(Command& command, const Queue& own) const {
  if (own.kind == StreamKind::nonBlocking) return;
  for (std::size_t other = 0; other < queues_.size(); ++other) {
    const Queue& one = *queues_[other];
    const bool isSameDevice = one.device == own.device;
    if (own.kind == StreamKind::legacyDefault) {
      command.barrier[other] = isSameDevice && isBlockingKind(one.kind) ? one.issued : 0;
    } else if (isSameDevice && one.kind == StreamKind::legacyDefault) {
      command.behind = {static_cast<std::int32_t>(other), one.issued};
    }
  }
}

}  // namespace copyscope
