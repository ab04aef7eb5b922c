// The copy engine's view of the CPU engine: its memory is the host's, and an event is a place in a stream's order.
#pragma once

#include <memory>

#include "copy/copy_device.h"
#include "cpu/cpu_tickets.h"

namespace copyscope {

/// One of the program's streams, by its number.
class CpuCopyStream final : public copy::CopyStream {
 public:
  /// Number of a stream made by the copy engine, whose work is done at once: only filling and comparing use it.
  static constexpr int immediate = -1;
  explicit CpuCopyStream(int streamNumber) : number(streamNumber) {}
  const int number;
};

class CpuCopyDevice final : public copy::CopyDevice {
 public:
  CpuCopyDevice(CpuTickets& tickets, int device) : tickets_(tickets), device_(device) {}

  int index() const override { return device_; }
  void attach() override {}
  void* allocatePinned(std::size_t bytes) override;
  void freePinned(void* memory) noexcept override;
  void* allocateDevice(std::size_t bytes) override { return allocatePinned(bytes); }
  void freeDevice(void* memory) noexcept override { freePinned(memory); }
  std::size_t freeDeviceBytes() override;

  void copy(void* target, const void* source, std::size_t bytes, copy::Direction, copy::StreamRef) override;
  void copyPeer(void* target, const void* source, int, std::size_t bytes, copy::StreamRef stream) override;
  void copyPieces(const copy::Piece* pieces, std::size_t count, copy::StreamRef, double) override;
  copy::OwnedCopyStream createStream() override { return std::make_unique<CpuCopyStream>(CpuCopyStream::immediate); }
  void synchronize(copy::StreamRef stream) override;

  copy::OwnedCopyEvent createEvent() override;
  void record(copy::EventRef event, copy::StreamRef stream) override;
  void wait(copy::EventRef event) override;
  bool isDone(copy::EventRef event) override;
  void streamWait(copy::StreamRef stream, copy::EventRef event) override;

 private:
  static int numberOf(copy::StreamRef stream) { return static_cast<const CpuCopyStream*>(stream)->number; }
  Ticket latest(copy::StreamRef stream);

  CpuTickets& tickets_;
  const int device_;
};

}  // namespace copyscope
