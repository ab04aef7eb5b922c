// The program as the executor runs it: indices instead of ids, repeats as loops (core/program/program.ts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "copy/copy_device.h"
#include "copy/copy_options.h"
#include "executor/layout.h"
#include "executor/pattern.h"

namespace copyscope {

struct Buffer {
  std::string id;
  Memory memory = Memory::pageable;
  std::uint64_t bytes = 0;
  Content pattern;
  /// True if the program writes it, so that its pattern is restored before each iteration.
  bool written = false;
  /// Index into Program::devices; 0 for host memory.
  std::int32_t device = 0;
  /// True if an allocate or pin instruction makes it; before that it has no address.
  bool byOperation = false;
};

struct Stream {
  std::string id;
  StreamKind kind = StreamKind::nonBlocking;
  /// Host thread of this default stream; -1 for other streams.
  std::int32_t thread = -1;
  std::int32_t device = 0;
  /// CUDA's priority: lower is more urgent.
  std::int32_t priority = 0;
};

/// A counting signal between host threads.
struct Signal {
  std::string id;
  std::int64_t capacity = 1;
};

/// Fields that a code doesn't use keep these values.
struct Instruction {
  Code code = Code::work;
  /// A cudaMemcpy; of a block copy, one cudaMemcpyBatchAsync instead of a kernel.
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
  /// Nanoseconds of work, spin and host function, and of PyTorch before each call of a multi-tensor loop, passes of a
  /// stream kernel, operations of an arithmetic one, rounds of a repeat, the byte of a memset, the Allocator of an
  /// allocate and a free, 1 for a pitched block copy or a prefetch to the device, the number of an advice.
  std::int64_t amount = 0;
  Content content;
  /// A signal, graph, multi-tensor copy, library call or device; the later event of an elapsedTime.
  std::int32_t index = -1;
  /// Share of the device's multiprocessors that a kernel may fill.
  double share = 1;
  /// Memory kinds of a part of a multi-tensor copy, which names no buffers.
  Memory srcMemory = Memory::none;
  Memory dstMemory = Memory::none;
};

/// A call of cuBLAS or cuFFT. For an fft, m is the size and n the batch.
struct LibraryCall {
  LibraryType type = LibraryType::float32;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  bool tf32 = false;
  /// True if a makePlan instruction makes the library's objects; else they are made before the run.
  bool firstUse = false;
  /// Buffer of the second factor; -1 if there is none.
  std::int32_t other = -1;

  bool isTransform() const { return type == LibraryType::complex64; }
};

/// The expected result of a library call, by the content of its operands.
struct LibraryResult {
  std::int32_t call = -1;
  std::int32_t buffer = -1;
  Content first;
  Content second;
};

struct Expectation {
  std::int32_t buffer = -1;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  Content content;
};

struct Program {
  /// Positions of the devices among those that CUDA shows to the process.
  std::vector<std::int32_t> devices{0};
  std::int32_t iterations = 1;
  std::int32_t warmups = 0;
  /// Makes each call that puts work into a stream wait for it, like CUDA_LAUNCH_BLOCKING.
  bool launchBlocking = false;
  bool peerAccess = false;
  /// Bytes that pools keep at a synchronise.
  std::uint64_t poolReleaseThreshold = 0;
  std::vector<Buffer> buffers;
  std::vector<Stream> streams;
  /// For each event, true if it records times.
  std::vector<bool> events;
  std::vector<Signal> signals;
  std::vector<std::string> graphs;
  /// Each is the plan of one multiCopy instruction.
  std::vector<copy::MultiCopyPlan> multiCopies;
  /// Blocks of block copies, with offsets in their buffers as addresses.
  std::vector<std::vector<copy::Piece>> blockTables;
  std::vector<std::vector<Instruction>> threads;
  /// Each thread's current device; 0 beyond the end of the vector.
  std::vector<std::int32_t> threadDevices;
  std::vector<Expectation> expectations;
  std::vector<LibraryCall> libraryCalls;
  std::vector<LibraryResult> results;
};

inline bool isDevice(const Buffer& buffer) { return buffer.memory == Memory::device; }

/// Returns true for host memory that the device reaches without staging.
inline bool isPageLocked(Memory memory) {
  return memory == Memory::pinned || memory == Memory::pinnedWriteCombined || memory == Memory::mapped ||
         memory == Memory::registered;
}

/// Returns true for kernels of cuBLAS and cuFFT.
inline bool isLibraryKernel(Code code) { return code == Code::matmul || code == Code::fft; }

inline bool isKernel(Code code) {
  return code == Code::spin || code == Code::stream || code == Code::arithmetic || isLibraryKernel(code);
}

inline const LibraryCall& libraryCallOf(const Program& program, const Instruction& instruction) {
  return program.libraryCalls[static_cast<std::size_t>(instruction.index)];
}

/// Returns true for instructions whose work in a stream takes time on the device.
inline bool isDeviceWork(Code code) {
  return isKernel(code) || code == Code::copy || code == Code::memset || code == Code::item || code == Code::prefetch;
}

/// Returns true for instructions that put something into a stream.
inline bool takesStream(Code code) {
  return isDeviceWork(code) || code == Code::recordEvent || code == Code::waitEvent || code == Code::hostFunction ||
         code == Code::launchGraph || code == Code::blockCopy;
}

/// Returns the memory kind at either end of an instruction's data.
inline Memory sourceMemory(const Program& program, const Instruction& instruction) {
  if (instruction.src < 0) return instruction.srcMemory;
  return program.buffers[static_cast<std::size_t>(instruction.src)].memory;
}
inline Memory targetMemory(const Program& program, const Instruction& instruction) {
  if (instruction.dst < 0) return instruction.dstMemory;
  return program.buffers[static_cast<std::size_t>(instruction.dst)].memory;
}

/// Returns true for a copy from the memory of one device to that of another.
inline bool isPeerCopy(const Program& program, const Instruction& instruction) {
  if (instruction.code != Code::copy || instruction.src < 0 || instruction.dst < 0) return false;
  const Buffer& src = program.buffers[static_cast<std::size_t>(instruction.src)];
  const Buffer& dst = program.buffers[static_cast<std::size_t>(instruction.dst)];
  return isDevice(src) && isDevice(dst) && src.device != dst.device;
}

/// Returns true if the device's memory must have room for the buffer: pages of managed memory may all move there.
inline bool mayFillDevice(const Buffer& buffer) { return isDevice(buffer) || buffer.memory == Memory::managed; }

inline bool hasPrefetches(const Program& program) {
  for (const auto& thread : program.threads) {
    for (const Instruction& instruction : thread) {
      if (instruction.code == Code::prefetch) return true;
    }
  }
  return false;
}

inline bool hasPeerCopies(const Program& program) {
  for (const auto& thread : program.threads) {
    for (const Instruction& instruction : thread) {
      if (isPeerCopy(program, instruction)) return true;
    }
  }
  return false;
}

inline std::int32_t deviceOfThread(const Program& program, int thread) {
  const auto index = static_cast<std::size_t>(thread);
  return index < program.threadDevices.size() ? program.threadDevices[index] : 0;
}

}  // namespace copyscope
