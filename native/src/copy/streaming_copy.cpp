#include "copy/streaming_copy.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#define COPYSCOPE_STREAMS
#include <emmintrin.h>
#endif

namespace copyscope::copy {

#ifdef COPYSCOPE_STREAMS

namespace {

/// Bytes of one store, to which its target is aligned, and of a cache line, which is written out when it is full.
constexpr std::size_t storeBytes = sizeof(__m128i);
constexpr std::size_t lineBytes = 64;
/// Less than this fills few whole lines.
constexpr std::size_t leastBytes = 512;

void streamLine(std::byte* target, const std::byte* source) noexcept {
  auto* const to = reinterpret_cast<__m128i*>(target);
  const auto* const from = reinterpret_cast<const __m128i*>(source);
  const __m128i first = _mm_loadu_si128(from);
  const __m128i second = _mm_loadu_si128(from + 1);
  const __m128i third = _mm_loadu_si128(from + 2);
  const __m128i fourth = _mm_loadu_si128(from + 3);
  _mm_stream_si128(to, first);
  _mm_stream_si128(to + 1, second);
  _mm_stream_si128(to + 2, third);
  _mm_stream_si128(to + 3, fourth);
}

}  // namespace

void copyStreaming(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes < leastBytes) {
    if (bytes > 0) std::memcpy(target, source, bytes);
    return;
  }
  std::size_t done = (storeBytes - reinterpret_cast<std::uintptr_t>(target) % storeBytes) % storeBytes;
  std::memcpy(target, source, done);
  for (; done + lineBytes <= bytes; done += lineBytes) streamLine(target + done, source + done);
  for (; done + storeBytes <= bytes; done += storeBytes) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + done),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + done)));
  }
  std::memcpy(target + done, source + done, bytes - done);
}

void finishStreaming() noexcept { _mm_sfence(); }

#else

void copyStreaming(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes > 0) std::memcpy(target, source, bytes);
}

void finishStreaming() noexcept {}

#endif

}  // namespace copyscope::copy
