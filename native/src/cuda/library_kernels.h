// The kernels of cuBLAS and cuFFT that a program launches, and those libraries' objects: for each stream a cuBLAS
// handle with its workspace, and a cuFFT plan for each shape. They are made before the run, or by the program's own
// first uses in each iteration.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "cuda/cuda_calls.h"
#include "cuda/device_recorder.h"
#include "executor/program.h"

namespace copyscope {

class LibraryKernels {
 public:
  LibraryKernels(const Program& program, const StreamHandles& streams) : program_(program), streams_(streams) {}
  ~LibraryKernels();
  LibraryKernels(const LibraryKernels&) = delete;
  LibraryKernels& operator=(const LibraryKernels&) = delete;

  /// Called before the run: counts the records of each kernel, and makes the objects that are not left to first uses.
  /// Throws a Failure `engine.unavailable` if a library is missing.
  void prepare();
  /// Called with an idle device: frees the objects made by first uses.
  void reset();
  std::optional<CallName> makePlan(const Instruction& instruction);
  void multiply(const Instruction& instruction, const void* first, const void* second, void* product);
  void transform(const Instruction& instruction, void* input, void* output);
  /// Returns the number of a profiler's activities for the instruction: a library may launch several kernels for one.
  std::size_t recordsOf(const Instruction& instruction) const;

 private:
  /// A handle of cuBLAS with its workspace.
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
  /// Several host threads may launch into one stream, but a handle serves one at a time.
  mutable std::mutex mutex_;
  std::map<std::int32_t, Handle> handles_;
  std::map<PlanKey, int> plans_;
  /// Objects made by first uses in this iteration.
  std::set<std::int32_t> madeHandles_;
  std::set<PlanKey> madePlans_;
  /// Number of records by library call.
  std::vector<std::size_t> records_;
};

}  // namespace copyscope
