// The program as the executor runs it: indices instead of ids, repeats as loops (core/program/program.ts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pattern.h"

namespace copyscope {

enum class Code : std::uint8_t {
  work,
  write,
  read,
  copy,
  spin,
  stream,
  recordEvent,
  waitEvent,
  synchronizeStream,
  synchronizeEvent,
  synchronizeDevice,
  queryStream,
  queryEvent,
  repeat,
  endRepeat,
  beginRange,
  endRange,
};
constexpr int codeCount = static_cast<int>(Code::endRange) + 1;

enum class Memory : std::uint8_t { none, pageable, pinned, device, unknown };
enum class StreamKind : std::uint8_t { legacyDefault, perThreadDefault, blocking, nonBlocking };

struct Buffer {
  std::string id;
  Memory memory = Memory::pageable;
  std::uint64_t bytes = 0;
  Content pattern;
  /// Something in the program writes it, so its pattern is restored before each iteration.
  bool written = false;
};

struct Stream {
  std::string id;
  StreamKind kind = StreamKind::nonBlocking;
  /// Host thread whose default stream this is; -1 otherwise.
  std::int32_t thread = -1;
};

/// Fields that a code has no use for are left as they are here.
struct Instruction {
  Code code = Code::work;
  bool blocking = false;
  std::int32_t op = -1;
  std::int32_t stream = -1;
  std::int32_t event = -1;
  /// Index of the matching endRepeat of a repeat, and of the matching repeat of an endRepeat.
  std::int32_t jump = -1;
  std::int32_t src = -1;
  std::int32_t dst = -1;
  std::uint64_t srcOffset = 0;
  std::uint64_t dstOffset = 0;
  std::uint64_t bytes = 0;
  /// Nanoseconds of work and spin, passes of a stream kernel, rounds of a repeat.
  std::int64_t amount = 0;
  Content content;
};

struct Expectation {
  std::int32_t buffer = -1;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  Content content;
};

struct Program {
  /// Position of the device among those visible.
  std::int32_t device = 0;
  std::int32_t iterations = 1;
  std::int32_t warmups = 0;
  std::vector<Buffer> buffers;
  std::vector<Stream> streams;
  /// Whether each event takes times.
  std::vector<bool> events;
  std::vector<std::vector<Instruction>> threads;
  std::vector<Expectation> expectations;
};

inline bool isDevice(const Buffer& buffer) { return buffer.memory == Memory::device; }

/// Instructions that put work into a stream which takes time on the device.
inline bool isDeviceWork(Code code) { return code == Code::copy || code == Code::spin || code == Code::stream; }

inline bool takesStream(Code code) {
  return isDeviceWork(code) || code == Code::recordEvent || code == Code::waitEvent;
}

}  // namespace copyscope
