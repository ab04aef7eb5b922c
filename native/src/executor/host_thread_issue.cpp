// A host thread's calls that put work into streams and graphs, and that wait for them.
#include "executor/clock.h"
#include "executor/failure.h"
#include "executor/host_thread.h"

namespace copyscope {
namespace {

/// Returns the call that issues an operation.
CallName callOf(const Program& program, const Instruction& instruction) {
  switch (instruction.code) {
    case Code::copy:
      if (instruction.blocking) return CallName::memcpy;
      return isPeerCopy(program, instruction) ? CallName::memcpyPeerAsync : CallName::memcpyAsync;
    case Code::item:
      return CallName::memcpyAsync;
    case Code::memset:
      return CallName::memsetAsync;
    case Code::prefetch:
      return CallName::memPrefetchAsync;
    case Code::hostFunction:
      return CallName::launchHostFunc;
    case Code::launchGraph:
      return CallName::graphLaunch;
    case Code::recordEvent:
      return CallName::eventRecord;
    case Code::waitEvent:
      return CallName::streamWaitEvent;
    case Code::matmul:
      return CallName::cublasGemmEx;
    case Code::fft:
      return CallName::cufftExecC2C;
    default:
      return CallName::launchKernel;
  }
}

bool isMark(Code code) { return code == Code::recordEvent || code == Code::waitEvent; }

}  // namespace

/// Operations in a capture cause nothing on the device, and so are not joined with records.
void HostThread::issue(const Instruction& instruction) {
  if (iteration_ < 0) return put(instruction, 0);
  HostRow row = begin(instruction, RowKind::hostCall, callOf(program_, instruction));
  row.correlation = capturing_ ? 0 : nextCorrelation_++;
  put(instruction, row.correlation);
  end(row);
}

void HostThread::put(const Instruction& instruction, std::int32_t correlation) {
  backend_.issue(instruction, correlation);
  const bool blocks = program_.launchBlocking && !capturing_ && !isMark(instruction.code);
  if (blocks) backend_.synchronizeStream(instruction.stream);
}

/// An existing plan needs no call and leaves no row.
void HostThread::makePlan(const Instruction& instruction) {
  HostRow row = begin(instruction, RowKind::hostCall, CallName::none);
  const std::optional<CallName> call = backend_.makePlan(instruction);
  if (!call.has_value()) return;
  row.name = *call;
  end(row);
}

void HostThread::advise(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostCall, CallName::memAdvise);
  backend_.advise(instruction);
  end(row);
}

void HostThread::item(const Instruction& instruction) {
  issue(instruction);
  const HostRow row = begin(instruction, RowKind::hostSync, CallName::streamSynchronize);
  backend_.synchronizeStream(instruction.stream);
  end(row);
  noteMemory();
}

void HostThread::capture(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostCall, CallName::streamBeginCapture);
  backend_.beginCapture(instruction);
  capturing_ = true;
  end(row);
}

void HostThread::endCapture(const Instruction& instruction) {
  const HostRow ending = begin(instruction, RowKind::hostCall, CallName::streamEndCapture);
  backend_.endCapture(instruction);
  capturing_ = false;
  end(ending);
  const HostRow instantiating = begin(instruction, RowKind::hostCall, CallName::graphInstantiate);
  backend_.instantiate(instruction);
  end(instantiating);
  const HostRow uploading = begin(instruction, RowKind::hostCall, CallName::graphUpload);
  backend_.upload(instruction);
  end(uploading);
}

void HostThread::synchronize(const Instruction& instruction) {
  const CallName name = instruction.code == Code::synchronizeStream  ? CallName::streamSynchronize
                        : instruction.code == Code::synchronizeEvent ? CallName::eventSynchronize
                                                                     : CallName::deviceSynchronize;
  const HostRow row = begin(instruction, RowKind::hostSync, name);
  if (instruction.code == Code::synchronizeStream) backend_.synchronizeStream(instruction.stream);
  if (instruction.code == Code::synchronizeEvent) backend_.synchronizeEvent(instruction.event);
  if (instruction.code == Code::synchronizeDevice) backend_.synchronizeDevice(instruction.index);
  end(row);
  noteMemory();
}

void HostThread::query(const Instruction& instruction) {
  const bool ofStream = instruction.code == Code::queryStream;
  const HostRow row = begin(instruction, RowKind::hostCall, ofStream ? CallName::streamQuery : CallName::eventQuery);
  if (ofStream) {
    backend_.queryStream(instruction.stream);
  } else {
    backend_.queryEvent(instruction.event);
  }
  end(row);
}

void HostThread::elapsedTime(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostCall, CallName::eventElapsedTime);
  const double durationNs = backend_.elapsedNs(instruction.event, instruction.index);
  end(row);
  if (iteration_ >= 0) elapsed_.push_back({instruction.op, iteration_, durationNs});
}

/// Records the time in which the thread was blocked by another one, or which passing a signal on took.
void HostThread::signal(const Instruction& instruction) {
  const HostRow row = begin(instruction, RowKind::hostSync, CallName::none);
  if (instruction.code == Code::signal) {
    signals_.signal(instruction, thread_);
  } else {
    signals_.wait(instruction, thread_);
  }
  end(row);
}

}  // namespace copyscope
