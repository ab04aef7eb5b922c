// The copy engine's interface to a device. One implementation is CUDA, the other host memory and threads, so that
// packing, ring and pools are tested without a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "copy/copy_options.h"

namespace copyscope::copy {

/// A stream, made by a device, or one of a program's that the device's makers know. It can only be used with devices of
/// its maker's kind. Deleting it ends no work: its owner must wait until the work is done.
class CopyStream {
 public:
  CopyStream() = default;
  CopyStream(const CopyStream&) = delete;
  CopyStream& operator=(const CopyStream&) = delete;
  virtual ~CopyStream() = default;
};

/// An event. It may be deleted before a stream has reached it.
class CopyEvent {
 public:
  CopyEvent() = default;
  CopyEvent(const CopyEvent&) = delete;
  CopyEvent& operator=(const CopyEvent&) = delete;
  virtual ~CopyEvent() = default;
};

using OwnedCopyStream = std::unique_ptr<CopyStream>;
using OwnedCopyEvent = std::unique_ptr<CopyEvent>;
/// Owned by another object, which lives longer.
using StreamRef = CopyStream*;
using EventRef = CopyEvent*;

/// Bytes that one of many copies moves. Pieces of one launch don't overlap.
struct Piece {
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  std::uint64_t bytes = 0;
};

/// Returns the address of a piece that is relative to `base`; its own if that is null.
template <typename Byte>
inline Byte* moved(Byte* base, Byte* relative) {
  return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(base) + reinterpret_cast<std::uintptr_t>(relative));
}

/// Does the kernel's work on the host, with pieces relative to both addresses.
inline void copyEach(const Piece* pieces, std::size_t count, const std::byte* source = nullptr,
                     std::byte* target = nullptr) {
  for (std::size_t index = 0; index < count; ++index) {
    const Piece& piece = pieces[index];
    std::memcpy(moved(target, piece.target), moved(source, piece.source), static_cast<std::size_t>(piece.bytes));
  }
}

/// Functions throw Failure. All may be called from several threads at once.
class CopyDevice {
 public:
  CopyDevice() = default;
  CopyDevice(const CopyDevice&) = delete;
  CopyDevice& operator=(const CopyDevice&) = delete;
  virtual ~CopyDevice() = default;

  virtual int index() const = 0;
  /// Makes the device the calling thread's current one; called first on each thread.
  virtual void attach() = 0;

  /// Returns null if there is no memory left.
  virtual void* allocatePinned(std::size_t bytes) = 0;
  virtual void freePinned(void* memory) noexcept = 0;
  virtual void* allocateDevice(std::size_t bytes) = 0;
  virtual void freeDevice(void* memory) noexcept = 0;
  virtual std::size_t freeDeviceBytes() = 0;

  /// Puts a copy into the stream. Asynchronous if the host side is page-locked.
  virtual void copy(void* target, const void* source, std::size_t bytes, Direction direction, StreamRef stream) = 0;
  /// Copies from another device's memory to this one's.
  virtual void copyPeer(void* target, const void* source, int sourceDevice, std::size_t bytes, StreamRef stream) = 0;

  /// Puts a kernel into the stream that copies all pieces at once, in a share of the multiprocessors. The list is in
  /// page-locked memory of this device until the stream has passed.
  virtual void copyPieces(const Piece* pieces, std::size_t count, StreamRef stream, double share) = 0;
  /// Puts copies of all pieces into the stream, with one call if the device has batches.
  virtual void copyBatch(const Piece* pieces, std::size_t count, Direction direction, StreamRef stream) {
    for (std::size_t at = 0; at < count; ++at) copy(pieces[at].target, pieces[at].source, pieces[at].bytes, direction, stream);
  }
  virtual bool hasBatches() const { return false; }

  virtual OwnedCopyStream createStream() = 0;
  virtual void synchronize(StreamRef stream) = 0;

  virtual OwnedCopyEvent createEvent() = 0;
  virtual void record(EventRef event, StreamRef stream) = 0;
  /// Blocks until the work before the event's last record is done; returns at once if it was never recorded.
  virtual void wait(EventRef event) = 0;
  virtual bool isDone(EventRef event) = 0;
  virtual void streamWait(StreamRef stream, EventRef event) = 0;
};

}  // namespace copyscope::copy
