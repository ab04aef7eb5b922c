// The numbers that kernels of cuBLAS and cuFFT work on, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout.h"

namespace copyscope {

/// Of a complex number both parts.
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

/// Number `index` of an array, of complex ones counting each part.
float numberAt(const std::byte* data, std::uint64_t index, LibraryType type);
/// Rounds to the nearest, ties to even.
void storeNumber(std::byte* data, std::uint64_t index, LibraryType type, float value);

/// From the 16 bits of a half-precision number, and to them.
float halfToFloat(std::uint16_t bits);
std::uint16_t floatToHalf(float value);

}  // namespace copyscope
