#include "executor/library_numbers.h"

#include <cmath>
#include <cstring>

namespace copyscope {
namespace {

template <typename Value>
Value load(const std::byte* data, std::uint64_t index) {
  Value value;
  std::memcpy(&value, data + index * sizeof(Value), sizeof(Value));
  return value;
}

template <typename Value>
void store(std::byte* data, std::uint64_t index, Value value) {
  std::memcpy(data + index * sizeof(Value), &value, sizeof(Value));
}

float floatOf(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

std::uint32_t bitsOf(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Returns the upper half of single precision.
std::uint16_t floatToBfloat(float value) {
  const std::uint32_t bits = bitsOf(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace

float halfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), floatOf(sign | 0x3f800000u));
  if (exponent == 31) return floatOf(sign | 0x7f800000u | (fraction << 13));
  return floatOf(sign | ((exponent + 112) << 23) | (fraction << 13));
}

std::uint16_t floatToHalf(float value) {
  const std::uint32_t bits = bitsOf(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const float size = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00u);
  constexpr float beyondLargest = 65520;  // Rounds to infinity from here on.
  if (size >= beyondLargest) return static_cast<std::uint16_t>(sign | 0x7c00u);
  constexpr float leastNormal = 6.103515625e-05F;
  if (size < leastNormal) {
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 24))));
  }
  const std::uint32_t whole = bits & 0x7fffffffu;
  const std::uint32_t rounded = whole + 0xfffu + ((whole >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float numberAt(const std::byte* data, std::uint64_t index, LibraryType type) {
  switch (type) {
    case LibraryType::float16:
      return halfToFloat(load<std::uint16_t>(data, index));
    case LibraryType::bfloat16:
      return floatOf(static_cast<std::uint32_t>(load<std::uint16_t>(data, index)) << 16);
    default:
      return load<float>(data, index);
  }
}

void storeNumber(std::byte* data, std::uint64_t index, LibraryType type, float value) {
  switch (type) {
    case LibraryType::float16:
      return store(data, index, floatToHalf(value));
    case LibraryType::bfloat16:
      return store(data, index, floatToBfloat(value));
    default:
      return store(data, index, value);
  }
}

}  // namespace copyscope
