// A simulated device in host memory: each stream is a queue with a thread, copies run asynchronously like CUDA's, and
// failures can be requested. For tests, and for programs written without a GPU.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "copy/copy_device.h"

namespace copyscope::copy {

class HostCopyDevice : public CopyDevice {
 public:
  explicit HostCopyDevice(int index);
  ~HostCopyDevice() override;

  int index() const override { return index_; }
  void attach() override {}
  void* allocatePinned(std::size_t bytes) override;
  void freePinned(void* memory) noexcept override;
  void* allocateDevice(std::size_t bytes) override;
  void freeDevice(void* memory) noexcept override;
  std::size_t freeDeviceBytes() override;
  void copy(void* target, const void* source, std::size_t bytes, Direction direction, StreamRef stream) override;
  void copyPeer(void* target, const void* source, int sourceDevice, std::size_t bytes, StreamRef stream) override;
  void copyPieces(const Piece* pieces, std::size_t count, StreamRef stream, double share) override;
  bool hasBatches() const override { return true; }
  OwnedCopyStream createStream() override;
  void synchronize(StreamRef stream) override;
  OwnedCopyEvent createEvent() override;
  void record(EventRef event, StreamRef stream) override;
  void wait(EventRef event) override;
  bool isDone(EventRef event) override;
  void streamWait(StreamRef stream, EventRef event) override;

  /// Makes the copy after `copies` more fail, once; negative for none.
  void failAfter(long copies) { failAfter_.store(copies); }
  /// Makes the creation of the stream or event after `handles` more fail, once; negative for none.
  void failHandleAfter(long handles) { failHandleAfter_.store(handles); }
  /// Makes each copy take at least this long.
  void delayCopies(long nanoseconds) { delayNs_.store(nanoseconds); }
  /// Makes later copies wait in their streams until `mayGo` returns true; null for none. Not while a batch is under
  /// way. The streams' threads call it repeatedly.
  void holdCopies(std::function<bool()> mayGo) { mayGo_ = std::move(mayGo); }
  /// Makes the next copy wait in its stream until this is called with false.
  void holdNext(bool isHeld) {
    held_->store(isHeld);
    holdsNext_.store(isHeld);
  }
  /// Sets the total device memory.
  void limitMemory(std::size_t bytes) { limit_.store(bytes); }
  /// Returns the number of pinned and device blocks that are allocated now.
  long liveBlocks() const { return liveBlocks_.load(); }
  /// Returns the number of existing streams and events. The count outlives the device.
  std::shared_ptr<const std::atomic<long>> liveHandles() const { return liveHandles_; }
  /// Return the numbers of calls of copy() and of copyPieces() until now.
  long copies() const { return copies_.load(); }
  long pieceLaunches() const { return pieceLaunches_.load(); }

 private:
  void failIfOrdered();
  void failHandleIfOrdered();

  const int index_;
  std::atomic<long> failAfter_{-1};
  std::atomic<long> failHandleAfter_{-1};
  const std::shared_ptr<std::atomic<long>> liveHandles_ = std::make_shared<std::atomic<long>>(0);
  std::atomic<long> delayNs_{0};
  std::function<bool()> mayGo_;
  std::atomic<bool> holdsNext_{false};
  const std::shared_ptr<std::atomic<bool>> held_ = std::make_shared<std::atomic<bool>>(false);
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> used_{0};
  std::atomic<long> liveBlocks_{0};
  std::atomic<long> copies_{0};
  std::atomic<long> pieceLaunches_{0};
};

}  // namespace copyscope::copy
