#include "cpu/library_loops.h"

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "executor/library_numbers.h"

namespace copyscope {
namespace {

using Complex = std::complex<double>;

constexpr double tau = 6.283185307179586476925286766559;

/// Returns the rotations by 0, 1/size, 2/size… of a circle, clockwise.
std::vector<Complex> turnsOf(std::size_t size) {
  std::vector<Complex> turns(size);
  for (std::size_t at = 0; at < size; ++at) {
    turns[at] = std::polar(1.0, -tau * static_cast<double>(at) / static_cast<double>(size));
  }
  return turns;
}

bool isPowerOfTwo(std::size_t size) { return (size & (size - 1)) == 0; }

/// Cooley and Tukey's algorithm, in place.
void transformFast(std::vector<Complex>& values, const std::vector<Complex>& turns) {
  const std::size_t size = values.size();
  for (std::size_t at = 1, mirrored = 0; at < size; ++at) {
    std::size_t bit = size >> 1;
    for (; (mirrored & bit) != 0; bit >>= 1) mirrored ^= bit;
    mirrored ^= bit;
    if (at < mirrored) std::swap(values[at], values[mirrored]);
  }
  for (std::size_t length = 2; length <= size; length *= 2) {
    const std::size_t step = size / length;
    for (std::size_t from = 0; from < size; from += length) {
      for (std::size_t at = 0; at < length / 2; ++at) {
        const Complex odd = values[from + at + length / 2] * turns[at * step];
        const Complex even = values[from + at];
        values[from + at] = even + odd;
        values[from + at + length / 2] = even - odd;
      }
    }
  }
}

/// Transforms by the definition.
void transformSlowly(std::vector<Complex>& values, const std::vector<Complex>& turns, const Stop& stop) {
  const std::size_t size = values.size();
  std::vector<Complex> sums(size);
  for (std::size_t bin = 0; bin < size && !stop.requested(); ++bin) {
    std::size_t turn = 0;
    for (std::size_t at = 0; at < size; ++at) {
      sums[bin] += values[at] * turns[turn];
      turn = (turn + bin) % size;
    }
  }
  values = std::move(sums);
}

}  // namespace

void multiplyMatrices(const LibraryCall& call, const std::byte* first, const std::byte* second, std::byte* product,
                      const Stop& stop) {
  const auto rows = static_cast<std::size_t>(call.m);
  const auto columns = static_cast<std::size_t>(call.n);
  const auto depth = static_cast<std::size_t>(call.k);
  std::vector<float> factor(depth * columns);
  for (std::size_t at = 0; at < factor.size(); ++at) factor[at] = numberAt(second, at, call.type);
  std::vector<float> sums(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    sums.assign(columns, 0);
    for (std::size_t at = 0; at < depth; ++at) {
      if (stop.requested()) return;
      const float value = numberAt(first, row * depth + at, call.type);
      const float* const other = factor.data() + at * columns;
      for (std::size_t column = 0; column < columns; ++column) sums[column] += value * other[column];
    }
    for (std::size_t column = 0; column < columns; ++column) {
      storeNumber(product, row * columns + column, call.type, sums[column]);
    }
  }
}

void transformAll(const LibraryCall& call, const std::byte* input, std::byte* output, const Stop& stop) {
  const auto size = static_cast<std::size_t>(call.m);
  const std::vector<Complex> turns = turnsOf(size);
  std::vector<Complex> values(size);
  for (std::size_t transform = 0; transform < static_cast<std::size_t>(call.n) && !stop.requested(); ++transform) {
    const std::uint64_t from = 2 * transform * size;
    for (std::size_t at = 0; at < size; ++at) {
      values[at] = {numberAt(input, from + 2 * at, call.type), numberAt(input, from + 2 * at + 1, call.type)};
    }
    if (isPowerOfTwo(size)) {
      transformFast(values, turns);
    } else {
      transformSlowly(values, turns, stop);
    }
    for (std::size_t at = 0; at < size; ++at) {
      storeNumber(output, from + 2 * at, call.type, static_cast<float>(values[at].real()));
      storeNumber(output, from + 2 * at + 1, call.type, static_cast<float>(values[at].imag()));
    }
  }
}

}  // namespace copyscope
