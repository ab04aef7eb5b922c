#include "frame_layout.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace copyscope::record {
namespace {

constexpr std::size_t wordBytes = sizeof(std::uintptr_t);
constexpr std::size_t threadWords = 64;
constexpr std::size_t frameWords = 12;
constexpr std::size_t mostCompared = 8;
/// From 3.14 on a pointer's lowest bits encode its reference counting.
constexpr std::uintptr_t pointerBits = ~std::uintptr_t{7};

}  // namespace

/// Memory that may not exist: the kernel reads it, and reports errors.
class FrameLayout::Memory {
 public:
  Memory() {
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Memory() {
    if (ends_[0] < 0) return;
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  bool read(std::uintptr_t from, void* into, std::size_t bytes) const {
    if (ends_[0] < 0) return false;
    // Not through the C library's write(), which a sanitizer watches.
    const long written = syscall(SYS_write, ends_[1], from, bytes);
    if (written <= 0) return false;
    return syscall(SYS_read, ends_[0], into, written) == written && static_cast<std::size_t>(written) == bytes;
  }
  /// Returns 0 if it can't be read.
  std::uintptr_t word(std::uintptr_t from) const {
    std::uintptr_t value = 0;
    return from >= 4096 && read(from, &value, wordBytes) ? value : 0;
  }

 private:
  int ends_[2] = {-1, -1};
};

namespace {

/// Indices of words in a frame.
struct Places {
  std::size_t code;
  std::size_t previous;
  std::size_t instruction;
};

/// Sets the places in versions with known frames, 3.11 to 3.13. They are verified all the same.
bool knownPlaces(unsigned long version, Places& places) {
  switch (version >> 16) {
    case 0x030b:
      places = {4, 6, 7};
      return true;
    case 0x030c:
    case 0x030d:
      places = {0, 1, 7};
      return true;
    default:
      return false;
  }
}

using FrameWords = std::array<std::uintptr_t, frameWords>;

/// Returns the first index for which `holds(frame, index)` is true for all frames, or frameWords.
template <typename Holds>
std::size_t wordWhere(std::size_t count, Holds holds) {
  for (std::size_t index = 0; index < frameWords; ++index) {
    std::size_t frame = 0;
    while (frame < count && holds(frame, index)) ++frame;
    if (frame == count) return index;
  }
  return frameWords;
}

/// Frames of one code alone could agree by chance.
bool areOfSeveralCodes(const ToldFrame* told, std::size_t count) {
  return std::any_of(told, told + count, [&](const ToldFrame& frame) { return frame.code != told[0].code; });
}

}  // namespace

bool FrameLayout::find(const Memory& memory, std::uintptr_t thread, const ToldFrame* told, std::size_t count,
                       unsigned long version) {
  const std::size_t compared = std::min(count, mostCompared);
  std::array<FrameWords, mostCompared> frames{};
  for (std::size_t frame = 0; frame < compared; ++frame) {
    if (!memory.read(told[frame].frame, frames[frame].data(), sizeof frames[frame])) return false;
  }
  const auto startOf = [&](std::size_t frame, std::uintptr_t word) {
    return static_cast<std::intptr_t>(word - told[frame].code) - told[frame].instruction;
  };
  Places places{};
  if (!knownPlaces(version, places)) {
    if (!areOfSeveralCodes(told, compared)) return false;
    const auto isCode = [&](std::size_t frame, std::size_t index) {
      return (frames[frame][index] & pointerBits) == told[frame].code;
    };
    const auto isInstruction = [&](std::size_t frame, std::size_t index) {
      const std::intptr_t start = startOf(frame, frames[frame][index]);
      return start > 0 && start < 4096 && start == startOf(0, frames[0][index]);
    };
    const auto leadsToNext = [&](std::size_t frame, std::size_t index) {
      const std::uintptr_t next = told[frame + 1].frame;
      std::uintptr_t word = frames[frame][index];
      for (int hops = 0; hops < 3 && word != next; ++hops) word = memory.word(word + index * wordBytes);
      return word == next;
    };
    places = {wordWhere(compared, isCode), wordWhere(compared - 1, leadsToNext), wordWhere(compared, isInstruction)};
  }
  const auto& [code, previous, instruction] = places;
  if (code == frameWords || previous == frameWords || instruction == frameWords) return false;
  code_ = code * wordBytes;
  previous_ = previous * wordBytes;
  instruction_ = instruction * wordBytes;
  firstInstruction_ = startOf(0, frames[0][instruction]);
  return findCurrent(memory, thread, told[0].frame);
}

bool FrameLayout::findCurrent(const Memory& memory, std::uintptr_t thread, std::uintptr_t frame) {
  std::array<std::uintptr_t, threadWords> words{};
  if (!memory.read(thread, words.data(), sizeof words)) return false;
  for (std::size_t index = 0; index < threadWords; ++index) {
    if (words[index] != frame) continue;
    current_ = index * wordBytes;
    isCurrentBehind_ = false;
    return true;
  }
  for (std::size_t index = 0; index < threadWords; ++index) {
    for (std::size_t behind = 0; behind < 2; ++behind) {
      if (words[index] % wordBytes != 0 || memory.word(words[index] + behind * wordBytes) != frame) continue;
      current_ = index * wordBytes;
      isCurrentBehind_ = true;
      currentBehind_ = behind * wordBytes;
      return true;
    }
  }
  return false;
}

template <typename Word>
std::size_t FrameLayout::walk(std::uintptr_t thread, RawFrame* into, Word word) const {
  std::uintptr_t frame = word(thread + current_);
  if (isCurrentBehind_) frame = frame == 0 ? 0 : word(frame + currentBehind_);
  std::size_t count = 0;
  for (; frame != 0 && count < mostRawFrames; ++count) {
    into[count] = {word(frame + code_), word(frame + instruction_)};
    frame = word(frame + previous_);
  }
  return count;
}

std::size_t FrameLayout::read(const void* thread, RawFrame* into) const {
  return walk(reinterpret_cast<std::uintptr_t>(thread), into, [](std::uintptr_t at) {
    std::uintptr_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(at), wordBytes);
    return word;
  });
}

/// Skips the interpreter's own frames, which its functions don't report.
bool FrameLayout::agrees(const RawFrame* frames, std::size_t read, const ToldFrame* told, std::size_t count) const {
  std::size_t next = 0;
  for (std::size_t index = 0; index < read && next < count; ++index) {
    const auto& [code, instruction] = frames[index];
    const auto& [frame, toldCode, toldInstruction] = told[next];
    if ((code & pointerBits) != toldCode) continue;
    if (static_cast<std::intptr_t>(instruction - toldCode) - toldInstruction != firstInstruction_) return false;
    ++next;
  }
  return next == count && read <= 2 * count + 2;
}

bool FrameLayout::compare(const void* thread, const ToldFrame* told, std::size_t count, unsigned long version,
                          RawFrame* into, std::size_t& read) {
  if (isRefuted_ || count == 0) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(thread);
  if (isProven()) {
    read = this->read(thread, into);
  } else {
    const Memory memory;
    if (!isFound_) {
      isRefuted_ = ++tries_ >= mostTries;
      isFound_ = find(memory, at, told, count, version);
      if (!isFound_) return false;
    }
    read = walk(at, into, [&](std::uintptr_t from) { return memory.word(from); });
  }
  if (agrees(into, read, told, count)) {
    if (!isProven()) proofs_.fetch_add(1, std::memory_order_release);
    return true;
  }
  // A layout found by chance is searched again. A proven one that failed is not used any more.
  isRefuted_ = isRefuted_ || isProven();
  isFound_ = false;
  proofs_.store(0, std::memory_order_release);
  return false;
}

}  // namespace copyscope::record
