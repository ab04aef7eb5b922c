// Places in the order of the CPU engine's streams.
#pragma once

#include <cstdint>

namespace copyscope {

/// `stream` is -1 if nothing was ever issued.
struct Ticket {
  std::int32_t stream = -1;
  std::uint64_t number = 0;
};

class CpuTickets {
 public:
  /// Returns the place of the last issued command.
  virtual Ticket latest(int stream) = 0;
  virtual bool isReached(const Ticket& ticket) = 0;
  virtual void wait(const Ticket& ticket) = 0;
  /// Makes later work in the stream wait for the place.
  virtual void waitIn(int stream, const Ticket& ticket) = 0;

 protected:
  ~CpuTickets() = default;
};

}  // namespace copyscope
