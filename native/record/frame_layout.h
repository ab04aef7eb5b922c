// Where a thread's Python frames lie in memory. A thread that is in a call of CUDA stands still in its Python code: nobody
// else changes its frames, so they can be read without the GIL by who knows where they lie. That differs from version to
// version of Python, so it is not assumed: it is found by comparing memory with what the interpreter's own functions say, and
// proven on several stacks before it is used. Whatever contradicts it later ends its use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace copyscope::record {

/// A frame as it lies in memory: its code and the place that it has reached there. Both are numbers to compare, and are not
/// followed.
struct RawFrame {
  std::uintptr_t code;
  std::uintptr_t instruction;
  bool operator==(const RawFrame& other) const { return code == other.code && instruction == other.instruction; }
};

/// A frame as the interpreter's functions tell it.
struct ToldFrame {
  /// What the frame's object points to.
  std::uintptr_t frame;
  std::uintptr_t code;
  /// Bytes from the start of the code's instructions.
  int instruction;
};

/// Between two frames of Python there may be one of the interpreter's own.
constexpr std::size_t mostRawFrames = 128;

class FrameLayout {
 public:
  bool isProven() const { return proofs_.load(std::memory_order_acquire) >= enoughProofs; }
  /// Frames of the calling thread, innermost first. Only where the layout is proven.
  std::size_t read(const void* thread, RawFrame* into) const;
  /// Finds the layout, or holds it against what the interpreter says of the calling thread; true where `into` has the
  /// thread's frames and they agree. With the GIL held, by one at a time.
  /// `version` is the interpreter's, as Py_Version has it.
  bool compare(const void* thread, const ToldFrame* told, std::size_t count, unsigned long version, RawFrame* into,
               std::size_t& read);

 private:
  static constexpr int enoughProofs = 8;
  static constexpr int mostTries = 200;

  class Memory;
  bool find(const Memory& memory, std::uintptr_t thread, const ToldFrame* told, std::size_t count,
            unsigned long version);
  bool findCurrent(const Memory& memory, std::uintptr_t thread, std::uintptr_t frame);
  template <typename Word>
  std::size_t walk(std::uintptr_t thread, RawFrame* into, Word word) const;
  bool agrees(const RawFrame* frames, std::size_t read, const ToldFrame* told, std::size_t count) const;

  std::atomic<int> proofs_{0};
  int tries_ = 0;
  bool isFound_ = false;
  bool isRefuted_ = false;
  /// Bytes from the thread's state to the pointer to its frame, or to a pointer behind which that pointer stands.
  std::size_t current_ = 0;
  bool isCurrentBehind_ = false;
  std::size_t currentBehind_ = 0;
  /// Bytes from a frame's start.
  std::size_t previous_ = 0;
  std::size_t code_ = 0;
  std::size_t instruction_ = 0;
  /// From a code's start to its first instruction.
  std::intptr_t firstInstruction_ = 0;
};

}  // namespace copyscope::record
