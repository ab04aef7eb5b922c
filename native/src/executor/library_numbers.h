// The numbers of cuBLAS and cuFFT kernels as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/layout.h"

namespace copyscope {

/// Includes both parts of a complex number.
inline std::uint64_t bytesOfNumber(LibraryType type) {
  switch (type) {
    case LibraryType::float32:
      return 4;
    case LibraryType::complex64:
      return 8;
    default:
      return 2;
  }
}

/// Returns number `index` of an array; each part of a complex number counts.
float numberAt(const std::byte* data, std::uint64_t index, LibraryType type);
/// Rounds to the nearest, ties to even.
void storeNumber(std::byte* data, std::uint64_t index, LibraryType type, float value);

/// Converts the 16 bits of a half-precision number.
float halfToFloat(std::uint16_t bits);
std::uint16_t floatToHalf(float value);

}  // namespace copyscope
