#include "executor/host_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(_M_X64)
#define COPYSCOPE_FLUSHES
#include <emmintrin.h>
#endif

#include "executor/failure.h"

namespace copyscope {
namespace {

constexpr std::uint64_t pageBytes = 4096;
constexpr std::uint64_t bytesPerThread = 4u << 20;
constexpr unsigned mostThreads = 16;
constexpr std::uint64_t lineBytes = 64;
/// More than any processor's own cache (2 MiB in those of H200 machines).
constexpr std::uint64_t mostKeptBytes = 4u << 20;

Content shifted(Content content, std::uint64_t bytes) {
  content.offset += bytes;
  return content;
}

/// Returns the bytes until the content reaches a word's start.
std::uint64_t headBytes(const Content& content, std::uint64_t bytes) {
  return std::min<std::uint64_t>(bytes, (4 - content.offset % 4) % 4);
}

/// Splits a region into parts that start on a page, and calls `work(part, from, length)` for each in its own thread.
template <typename Work>
void inParallel(std::uint64_t bytes, unsigned parts, const Work& work) {
  const std::uint64_t share = (bytes / parts + pageBytes) / pageBytes * pageBytes;
  std::vector<std::thread> threads;
  for (unsigned part = 0; part < parts; ++part) {
    const std::uint64_t from = std::min(bytes, share * part);
    const std::uint64_t length = std::min(bytes, from + share) - from;
    if (length > 0) threads.emplace_back([&work, part, from, length] { work(part, from, length); });
  }
  for (std::thread& thread : threads) thread.join();
}

unsigned partsFor(std::uint64_t bytes) {
  const unsigned cores = std::max(1u, std::min(mostThreads, std::thread::hardware_concurrency()));
  return static_cast<unsigned>(std::max<std::uint64_t>(1, std::min<std::uint64_t>(cores, bytes / bytesPerThread)));
}

template <typename Write>
void fillWith(std::byte* target, std::uint64_t bytes, const Content& content, const Write& write) {
  const unsigned parts = partsFor(bytes);
  if (parts == 1) return write(target, bytes, content);
  inParallel(bytes, parts, [&](unsigned, std::uint64_t from, std::uint64_t length) {
    write(target + from, length, shifted(content, from));
  });
}

/// Writes the content, and flushes its end, which a processor may still have in its own cache.
void writeAndFlush(std::byte* target, std::uint64_t bytes, const Content& content) {
  writeContent(target, bytes, content);
#ifdef COPYSCOPE_FLUSHES
  const std::uint64_t kept = std::min(bytes, mostKeptBytes);
  if (kept == 0) return;
  for (std::uint64_t at = bytes - kept; at < bytes; at += lineBytes) _mm_clflush(target + at);
  _mm_clflush(target + bytes - 1);
  _mm_mfence();
#endif
}

/// Returns the number after `key` in a file of "key value" lines; 0 if there is none.
std::uint64_t numberFrom(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t value = 0;
    if (word == key && file >> value) return value;
  }
  return 0;
}

std::uint64_t firstNumber(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : 0;
}

/// Returns the memory left in the control group (version 2), counting file cache as free; 0 without a limit.
std::uint64_t availableInControlGroup() {
  const std::uint64_t most = firstNumber("/sys/fs/cgroup/memory.max");
  if (most == 0) return 0;
  const std::uint64_t used = firstNumber("/sys/fs/cgroup/memory.current");
  const std::uint64_t cache = numberFrom("/sys/fs/cgroup/memory.stat", "inactive_file");
  const std::uint64_t held = used > cache ? used - cache : 0;
  return most > held ? most - held : 1;
}

/// Returns "512M" as bytes; K, M and G are binary.
std::uint64_t readBytes(const std::string& text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
  const std::string units = "KMG";
  const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
  constexpr std::size_t mostDigits = 15;
  const bool isNumber = digits != 0 && text.size() - unit.size() <= mostDigits;
  if (!isNumber || unit.size() > 1 || power > units.size() || (!unit.empty() && power == 0)) {
    throw Failure("run.pinned-budget", "COPYSCOPE_PINNED_BUDGET is " + text.substr(0, 40) + ", which is no number of bytes.",
                  "Set it to a number of bytes, as 8G or 512M, or leave it out.", "COPYSCOPE_PINNED_BUDGET");
  }
  return std::stoull(text) << (10 * power);
}

}  // namespace

void FreePages::operator()(std::byte* pointer) const noexcept {
#ifdef _WIN32
  _aligned_free(pointer);
#else
  std::free(pointer);
#endif
}

Pages allocatePages(std::uint64_t bytes) noexcept {
  const std::uint64_t whole = (std::max<std::uint64_t>(bytes, 1) + pageBytes - 1) / pageBytes * pageBytes;
#ifdef _WIN32
  return Pages(static_cast<std::byte*>(_aligned_malloc(whole, pageBytes)));
#else
  return Pages(static_cast<std::byte*>(std::aligned_alloc(pageBytes, whole)));
#endif
}

void writeContent(std::byte* target, std::uint64_t bytes, const Content& content) {
  std::uint64_t at = 0;
  for (const std::uint64_t head = headBytes(content, bytes); at < head; ++at) {
    target[at] = static_cast<std::byte>(contentByte(content, at));
  }
  for (std::uint64_t word = (content.offset + at) / 4; at + 4 <= bytes; at += 4, ++word) {
    const std::uint32_t value = contentWord(content, word);
    std::memcpy(target + at, &value, 4);
  }
  for (; at < bytes; ++at) target[at] = static_cast<std::byte>(contentByte(content, at));
}

Comparison compareContent(const std::byte* data, std::uint64_t bytes, const Content& content) {
  Comparison result;
  result.checked = bytes;
  const auto compareByte = [&](std::uint64_t at) {
    if (data[at] == static_cast<std::byte>(contentByte(content, at))) return;
    if (result.wrong == 0) result.firstWrong = at;
    ++result.wrong;
  };
  std::uint64_t at = 0;
  for (const std::uint64_t head = headBytes(content, bytes); at < head; ++at) compareByte(at);
  for (std::uint64_t word = (content.offset + at) / 4; at + 4 <= bytes; at += 4, ++word) {
    const std::uint32_t expected = contentWord(content, word);
    if (std::memcmp(data + at, &expected, 4) == 0) continue;
    for (std::uint64_t byte = at; byte < at + 4; ++byte) compareByte(byte);
  }
  for (; at < bytes; ++at) compareByte(at);
  return result;
}

void fillInParallel(std::byte* target, std::uint64_t bytes, const Content& content) {
  fillWith(target, bytes, content, writeContent);
}

void fillAndFlush(std::byte* target, std::uint64_t bytes, const Content& content) {
  fillWith(target, bytes, content, writeAndFlush);
}

Comparison compareInParallel(const std::byte* data, std::uint64_t bytes, const Content& content) {
  const unsigned parts = partsFor(bytes);
  if (parts == 1) return compareContent(data, bytes, content);
  std::vector<Comparison> found(parts);
  inParallel(bytes, parts, [&](unsigned part, std::uint64_t from, std::uint64_t length) {
    found[part] = compareContent(data + from, length, shifted(content, from));
    found[part].firstWrong += from;
  });
  Comparison total;
  for (const Comparison& part : found) {
    if (total.wrong == 0 && part.wrong > 0) total.firstWrong = part.firstWrong;
    total.checked += part.checked;
    total.wrong += part.wrong;
  }
  return total;
}

std::uint64_t availableHostMemory() {
  const std::uint64_t system = numberFrom("/proc/meminfo", "MemAvailable:") * 1024;
  const std::uint64_t group = availableInControlGroup();
  if (group == 0) return system;
  return system == 0 ? group : std::min(system, group);
}

std::uint64_t pinnedBudget() {
  const char* const asked = std::getenv("COPYSCOPE_PINNED_BUDGET");
  if (asked != nullptr && *asked != '\0') return readBytes(asked);
  constexpr std::uint64_t whereUnknown = 4ull << 30;
  const std::uint64_t available = availableHostMemory();
  return available == 0 ? whereUnknown : available / 2;
}

}  // namespace copyscope
