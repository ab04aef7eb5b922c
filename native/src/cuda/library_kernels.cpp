#include "cuda/library_kernels.h"

#include <algorithm>

#include "cuda/device_scope.h"
#include "cuda/math_libraries.h"
#include "executor/library_numbers.h"

namespace copyscope {
namespace {

/// Size that NVIDIA recommends for Hopper, and that PyTorch gives cuBLAS there.
constexpr std::size_t workspaceBytes = 32u << 20;

cudaDataType dataTypeOf(LibraryType type) {
  switch (type) {
    case LibraryType::float16:
      return CUDA_R_16F;
    case LibraryType::bfloat16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

std::size_t bytesOf(const LibraryCall& call, std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns) * bytesOfNumber(call.type);
}

}  // namespace

LibraryKernels::~LibraryKernels() {
  for (auto& [stream, handle] : handles_) close(handle);
  for (const auto& [key, plan] : plans_) static_cast<void>(cufft().destroy(plan));
}

void LibraryKernels::close(Handle& handle) noexcept {
  if (handle.handle != nullptr) static_cast<void>(cublas().destroy(handle.handle));
  handle.handle = nullptr;
}

/// Calls of one shape in one stream leave the same number of records each.
void LibraryKernels::prepare() {
  records_.assign(program_.libraryCalls.size(), 1);
  using Shape = std::tuple<std::int32_t, LibraryType, std::int64_t, std::int64_t, std::int64_t, bool>;
  std::map<Shape, std::size_t> counted;
  for (const auto& instructions : program_.threads) {
    for (const Instruction& instruction : instructions) {
      if (!isLibraryKernel(instruction.code)) continue;
      const DeviceScope scope(ordinalOf(instruction));
      const LibraryCall& call = libraryCallOf(program_, instruction);
      const Shape shape{instruction.stream, call.type, call.m, call.n, call.k, call.tf32};
      const auto known = counted.find(shape);
      const std::size_t records = known == counted.end() ? countRecords(instruction) : known->second;
      counted[shape] = records;
      records_[static_cast<std::size_t>(instruction.index)] = records;
      if (!call.firstUse) continue;
      // Objects made for counting are made again by the program.
      if (call.isTransform()) {
        madePlans_.insert({instruction.stream, call.m, call.n});
      } else {
        madeHandles_.insert(instruction.stream);
      }
    }
  }
}

void LibraryKernels::reset() {
  for (const std::int32_t stream : madeHandles_) {
    const DeviceScope scope(streams_.ordinals[static_cast<std::size_t>(stream)]);
    close(handles_[stream]);
    handles_.erase(stream);
  }
  for (const PlanKey& key : madePlans_) {
    const DeviceScope scope(streams_.ordinals[static_cast<std::size_t>(std::get<0>(key))]);
    static_cast<void>(cufft().destroy(plans_[key]));
    plans_.erase(key);
  }
  madeHandles_.clear();
  madePlans_.clear();
}

std::optional<CallName> LibraryKernels::makePlan(const Instruction& instruction) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const DeviceScope scope(ordinalOf(instruction));
  const LibraryCall& call = libraryCallOf(program_, instruction);
  if (!call.isTransform()) {
    if (handles_.count(instruction.stream) > 0) return std::nullopt;
    madeHandles_.insert(instruction.stream);
    static_cast<void>(handleOf(instruction.stream));
    return CallName::cublasCreate;
  }
  const PlanKey key{instruction.stream, call.m, call.n};
  if (plans_.count(key) > 0) return std::nullopt;
  madePlans_.insert(key);
  static_cast<void>(planOf(instruction));
  return CallName::cufftMakePlanMany;
}

LibraryKernels::Handle& LibraryKernels::handleOf(int stream) {
  const auto found = handles_.find(stream);
  if (found != handles_.end()) return found->second;
  const auto& library = requireCublas();
  Handle made;
  checkCublas(library.create(&made.handle), "cublasCreate");
  Handle& kept = handles_[stream] = std::move(made);
  checkCublas(library.setStream(kept.handle, streams_.handles[static_cast<std::size_t>(stream)]), "cublasSetStream");
  kept.workspace = allocateDevice(workspaceBytes);
  checkCublas(library.setWorkspace(kept.handle, kept.workspace.get(), workspaceBytes), "cublasSetWorkspace");
  return kept;
}

int LibraryKernels::planOf(const Instruction& instruction) {
  const LibraryCall& call = libraryCallOf(program_, instruction);
  const PlanKey key{instruction.stream, call.m, call.n};
  const auto found = plans_.find(key);
  if (found != plans_.end()) return found->second;
  const auto& library = requireCufft();
  int plan = 0;
  checkCufft(library.create(&plan), "cufftCreate");
  plans_[key] = plan;
  int size = static_cast<int>(call.m);
  std::size_t workBytes = 0;
  checkCufft(library.makePlanMany(plan, 1, &size, nullptr, 1, size, nullptr, 1, size, CufftFunctions::complexToComplex,
                                  static_cast<int>(call.n), &workBytes),
             "cufftMakePlanMany");
  checkCufft(library.setStream(plan, streamOf(instruction)), "cufftSetStream");
  return plan;
}

void LibraryKernels::multiply(const Instruction& instruction, const void* first, const void* second, void* product) {
  const std::lock_guard<std::mutex> lock(mutex_);
  launch(instruction, streamOf(instruction), first, second, product);
}

void LibraryKernels::transform(const Instruction& instruction, void* input, void* output) {
  const std::lock_guard<std::mutex> lock(mutex_);
  launch(instruction, streamOf(instruction), input, nullptr, output);
}

/// cuBLAS uses column order: a matrix in row order reads as its transpose, and the transposed product is that of the
/// transposed factors in reverse order.
void LibraryKernels::launch(const Instruction& instruction, cudaStream_t to, const void* first, const void* second,
                            void* result) {
  const LibraryCall& call = libraryCallOf(program_, instruction);
  if (call.isTransform()) {
    const int plan = planOf(instruction);
    const auto& library = requireCufft();
    checkCufft(library.setStream(plan, to), "cufftSetStream");
    checkCufft(library.execC2C(plan, const_cast<void*>(first), result, CufftFunctions::forward), "cufftExecC2C");
    return;
  }
  const Handle& own = handleOf(instruction.stream);
  const auto& library = requireCublas();
  const cudaDataType type = dataTypeOf(call.type);
  const float one = 1;
  const float zero = 0;
  const auto [m, n, k] = std::tuple(static_cast<int>(call.m), static_cast<int>(call.n), static_cast<int>(call.k));
  checkCublas(library.gemmEx(own.handle, CublasFunctions::asItIs, CublasFunctions::asItIs, n, m, k, &one, second, type,
                             n, first, type, k, &zero, result, type, n,
                             call.tf32 ? CublasFunctions::computeTf32 : CublasFunctions::computeFloat,
                             CublasFunctions::defaultAlgorithm),
              "cublasGemmEx");
}

/// Counts the nodes of one capture with its own memory, since a launch puts the same into its stream. The first call
/// loads the library's kernels, so one is made before.
std::size_t LibraryKernels::countRecords(const Instruction& instruction) {
  const LibraryCall& call = libraryCallOf(program_, instruction);
  const bool isTransform = call.isTransform();
  const DeviceMemory first = allocateDevice(isTransform ? bytesOf(call, call.m, call.n) : bytesOf(call, call.m, call.k));
  const DeviceMemory second = isTransform ? DeviceMemory() : allocateDevice(bytesOf(call, call.k, call.n));
  const DeviceMemory result = allocateDevice(bytesOf(call, call.m, call.n));
  check(cudaMemset(first.get(), 0, isTransform ? bytesOf(call, call.m, call.n) : bytesOf(call, call.m, call.k)),
        "cudaMemset");
  if (!isTransform) check(cudaMemset(second.get(), 0, bytesOf(call, call.k, call.n)), "cudaMemset");
  const OwnedStream stream = createStream(true);
  const auto put = [&] { launch(instruction, stream.get(), first.get(), second.get(), result.get()); };
  if (!isTransform) {
    Handle& own = handleOf(instruction.stream);
    checkCublas(cublas().setStream(own.handle, stream.get()), "cublasSetStream");
    checkCublas(cublas().setWorkspace(own.handle, own.workspace.get(), workspaceBytes), "cublasSetWorkspace");
  }
  put();
  check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  put();
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(stream.get(), &captured), "cudaStreamEndCapture");
  const OwnedGraph graph(captured);
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(captured, nullptr, &nodes), "cudaGraphGetNodes");
  if (isTransform) {
    checkCufft(cufft().setStream(planOf(instruction), streamOf(instruction)), "cufftSetStream");
  } else {
    Handle& own = handleOf(instruction.stream);
    // Setting a stream restores the handle's default workspace.
    checkCublas(cublas().setStream(own.handle, streamOf(instruction)), "cublasSetStream");
    checkCublas(cublas().setWorkspace(own.handle, own.workspace.get(), workspaceBytes), "cublasSetWorkspace");
  }
  return std::max<std::size_t>(1, nodes);
}

std::size_t LibraryKernels::recordsOf(const Instruction& instruction) const {
  return isLibraryKernel(instruction.code) ? records_[static_cast<std::size_t>(instruction.index)] : 1;
}

}  // namespace copyscope
