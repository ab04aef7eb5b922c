// cuBLAS and cuFFT, opened at run time and never linked: the addon is built without their headers, and loads without
// them. tests/math_headers.cpp checks the prototypes against the headers.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <string>

#include "cuda/dynamic_library.h"

namespace copyscope {

/// The version-2 interface of cublas_api.h. Enumerations are passed as int, handles as void*.
struct CublasFunctions {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*setStream)(void* handle, cudaStream_t stream) = nullptr;
  int (*setWorkspace)(void* handle, void* workspace, std::size_t bytes) = nullptr;
  int (*gemmEx)(void* handle, int transA, int transB, int m, int n, int k, const void* alpha, const void* a,
                cudaDataType typeA, int lda, const void* b, cudaDataType typeB, int ldb, const void* beta, void* c,
                cudaDataType typeC, int ldc, int computeType, int algorithm) = nullptr;
  const char* (*statusName)(int status) = nullptr;

  static constexpr int asItIs = 0;           // CUBLAS_OP_N
  static constexpr int computeFloat = 68;    // CUBLAS_COMPUTE_32F
  static constexpr int computeTf32 = 77;     // CUBLAS_COMPUTE_32F_FAST_TF32
  static constexpr int defaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT
};

/// cufft.h.
struct CufftFunctions {
  int (*create)(int* plan) = nullptr;
  int (*makePlanMany)(int plan, int rank, int* sizes, int* inputEmbed, int inputStride, int inputDistance,
                      int* outputEmbed, int outputStride, int outputDistance, int type, int batch,
                      std::size_t* workBytes) = nullptr;
  int (*setStream)(int plan, cudaStream_t stream) = nullptr;
  int (*execC2C)(int plan, void* input, void* output, int direction) = nullptr;
  int (*destroy)(int plan) = nullptr;

  static constexpr int complexToComplex = 0x29;  // CUFFT_C2C
  static constexpr int forward = -1;             // CUFFT_FORWARD
};

/// A library, opened at its first use; it stays open for the life of the process.
template <typename Functions>
struct MathLibrary : Functions {
  bool isUsable = false;
  /// Path of the library, or the reason why there is none.
  std::string detail;
  DynamicLibrary library;
};

const MathLibrary<CublasFunctions>& cublas();
const MathLibrary<CufftFunctions>& cufft();

/// Throws a Failure `engine.unavailable` with the missing part and a remedy if it can't be used.
const MathLibrary<CublasFunctions>& requireCublas();
const MathLibrary<CufftFunctions>& requireCufft();

/// Throws a Failure `engine.cuda` if a call failed.
void checkCublas(int status, const char* call);
void checkCufft(int status, const char* call);

}  // namespace copyscope
