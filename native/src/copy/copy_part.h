// A part of a multi-tensor copy in a stream: a copy between addresses, or a kernel that copies many small pieces.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "copy/copy_device.h"
#include "executor/program.h"

namespace copyscope {

struct CopyPart {
  std::int32_t op = -1;
  std::int32_t stream = -1;
  std::uint64_t bytes = 0;
  Memory src = Memory::none;
  Memory dst = Memory::none;
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  /// Pieces of a kernel, a batch or a pitched copy; null for a copy. Their addresses are relative to `source` and `target`.
  const copy::Piece* pieces = nullptr;
  std::size_t pieceCount = 0;
  bool isBatch = false;
  /// Whether the pieces are rows at equal distances, copied by one call.
  bool isPitched = false;
  /// Share of the multiprocessors that a kernel fills; at 1 a block for each piece.
  double share = 1;

  bool isKernel() const { return pieces != nullptr && !isBatch && !isPitched; }
};

/// Instructions that represent parts in queues and records. Equal parts share one, so that a steady state makes none.
class PartInstructions {
 public:
  const Instruction& of(const CopyPart& part) {
    const Key key{part.op, part.stream, part.bytes, part.src, part.dst, part.isKernel()};
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Instruction>& made = made_[key];
    if (made == nullptr) made = std::make_unique<Instruction>(instructionOf(part));
    return *made;
  }

  /// A wait of the stream for a place in another one, which leaves no record.
  const Instruction& waitIn(std::int32_t stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Instruction>& made = waits_[stream];
    if (made == nullptr) {
      made = std::make_unique<Instruction>();
      made->code = Code::waitEvent;
      made->stream = stream;
    }
    return *made;
  }

 private:
  using Key = std::tuple<std::int32_t, std::int32_t, std::uint64_t, Memory, Memory, bool>;

  static Instruction instructionOf(const CopyPart& part) {
    Instruction instruction;
    instruction.code = part.isKernel() ? Code::stream : Code::copy;
    instruction.op = part.op;
    instruction.stream = part.stream;
    instruction.bytes = part.bytes;
    instruction.srcMemory = part.src;
    instruction.dstMemory = part.dst;
    return instruction;
  }

  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Instruction>> made_;
  std::map<std::int32_t, std::unique_ptr<Instruction>> waits_;
};

}  // namespace copyscope
