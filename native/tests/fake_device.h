// A device for the allocators' tests: memory that only has addresses, and streams that tests advance.
#pragma once

#include <algorithm>
#include <map>

#include "memory/allocator_device.h"

namespace copyscope::testing {

class FakeDevice final : public AllocatorDevice {
 public:
  explicit FakeDevice(std::uint64_t capacity) : capacity_(capacity) {}

  std::byte* allocateSegment(std::uint64_t bytes) override {
    if (held + bytes > capacity_) return nullptr;
    // Segments never touch, and no address is used twice.
    next_ += 1ull << 40;
    auto* const address = reinterpret_cast<std::byte*>(next_);
    segments[address] = bytes;
    held += bytes;
    return address;
  }
  void freeSegment(std::byte* segment) noexcept override {
    held -= segments.at(segment);
    segments.erase(segment);
  }

  int mark(int stream) override {
    marks[++lastMark_] = {stream, issued[stream]};
    return lastMark_;
  }
  bool isReached(int mark) override { return done[marks.at(mark).stream] >= marks.at(mark).place; }
  void wait(int mark) override {
    int& reached = done[marks.at(mark).stream];
    reached = std::max(reached, marks.at(mark).place);
    ++waits;
  }
  void forget(int mark) noexcept override { marks.erase(mark); }

  /// Puts work into a stream, or completes all its work.
  void issue(int stream) { ++issued[stream]; }
  void complete(int stream) { done[stream] = issued[stream]; }

  struct Place {
    int stream = 0;
    int place = 0;
  };
  std::map<std::byte*, std::uint64_t> segments;
  std::map<int, Place> marks;
  std::map<int, int> issued;
  std::map<int, int> done;
  std::uint64_t held = 0;
  int waits = 0;

 private:
  const std::uint64_t capacity_;
  std::uintptr_t next_ = 0;
  int lastMark_ = 0;
};

}  // namespace copyscope::testing
