// The words of a pattern, the same on host and device (core/program/pattern.ts holds the definition).
#pragma once

#include <cstdint>

#include "layout.h"

#ifdef __CUDACC__
#define COPYSCOPE_HOST_DEVICE __host__ __device__
#else
#define COPYSCOPE_HOST_DEVICE
#endif

namespace copyscope {

/// Pattern words from `offset` bytes on, each multiplied by `multiplier` modulo 2^32.
struct Content {
  PatternKind kind = PatternKind::none;
  std::uint32_t value = 0;
  std::uint32_t multiplier = 1;
  std::uint64_t offset = 0;
};

/// What a stream kernel multiplies every word by in each pass.
constexpr std::uint32_t streamMultiplier = 0x0019660du;

/// MurmurHash3's 32-bit finaliser.
COPYSCOPE_HOST_DEVICE inline std::uint32_t fmix32(std::uint32_t h) {
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

/// Word `index` of the content's pattern, multiplied. The index counts from the pattern's first word.
COPYSCOPE_HOST_DEVICE inline std::uint32_t contentWord(const Content& content, std::uint64_t index) {
  const auto low = static_cast<std::uint32_t>(index);
  switch (content.kind) {
    case PatternKind::random:
      return fmix32(low * 0x9e3779b1u + content.value) * content.multiplier;
    case PatternKind::index:
      return (low + content.value) * content.multiplier;
    default:
      return content.value * content.multiplier;
  }
}

/// Byte `index` of a region with this content.
COPYSCOPE_HOST_DEVICE inline std::uint8_t contentByte(const Content& content, std::uint64_t index) {
  const std::uint64_t position = content.offset + index;
  return static_cast<std::uint8_t>(contentWord(content, position / 4) >> ((position % 4) * 8));
}

}  // namespace copyscope
