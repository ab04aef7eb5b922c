// The caching allocators' interface to a device: memory in segments, and the progress of its streams.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copyscope {

class AllocatorDevice {
 public:
  AllocatorDevice() = default;
  AllocatorDevice(const AllocatorDevice&) = delete;
  AllocatorDevice& operator=(const AllocatorDevice&) = delete;
  virtual ~AllocatorDevice() = default;

  /// Returns null if there is no more memory. Throws a Failure for any other error.
  virtual std::byte* allocateSegment(std::uint64_t bytes) = 0;
  virtual void freeSegment(std::byte* segment) noexcept = 0;

  /// Notes the end of the present work in a stream, like an event. Released by forget().
  virtual int mark(int stream) = 0;
  virtual bool isReached(int mark) = 0;
  virtual void wait(int mark) = 0;
  virtual void forget(int mark) noexcept = 0;
};

}  // namespace copyscope
