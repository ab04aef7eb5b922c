// What the caching allocators ask of a device: memory in segments, and how far its streams have come.
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

  /// Null where there is no more memory. Throws a Failure for any other error.
  virtual std::byte* allocateSegment(std::uint64_t bytes) = 0;
  virtual void freeSegment(std::byte* segment) noexcept = 0;

  /// Notes the end of the work now in a stream, as an event does. Given back by forget().
  virtual int mark(int stream) = 0;
  virtual bool isReached(int mark) = 0;
  virtual void wait(int mark) = 0;
  virtual void forget(int mark) noexcept = 0;
};

}  // namespace copyscope
