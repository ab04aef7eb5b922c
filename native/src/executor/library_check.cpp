#include "executor/library_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "executor/library_numbers.h"

namespace copyscope {
namespace {

/// Limit of multiply-adds in a check.
constexpr double budget = 3e8;
constexpr std::uint64_t leastChecked = 16;
constexpr double tau = 6.283185307179586476925286766559;

/// Numbers of an operand, computed from its content.
class Operand {
 public:
  Operand(const Content& content, LibraryType type) : content_(content), type_(type) {}

  double operator()(std::uint64_t index) const {
    const bool isWide = type_ == LibraryType::float32 || type_ == LibraryType::complex64;
    const std::uint64_t first = content_.offset / 4;
    const std::uint32_t word = contentWord(content_, first + (isWide ? index : index / 2));
    return numberAt(reinterpret_cast<const std::byte*>(&word), isWide ? 0 : index % 2, type_);
  }

 private:
  const Content content_;
  const LibraryType type_;
};

/// Returns the allowed error of this type: `sum` of the products' sizes, `depth` of them, `value` as expected.
double tolerance(const LibraryCall& call, double sum, double depth, double value) {
  // Rounding errors of a sum grow with the root of its length; a product of TF32 has each factor cut to 10 bits.
  const double adding = sum * std::ldexp(1.0, -23) * (4 * std::sqrt(depth) + 16);
  switch (call.type) {
    case LibraryType::float16:
      return adding + std::fabs(value) * std::ldexp(1.0, -10) + std::ldexp(1.0, -24);
    case LibraryType::bfloat16:
      return adding + std::fabs(value) * std::ldexp(1.0, -7);
    default:
      return adding + (call.tf32 ? sum * std::ldexp(1.0, -9) : 0);
  }
}

class Checking {
 public:
  Checking(LibraryType type, const std::byte* data) : type_(type), data_(data) {}

  void number(std::uint64_t index, double wanted, double allowed) {
    const std::uint64_t bytes = type_ == LibraryType::complex64 ? 4 : bytesOfNumber(type_);
    const double found = numberAt(data_, index, type_);
    comparison_.checked += bytes;
    if (std::fabs(found - wanted) <= allowed) return;  // False for NaN.
    comparison_.firstWrong = comparison_.wrong == 0 ? index * bytes : std::min(comparison_.firstWrong, index * bytes);
    comparison_.wrong += bytes;
  }

  const Comparison& comparison() const { return comparison_; }

 private:
  const LibraryType type_;
  const std::byte* const data_;
  Comparison comparison_;
};

/// Calls `check` for all numbers, or for as many as the budget allows, spread over them.
template <typename Check>
void eachChecked(std::uint64_t numbers, double costOfOne, const Check& check) {
  const auto affordable = static_cast<std::uint64_t>(std::max(1.0, budget / costOfOne));
  const std::uint64_t wanted = std::min(numbers, std::max(affordable, leastChecked));
  if (wanted == numbers) {
    for (std::uint64_t index = 0; index < numbers; ++index) check(index);
    return;
  }
  // Checks the first, the last, and numbers at an odd step, which has no factor in common with powers of two.
  check(0);
  check(numbers - 1);
  const std::uint64_t step = (numbers / wanted) | 1;
  for (std::uint64_t index = step; index < numbers - 1; index += step) check(index);
}

Comparison compareProduct(const LibraryCall& call, const LibraryResult& result, const std::byte* data) {
  const Operand first(result.first, call.type);
  const Operand second(result.second, call.type);
  const auto columns = static_cast<std::uint64_t>(call.n);
  const auto depth = static_cast<std::uint64_t>(call.k);
  Checking checking(call.type, data);
  // Both factors are computed word by word, which costs about ten multiply-adds.
  eachChecked(static_cast<std::uint64_t>(call.m) * columns, 20.0 * static_cast<double>(depth), [&](std::uint64_t index) {
    double value = 0;
    double sum = 0;
    for (std::uint64_t at = 0; at < depth; ++at) {
      const double product = first(index / columns * depth + at) * second(at * columns + index % columns);
      value += product;
      sum += std::fabs(product);
    }
    checking.number(index, value, tolerance(call, sum, static_cast<double>(depth), value));
  });
  return checking.comparison();
}

/// Computes one number of a transform by its definition. Recomputes the rotation at intervals to bound its error.
std::complex<double> binOf(const Operand& input, std::uint64_t from, std::uint64_t size, std::uint64_t bin) {
  constexpr std::uint64_t run = 1024;
  const double angle = -tau * static_cast<double>(bin) / static_cast<double>(size);
  const std::complex<double> turn = std::polar(1.0, angle);
  std::complex<double> sum = 0;
  std::complex<double> now = 1;
  for (std::uint64_t at = 0; at < size; ++at) {
    if (at % run == 0) now = std::polar(1.0, -tau * static_cast<double>((bin * at) % size) / static_cast<double>(size));
    sum += std::complex<double>(input(2 * (from + at)), input(2 * (from + at) + 1)) * now;
    now *= turn;
  }
  return sum;
}

/// Errors of a fast transform grow with its number of steps, relative to the size of the whole sum.
Comparison compareTransforms(const LibraryCall& call, const LibraryResult& result, const std::byte* data) {
  const Operand input(result.first, call.type);
  const auto size = static_cast<std::uint64_t>(call.m);
  const double allowed =
      std::ldexp(1.0, -23) * 8 * (std::log2(static_cast<double>(size)) + 2) * std::sqrt(static_cast<double>(size));
  Checking checking(call.type, data);
  eachChecked(size * static_cast<std::uint64_t>(call.n), 30.0 * static_cast<double>(size), [&](std::uint64_t index) {
    const std::complex<double> wanted = binOf(input, index / size * size, size, index % size);
    checking.number(2 * index, wanted.real(), allowed);
    checking.number(2 * index + 1, wanted.imag(), allowed);
  });
  return checking.comparison();
}

}  // namespace

Comparison compareResult(const LibraryCall& call, const LibraryResult& result, const std::byte* data) {
  return call.isTransform() ? compareTransforms(call, result, data) : compareProduct(call, result, data);
}

}  // namespace copyscope
