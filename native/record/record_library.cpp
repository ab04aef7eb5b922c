// Functions that CUDA and NVTX search in the libraries of CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH, and
// functions for a program that records parts of itself.
#include <cstdio>

#include "nvtx_ranges.h"
#include "recorder.h"

#define COPYSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

/// Called by the driver at the first cuInit of the process. Returns 1 to go on.
COPYSCOPE_EXPORT int InitializeInjection(void) {
  try {
    const auto settings = copyscope::record::Settings::fromEnvironment();
    if (settings.folder.empty()) return 1;
    auto& recorder = copyscope::record::Recorder::instance();
    const std::string problem = recorder.start(settings);
    // A file that could be opened contains the reason itself.
    if (recorder.writer() == nullptr) std::fprintf(stderr, "copyscope: nothing is recorded: %s\n", problem.c_str());
  } catch (...) {
    // The program goes on without a recording.
  }
  return 1;
}

/// Begins a recording of this process. `settings` are lines NAME=value with the names of the environment variables.
/// Returns null, or the reason why nothing is recorded, which is valid until the next call.
COPYSCOPE_EXPORT const char* CopyscopeBeginRecording(const char* settings) {
  static thread_local std::string problem;
  try {
    using namespace copyscope::record;
    forgetMarkedStep();
    problem = Recorder::instance().start(Settings::fromLines(settings));
  } catch (...) {
    return "There is no memory left.";
  }
  return problem.empty() ? nullptr : problem.c_str();
}

/// Ends the recording, after `wait` if that is not null. Another one can begin.
COPYSCOPE_EXPORT void CopyscopeEndRecording(int (*wait)(void)) {
  try {
    copyscope::record::Recorder::instance().finish(wait);
  } catch (...) {
    // The program goes on.
  }
}

/// 0 none, 1 waiting for its first step or its time, 2 recording, 3 over.
COPYSCOPE_EXPORT int CopyscopeRecordingState(void) {
  return static_cast<int>(copyscope::record::Recorder::instance().state());
}

/// A step of the program begins, and the one before it ends.
COPYSCOPE_EXPORT void CopyscopeMarkStep(const char* name) { copyscope::record::markStep(name); }

/// The last step ends.
COPYSCOPE_EXPORT void CopyscopeEndStep(void) { copyscope::record::endMarkedStep(); }

/// Called by NVTX at the first call of each library of the program that uses it.
COPYSCOPE_EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getExportTable) {
  return copyscope::record::takeNvtx(getExportTable);
}
