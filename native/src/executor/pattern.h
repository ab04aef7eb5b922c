// The words of a pattern, equal on host and device (test/support/pattern.ts compares with them).
#pragma once

#include <cstdint>

#include "executor/layout.h"

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

/// Factor by which a stream kernel multiplies every word in each pass.
constexpr std::uint32_t streamMultiplier = 0x0019660du;

/// MurmurHash3's 32-bit finaliser.
COPYSCOPE_HOST_DEVICE inline std::uint32_t fmix32(std::uint32_t h) {
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

/// Returns the bits of a number in single precision.
COPYSCOPE_HOST_DEVICE inline std::uint32_t floatBits(float value) {
  union {
    float number;
    std::uint32_t bits;
  } both;
  both.number = value;
  return both.bits;
}

/// Returns two numbers from -1 to 1 in a word, each from a half's lowest `bits` bits: as many as the type holds
/// exactly.
COPYSCOPE_HOST_DEVICE inline std::uint32_t twoFloats(std::uint32_t mixed, PatternKind kind) {
  const int bits = kind == PatternKind::float16 ? 11 : 8;
  const std::int32_t half = 1 << (bits - 1);
  std::uint32_t word = 0;
  for (int place = 0; place < 32; place += 16) {
    const std::int32_t whole = static_cast<std::int32_t>((mixed >> place) & static_cast<std::uint32_t>(2 * half - 1)) - half;
    const std::uint32_t full = floatBits(static_cast<float>(whole) / static_cast<float>(half));
    std::uint32_t encoded = full >> 16;  // bfloat16 is the upper half of single precision.
    if (kind == PatternKind::float16) {
      encoded = whole == 0 ? 0 : ((full >> 16) & 0x8000u) | ((((full >> 23) & 0xffu) - 112u) << 10) | ((full >> 13) & 0x3ffu);
    }
    word |= encoded << place;
  }
  return word;
}

/// Returns word `index` of the content's pattern, multiplied. The index counts from the pattern's first word.
COPYSCOPE_HOST_DEVICE inline std::uint32_t contentWord(const Content& content, std::uint64_t index) {
  const auto low = static_cast<std::uint32_t>(index);
  switch (content.kind) {
    case PatternKind::random:
      return fmix32(low * 0x9e3779b1u + content.value) * content.multiplier;
    case PatternKind::float32: {
      const std::uint32_t mixed = fmix32(low * 0x9e3779b1u + content.value);
      const auto whole = static_cast<std::int32_t>(mixed >> 9) - (1 << 22);
      return floatBits(static_cast<float>(whole) / static_cast<float>(1 << 22)) * content.multiplier;
    }
    case PatternKind::float16:
    case PatternKind::bfloat16:
      return twoFloats(fmix32(low * 0x9e3779b1u + content.value), content.kind) * content.multiplier;
    case PatternKind::index:
      return (low + content.value) * content.multiplier;
    default:
      return content.value * content.multiplier;
  }
}

/// Returns byte `index` of a region with this content.
COPYSCOPE_HOST_DEVICE inline std::uint8_t contentByte(const Content& content, std::uint64_t index) {
  const std::uint64_t position = content.offset + index;
  return static_cast<std::uint8_t>(contentWord(content, position / 4) >> ((position % 4) * 8));
}

}  // namespace copyscope
