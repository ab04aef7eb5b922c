// Multi-tensor copies of a host thread, and the rows that they leave.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "clock.h"
#include "copy/copy_observer.h"
#include "failure.h"
#include "host_thread.h"
#include "multi_copies.h"
#include "multi_copy_uses.h"
#include "run_failures.h"

namespace copyscope {

/// In a loop each call has a row and a number of its own. Otherwise the operation is one call, whose number all its
/// copies bear. What the host copies has rows either way, on the lane of the thread that copied it.
class HostThread::CopyRows final : public CopyCalls {
 public:
  CopyRows(HostThread& thread, const Instruction& instruction)
      : thread_(thread),
        instruction_(instruction),
        isLoop_(copyscope::isLoop(thread.program_.multiCopies[static_cast<std::size_t>(instruction.index)])) {
    streams_.push_back({thread.backend_.copyStream(instruction.stream), instruction.stream});
    for (const RelayStreams& relay : relayStreams(thread.program_, instruction.index)) {
      for (const std::int32_t stream : {relay.link, relay.peer}) {
        streams_.push_back({thread.backend_.copyStream(stream), stream});
      }
    }
    if (isLoop_) return;
    whole_ = row(RowKind::hostCall, CallName::none);
    whole_.correlation = nextCorrelation();
  }

  void finish() {
    if (!isLoop_) end(whole_);
  }

  void copy(void* target, const void* source, std::uint64_t bytes, copy::Direction direction,
            copy::StreamRef stream) override {
    CopyPart part = partOf(target, source, bytes, stream);
    part.src = direction == copy::Direction::h2d ? hostMemory(source, bytes) : Memory::device;
    part.dst = direction == copy::Direction::d2h ? hostMemory(target, bytes) : Memory::device;
    issue(part, CallName::memcpyAsync);
  }

  void copyPeer(void* target, int targetDevice, const void* source, int sourceDevice, std::uint64_t bytes,
                copy::StreamRef stream) override {
    CopyPart part = partOf(target, source, bytes, stream);
    part.src = part.dst = Memory::device;
    part.sourceDevice = sourceDevice;
    part.targetDevice = targetDevice;
    issue(part, CallName::memcpyPeerAsync);
  }

  void copyPieces(const copy::Piece* pieces, std::size_t count) override {
    CopyPart part;
    part.stream = instruction_.stream;
    part.pieces = pieces;
    part.pieceCount = count;
    for (std::size_t index = 0; index < count; ++index) part.bytes += pieces[index].bytes;
    issue(part, CallName::launchKernel);
  }

  void synchronize(copy::StreamRef stream) override {
    const HostRow waiting = row(RowKind::hostSync, CallName::streamSynchronize);
    thread_.backend_.synchronizeStream(numberOf(stream));
    if (isLoop_) end(waiting);
  }

  void waitFor(copy::CopyDevice& device, copy::EventRef event) override {
    const HostRow waiting = row(RowKind::hostSync, CallName::eventSynchronize);
    device.wait(event);
    if (isLoop_) end(waiting);
  }

  void hostCopied(unsigned worker, std::int64_t startNs, std::uint64_t bytes) override {
    HostRow copied = row(RowKind::hostWork, CallName::none);
    copied.startNs = startNs;
    copied.bytes = bytes;
    copied.worker = static_cast<std::int32_t>(worker);
    end(copied);
  }

 private:
  void issue(CopyPart& part, CallName name) {
    part.op = instruction_.op;
    HostRow calling = row(RowKind::hostCall, name);
    calling.correlation = isLoop_ ? nextCorrelation() : whole_.correlation;
    thread_.backend_.issuePart(part, calling.correlation);
    if (thread_.program_.launchBlocking) thread_.backend_.synchronizeStream(part.stream);
    if (isLoop_) end(calling);
  }

  CopyPart partOf(void* target, const void* source, std::uint64_t bytes, copy::StreamRef stream) const {
    CopyPart part;
    part.stream = numberOf(stream);
    part.bytes = bytes;
    part.source = static_cast<const std::byte*>(source);
    part.target = static_cast<std::byte*>(target);
    return part;
  }

  /// A stream of the program by its name in the copy engine.
  std::int32_t numberOf(copy::StreamRef stream) const {
    const auto found = std::find_if(streams_.begin(), streams_.end(), [&](const auto& one) { return one.first == stream; });
    return found == streams_.end() ? instruction_.stream : found->second;
  }

  std::int32_t nextCorrelation() {
    if (thread_.iteration_ < 0) return 0;
    const std::lock_guard<std::mutex> lock(mutex_);
    return thread_.nextCorrelation_++;
  }

  HostRow row(RowKind kind, CallName name) const {
    HostRow begun = thread_.begin(instruction_, kind, name);
    begun.worker = static_cast<std::int32_t>(copy::workerNumber());
    return begun;
  }

  void end(const HostRow& row) {
    const std::lock_guard<std::mutex> lock(mutex_);
    thread_.end(row);
  }

  Memory hostMemory(const void* memory, std::uint64_t bytes) const {
    return thread_.multiCopies_.isPinned(instruction_.index, memory, bytes) ? Memory::pinned : Memory::pageable;
  }

  HostThread& thread_;
  const Instruction& instruction_;
  const bool isLoop_;
  /// Its own stream first, then those of its relays.
  std::vector<std::pair<copy::StreamRef, std::int32_t>> streams_;
  HostRow whole_;
  std::mutex mutex_;
};

void HostThread::multiCopy(const Instruction& instruction) {
  if (capturing_) throw captureForbids("A multi-tensor copy");
  CopyRows rows(*this, instruction);
  try {
    multiCopies_.run(instruction.index, rows);
  } catch (const Failure& failure) {
    backend_.makeCurrent(thread_);
    // The executor says what stopped it.
    if (failure.code == "copy.cancelled") return;
    throw;
  }
  backend_.makeCurrent(thread_);
  rows.finish();
}

}  // namespace copyscope
