#include "cupti/cupti_library.h"

#include <vector>

#include "cuda/dynamic_library.h"

namespace copyscope {
namespace {

#ifdef _WIN32
/// Its name has a version, so that it can only be found in a toolkit's folder.
const std::vector<std::string> loaderNames = {};
constexpr const char* filePrefix = "cupti64_";
#else
const std::vector<std::string> loaderNames = {"libcupti.so", "libcupti.so.13", "libcupti.so.12"};
constexpr const char* filePrefix = "libcupti.so";
#endif

/// Records are structures that grow from version to version. From CUDA 13 on the number is xxyyzz, where zz is an
/// update with unchanged records.
bool hasOurRecords(std::uint32_t version) {
  constexpr std::uint32_t ours = CUPTI_API_VERSION;
  return version == ours || (ours >= 130000 && version >= 130000 && version / 100 == ours / 100);
}

}  // namespace

const CuptiLibrary& CuptiLibrary::instance() {
  static const CuptiLibrary library;
  return library;
}

CuptiLibrary::CuptiLibrary() {
  for (const std::string& name : toolkitLibraries(filePrefix, loaderNames)) {
    if (open(name)) return;
  }
  if (detail_.empty()) {
    detail_ = "libcupti was found neither by the loader nor in a CUDA toolkit (set CUDA_HOME or LD_LIBRARY_PATH).";
  }
}

/// The first refused library gives the reason, unless a later one is usable.
bool CuptiLibrary::open(const std::string& name) {
  DynamicLibrary library(name);
  if (!library.isOpen()) return false;
  std::uint32_t version = 0;
  if (!library.find("cuptiGetVersion", getVersion) || getVersion(&version) != CUPTI_SUCCESS) return false;
  const std::string path = library.pathOf("cuptiGetVersion", name);
  if (!hasOurRecords(version)) {
    if (detail_.empty()) {
      version_ = version;
      detail_ = path + " is CUPTI version " + std::to_string(version) + ", and the addon was built for version " +
                std::to_string(CUPTI_API_VERSION) + ".";
    }
    return false;
  }
  library_ = std::move(library);
  version_ = version;
  usable_ = loadFunctions();
  loadRecordingFunctions();
  detail_ = usable_ ? path : path + " lacks functions that are needed.";
  return usable_;
}

bool CuptiLibrary::loadFunctions() {
  return library_.find("cuptiGetResultString", getResultString) && library_.find("cuptiGetTimestamp", getTimestamp) &&
         library_.find("cuptiGetStreamIdEx", getStreamId) &&
         library_.find("cuptiActivityRegisterCallbacks", registerCallbacks) &&
         library_.find("cuptiActivityRegisterTimestampCallback", registerTimestampCallback) &&
         library_.find("cuptiActivityEnable", enable) && library_.find("cuptiActivityDisable", disable) &&
         library_.find("cuptiActivityFlushAll", flushAll) &&
         library_.find("cuptiActivityGetNextRecord", getNextRecord) &&
         library_.find("cuptiActivityGetNumDroppedRecords", getNumDroppedRecords);
}

void CuptiLibrary::loadRecordingFunctions() {
  library_.find("cuptiSubscribe", subscribe);
  library_.find("cuptiUnsubscribe", unsubscribe);
  library_.find("cuptiEnableCallback", enableCallback);
  library_.find("cuptiGetCallbackName", getCallbackName);
  library_.find("cuptiSubscribe_v2", subscribeNamed);
  library_.find("cuptiActivityFlushPeriod", flushPeriod);
  library_.find("cuptiActivitySetAttribute", setAttribute);
}

bool CuptiLibrary::canRecord() const {
  return usable_ && subscribe != nullptr && enableCallback != nullptr && getCallbackName != nullptr;
}

std::string CuptiLibrary::describe(const char* call, CUptiResult result) const {
  const char* name = nullptr;
  if (getResultString == nullptr || getResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) {
    name = "unknown error";
  }
  return std::string(call) + " failed: " + name;
}

}  // namespace copyscope
