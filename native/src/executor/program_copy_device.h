// The copy engine's device in a run: calls on a stream of the program pass through the host thread that runs the
// multi-tensor copy, so that it records them.
#pragma once

#include <memory>

#include "copy/copy_device.h"
#include "copy/copy_observer.h"

namespace copyscope {

/// The calls of one multi-tensor copy. They come from its helpers' threads too.
class CopyCalls : public copy::CopyObserver {
 public:
  virtual void copy(void* target, const void* source, std::uint64_t bytes, copy::Direction direction) = 0;
  virtual void copyPieces(const copy::Piece* pieces, std::size_t count) = 0;
  virtual void synchronize() = 0;
  /// Waits for an event of `device`.
  virtual void waitFor(copy::CopyDevice& device, copy::EventRef event) = 0;

 protected:
  ~CopyCalls() = default;
};

class ProgramCopyDevice final : public copy::CopyDevice {
 public:
  explicit ProgramCopyDevice(std::unique_ptr<copy::CopyDevice> device) : device_(std::move(device)) {}

  /// Sends later calls on `stream` through `calls`; null for none. No copy may be under way.
  void direct(copy::StreamRef stream, CopyCalls* calls) {
    stream_ = stream;
    calls_ = calls;
  }

  int index() const override { return device_->index(); }
  void attach() override { device_->attach(); }
  void* allocatePinned(std::size_t bytes) override { return device_->allocatePinned(bytes); }
  void freePinned(void* memory) noexcept override { device_->freePinned(memory); }
  void* allocateDevice(std::size_t bytes) override { return device_->allocateDevice(bytes); }
  void freeDevice(void* memory) noexcept override { device_->freeDevice(memory); }
  std::size_t freeDeviceBytes() override { return device_->freeDeviceBytes(); }

  void copy(void* target, const void* source, std::size_t bytes, copy::Direction direction,
            copy::StreamRef stream) override {
    if (isDirected(stream)) return calls_->copy(target, source, bytes, direction);
    device_->copy(target, source, bytes, direction, stream);
  }
  void copyPeer(void* target, const void* source, int sourceDevice, std::size_t bytes,
                copy::StreamRef stream) override {
    device_->copyPeer(target, source, sourceDevice, bytes, stream);
  }
  void copyPieces(const copy::Piece* pieces, std::size_t count, copy::StreamRef stream, double share) override {
    if (isDirected(stream)) return calls_->copyPieces(pieces, count);
    device_->copyPieces(pieces, count, stream, share);
  }
  copy::OwnedCopyStream createStream() override { return device_->createStream(); }
  void synchronize(copy::StreamRef stream) override {
    if (isDirected(stream)) return calls_->synchronize();
    device_->synchronize(stream);
  }
  copy::OwnedCopyEvent createEvent() override { return device_->createEvent(); }
  void record(copy::EventRef event, copy::StreamRef stream) override { device_->record(event, stream); }
  void wait(copy::EventRef event) override {
    if (calls_ != nullptr) return calls_->waitFor(*device_, event);
    device_->wait(event);
  }
  bool isDone(copy::EventRef event) override { return device_->isDone(event); }
  void streamWait(copy::StreamRef stream, copy::EventRef event) override { device_->streamWait(stream, event); }

 private:
  bool isDirected(copy::StreamRef stream) const { return calls_ != nullptr && stream == stream_; }

  const std::unique_ptr<copy::CopyDevice> device_;
  copy::StreamRef stream_ = nullptr;
  CopyCalls* calls_ = nullptr;
};

}  // namespace copyscope
