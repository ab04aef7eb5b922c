// The place of a thread's Python frames in memory. A thread in a CUDA call doesn't move in its Python code, and nobody
// else changes its frames, so they can be read without the GIL if their place is known. The place differs between
// versions of Python. It is found by comparing memory with the results of the interpreter's own functions, and verified
// on several stacks before it is used. A later contradiction ends its use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace copyscope::record {

/// A frame in memory: its code and its current instruction. Both are numbers to compare, and are not dereferenced.
struct RawFrame {
  std::uintptr_t code;
  std::uintptr_t instruction;
  bool operator==(const RawFrame& other) const { return code == other.code && instruction == other.instruction; }
};

/// A frame as reported by the interpreter's functions.
struct ToldFrame {
  /// Target of the frame object's pointer.
  std::uintptr_t frame;
  std::uintptr_t code;
  /// Bytes from the start of the code's instructions.
  int instruction;
};

/// Between two Python frames there may be one of the interpreter's own.
constexpr std::size_t mostRawFrames = 128;

class FrameLayout {
 public:
  bool isProven() const { return proofs_.load(std::memory_order_acquire) >= enoughProofs; }
  /// Reads frames of the calling thread, innermost first. Only if the layout is proven.
  std::size_t read(const void* thread, RawFrame* into) const;
  /// Finds the layout, or checks it against the interpreter's report of the calling thread. Returns true if `into` has
  /// the thread's frames and they agree. Needs the GIL, one caller at a time. `version` is that of Py_Version.
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
  /// Bytes from the thread's state to the pointer to its frame, or to a pointer to a structure with that pointer.
  std::size_t current_ = 0;
  bool isCurrentBehind_ = false;
  std::size_t currentBehind_ = 0;
  /// Bytes from a frame's start.
  std::size_t previous_ = 0;
  std::size_t code_ = 0;
  std::size_t instruction_ = 0;
  /// Bytes from a code's start to its first instruction.
  std::intptr_t firstInstruction_ = 0;
};

}  // namespace copyscope::record
