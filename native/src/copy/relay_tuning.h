// Numbers of a copy that goes over several links at once.
#pragma once

#include "copy_engine.h"

namespace copyscope::copy {

struct RelayTuning {
  /// Threads, slots of page-locked memory and chunks, as without relays.
  Tuning tuning;
  /// Slots on each relay device, of a chunk each.
  std::uint32_t relaySlots = 1;
};

/// For `relays` of them, at least one. Ring and slots keep to relayRingBytes and to the options' relayBytes, unless the
/// options ask for other slots.
RelayTuning chooseRelayTuning(const CopyOptions& options, Direction direction, std::uint64_t payload, unsigned cores,
                              std::size_t relays);

/// Less is not worth several links: it would hardly fill the slots once.
constexpr std::uint64_t leastRelayChunks = 4;

}  // namespace copyscope::copy
