// The prototypes of src/cuda/math_libraries.h against those of NVIDIA's headers. It is only compiled:
//   g++ -std=c++17 -fsyntax-only -I src -I CUDA/include -I CUBLAS/include tests/math_headers.cpp
#include <cublas_v2.h>
#include <cufft.h>

#include <type_traits>

#include "cuda/math_libraries.h"

namespace {

/// Type of a parameter in a call: an enumeration is an int, and all pointers are alike.
template <typename Type>
using Passed = std::conditional_t<
    std::is_enum_v<Type>, int,
    std::conditional_t<std::is_pointer_v<Type>, void*, std::remove_cv_t<Type>>>;

template <typename Function>
struct SignatureOf;
template <typename Result, typename... Parameters>
struct SignatureOf<Result (*)(Parameters...)> {
  static_assert(((!std::is_enum_v<Parameters> || sizeof(Parameters) == sizeof(int)) && ...));
  using type = Passed<Result> (*)(Passed<Parameters>...);
};

template <typename Ours, typename Theirs>
constexpr bool agree = std::is_same_v<typename SignatureOf<Ours>::type, typename SignatureOf<Theirs>::type>;

using copyscope::CublasFunctions;
using copyscope::CufftFunctions;

static_assert(agree<decltype(CublasFunctions::create), decltype(&cublasCreate_v2)>);
static_assert(agree<decltype(CublasFunctions::destroy), decltype(&cublasDestroy_v2)>);
static_assert(agree<decltype(CublasFunctions::setStream), decltype(&cublasSetStream_v2)>);
static_assert(agree<decltype(CublasFunctions::setWorkspace), decltype(&cublasSetWorkspace_v2)>);
static_assert(agree<decltype(CublasFunctions::gemmEx),
                    cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                       const void*, cudaDataType, int, const void*, cudaDataType, int, const void*,
                                       void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t)>);
/// C++ has two functions of that name, one of them an old form; this is the one in use.
constexpr cublasStatus_t (*gemmEx)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*,
                                   const void*, cudaDataType, int, const void*, cudaDataType, int, const void*, void*,
                                   cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t) = &cublasGemmEx;
static_assert(gemmEx != nullptr);
static_assert(agree<decltype(CublasFunctions::statusName), decltype(&cublasGetStatusName)>);
static_assert(CUBLAS_STATUS_SUCCESS == 0);
static_assert(CUBLAS_OP_N == CublasFunctions::asItIs);
static_assert(CUBLAS_COMPUTE_32F == CublasFunctions::computeFloat);
static_assert(CUBLAS_COMPUTE_32F_FAST_TF32 == CublasFunctions::computeTf32);
static_assert(CUBLAS_GEMM_DEFAULT == CublasFunctions::defaultAlgorithm);

static_assert(agree<decltype(CufftFunctions::create), decltype(&cufftCreate)>);
static_assert(agree<decltype(CufftFunctions::makePlanMany), decltype(&cufftMakePlanMany)>);
static_assert(agree<decltype(CufftFunctions::setStream), decltype(&cufftSetStream)>);
static_assert(agree<decltype(CufftFunctions::execC2C), decltype(&cufftExecC2C)>);
static_assert(agree<decltype(CufftFunctions::destroy), decltype(&cufftDestroy)>);
static_assert(CUFFT_SUCCESS == 0);
static_assert(CUFFT_C2C == CufftFunctions::complexToComplex);
static_assert(CUFFT_FORWARD == CufftFunctions::forward);

}  // namespace
