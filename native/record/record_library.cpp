// What CUDA and NVTX look for in the library that CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name.
#include "nvtx_ranges.h"
#include "recorder.h"

#define COPYSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

/// Called by the driver at the first cuInit of the process. 1: go on.
COPYSCOPE_EXPORT int InitializeInjection(void) {
  try {
    copyscope::record::Recorder::instance().start();
  } catch (...) {
    // The program goes on without a recording.
  }
  return 1;
}

/// Called by NVTX at the first call of each library of the program that uses it.
COPYSCOPE_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) {
  return copyscope::record::takeNvtx(getExportTable);
}
