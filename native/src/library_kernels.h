// The kernels of cuBLAS and cuFFT that a program launches, with what those libraries keep for them: of each stream a cuBLAS
// handle with its work space, and a cuFFT plan for each shape. Either before the run, or as the program's own first uses
// make it in each iteration.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "cuda_calls.h"
#include "device_recorder.h"
#include "program.h"

namespace copyscope {

class LibraryKernels {
 public:
  LibraryKernels(const Program& program, const StreamHandles& streams) : program_(program), streams_(streams) {}
  ~LibraryKernels();
  LibraryKernels(const LibraryKernels&) = delete;
  LibraryKernels& operator=(const LibraryKernels&) = delete;

  /// Before the run: finds out how many records each kernel leaves, and makes what is not left to first uses. Throws a
  /// Failure `engine.unavailable` where a library is missing.
  void prepare();
  /// With the device idle: gives back what first uses made.
  void reset();
  std::optional<CallName> makePlan(const Instruction& instruction);
  void multiply(const Instruction& instruction, const void* first, const void* second, void* product);
  void transform(const Instruction& instruction, void* input, void* output);
  /// Activities that a profiler records of the instruction: a library may launch several kernels for one.
  std::size_t recordsOf(const Instruction& instruction) const;

 private:
  /// A handle of cuBLAS, with its work space.
  struct Handle {
    void* handle = nullptr;
    DeviceMemory workspace;
  };
  /// Stream, size and batch.
  using PlanKey = std::tuple<std::int32_t, std::int64_t, std::int64_t>;

  Handle& handleOf(int stream);
  int planOf(const Instruction& instruction);
  void launch(const Instruction& instruction, cudaStream_t to, const void* first, const void* second, void* result);
  std::size_t countRecords(const Instruction& instruction);
  void close(Handle& handle) noexcept;
  int ordinalOf(const Instruction& instruction) const {
    return streams_.ordinals[static_cast<std::size_t>(instruction.stream)];
  }
  cudaStream_t streamOf(const Instruction& instruction) const {
    return streams_.handles[static_cast<std::size_t>(instruction.stream)];
  }

  const Program& program_;
  const StreamHandles& streams_;
  /// Several host threads may launch into one stream, and a handle is used by one at a time.
  mutable std::mutex mutex_;
  std::map<std::int32_t, Handle> handles_;
  std::map<PlanKey, int> plans_;
  /// Those that first uses made in this iteration.
  std::set<std::int32_t> madeHandles_;
  std::set<PlanKey> madePlans_;
  /// By library call.
  std::vector<std::size_t> records_;
};

}  // namespace copyscope
