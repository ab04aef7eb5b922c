#include "cuda/math_libraries.h"

#include "cuda/dynamic_library.h"
#include "executor/failure.h"

namespace copyscope {
namespace {

#ifdef _WIN32
/// Their names have a version, so that they can only be found in a toolkit's folder.
const std::vector<std::string> cublasNames = {};
const std::vector<std::string> cufftNames = {};
constexpr const char* cublasPrefix = "cublas64_";
constexpr const char* cufftPrefix = "cufft64_";
#else
/// Names in the toolkits 13 and 12.
const std::vector<std::string> cublasNames = {"libcublas.so", "libcublas.so.13", "libcublas.so.12"};
const std::vector<std::string> cufftNames = {"libcufft.so", "libcufft.so.12", "libcufft.so.11"};
constexpr const char* cublasPrefix = "libcublas.so";
constexpr const char* cufftPrefix = "libcufft.so";
#endif

bool load(MathLibrary<CublasFunctions>& into) {
  const DynamicLibrary& library = into.library;
  return library.find("cublasCreate_v2", into.create) && library.find("cublasDestroy_v2", into.destroy) &&
         library.find("cublasSetStream_v2", into.setStream) &&
         library.find("cublasSetWorkspace_v2", into.setWorkspace) && library.find("cublasGemmEx", into.gemmEx) &&
         library.find("cublasGetStatusName", into.statusName);
}

bool load(MathLibrary<CufftFunctions>& into) {
  const DynamicLibrary& library = into.library;
  return library.find("cufftCreate", into.create) && library.find("cufftMakePlanMany", into.makePlanMany) &&
         library.find("cufftSetStream", into.setStream) && library.find("cufftExecC2C", into.execC2C) &&
         library.find("cufftDestroy", into.destroy);
}

template <typename Functions>
MathLibrary<Functions> opened(const std::string& prefix, const std::vector<std::string>& names, const char* symbol) {
  MathLibrary<Functions> found;
  for (const std::string& name : toolkitLibraries(prefix, names)) {
    found.library = DynamicLibrary(name);
    if (!found.library.isOpen()) continue;
    const std::string path = found.library.pathOf(symbol, name);
    found.isUsable = load(found);
    found.detail = found.isUsable ? path : path + " lacks functions that are needed.";
    if (found.isUsable) return found;
  }
  if (found.detail.empty()) {
    found.detail = prefix + " was found neither by the loader nor in a CUDA toolkit.";
  }
  return found;
}

[[noreturn]] void refuse(const char* name, const char* kernels, const std::string& detail) {
  throw Failure("engine.unavailable", std::string(kernels) + " kernels need " + name + ": " + detail,
                std::string("Install ") + name +
                    " (it comes with the CUDA toolkit), or set LD_LIBRARY_PATH or CUDA_HOME to where it lies.");
}

}  // namespace

const MathLibrary<CublasFunctions>& cublas() {
  static const MathLibrary<CublasFunctions> library =
      opened<CublasFunctions>(cublasPrefix, cublasNames, "cublasCreate_v2");
  return library;
}

const MathLibrary<CufftFunctions>& cufft() {
  static const MathLibrary<CufftFunctions> library = opened<CufftFunctions>(cufftPrefix, cufftNames, "cufftCreate");
  return library;
}

const MathLibrary<CublasFunctions>& requireCublas() {
  if (!cublas().isUsable) refuse("cuBLAS", "matmul", cublas().detail);
  return cublas();
}

const MathLibrary<CufftFunctions>& requireCufft() {
  if (!cufft().isUsable) refuse("cuFFT", "fft", cufft().detail);
  return cufft();
}

void checkCublas(int status, const char* call) {
  if (status == 0) return;
  throw Failure("engine.cuda", std::string(call) + " failed: " + cublas().statusName(status) + ".");
}

void checkCufft(int status, const char* call) {
  if (status == 0) return;
  // cuFFT has names for its results only in its header (cufftResult).
  throw Failure("engine.cuda", std::string(call) + " failed: cufftResult " + std::to_string(status) + ".");
}

}  // namespace copyscope
