// Places in the order of the CPU engine's streams.
#pragma once

#include <cstdint>

namespace copyscope {

/// `stream` is -1 where nothing was ever issued.
struct Ticket {
  std::int32_t stream = -1;
  std::uint64_t number = 0;
};

class CpuTickets {
 public:
  /// Place of what was issued last.
  virtual Ticket latest(int stream) = 0;
  virtual bool isReached(const Ticket& ticket) = 0;
  virtual void wait(const Ticket& ticket) = 0;
  /// What is put into the stream from here on waits for the place.
  virtual void waitIn(int stream, const Ticket& ticket) = 0;

 protected:
  ~CpuTickets() = default;
};

}  // namespace copyscope
