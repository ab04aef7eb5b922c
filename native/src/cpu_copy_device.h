// The copy engine's view of the CPU engine: its memory is the host's, an event is a place in a stream's order.
#pragma once

#include "copy/copy_device.h"
#include "cpu_tickets.h"

namespace copyscope {

class CpuCopyDevice final : public copy::CopyDevice {
 public:
  CpuCopyDevice(CpuTickets& tickets, int device) : tickets_(tickets), device_(device) {}

  /// Names a stream of the program.
  static copy::StreamRef nameOf(int stream) {
    return reinterpret_cast<copy::StreamRef>(static_cast<std::uintptr_t>(stream) + 1);
  }

  int index() const override { return device_; }
  void attach() override {}
  void* allocatePinned(std::size_t bytes) override;
  void freePinned(void* memory) noexcept override;
  void* allocateDevice(std::size_t bytes) override { return allocatePinned(bytes); }
  void freeDevice(void* memory) noexcept override { freePinned(memory); }
  std::size_t freeDeviceBytes() override;

  // In a stream made here, which only filling and comparing use, everything happens at once.

  void copy(void* target, const void* source, std::size_t bytes, copy::Direction, copy::StreamRef) override;
  void copyPeer(void* target, const void* source, int, std::size_t bytes, copy::StreamRef stream) override;
  void copyPieces(const copy::Piece* pieces, std::size_t count, copy::StreamRef) override;
  copy::StreamRef createStream() override { return this; }
  void destroyStream(copy::StreamRef) noexcept override {}
  void synchronize(copy::StreamRef stream) override;

  copy::EventRef createEvent() override;
  void destroyEvent(copy::EventRef event) noexcept override;
  void record(copy::EventRef event, copy::StreamRef stream) override;
  void wait(copy::EventRef event) override;
  bool isDone(copy::EventRef event) override;
  void streamWait(copy::StreamRef stream, copy::EventRef event) override;

 private:
  static int numberOf(copy::StreamRef stream) { return static_cast<int>(reinterpret_cast<std::uintptr_t>(stream) - 1); }
  Ticket latest(copy::StreamRef stream);

  CpuTickets& tickets_;
  const int device_;
};

}  // namespace copyscope
