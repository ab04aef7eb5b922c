// CUPTI, opened at run time and never linked.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

#include "cuda/dynamic_library.h"

namespace copyscope {

class CuptiLibrary {
 public:
  /// Opens the library at the first call; it stays open for the life of the process.
  static const CuptiLibrary& instance();

  bool isUsable() const { return usable_; }
  /// Returns the path of the library, or the reason why there is none.
  const std::string& detail() const { return detail_; }
  /// Returns the version of the library at `detail`; 0 if none was opened.
  std::uint32_t version() const { return version_; }
  /// Returns 'cuptiX failed: NAME' for a note.
  std::string describe(const char* call, CUptiResult result) const;

  decltype(&cuptiGetVersion) getVersion = nullptr;
  decltype(&cuptiGetResultString) getResultString = nullptr;
  decltype(&cuptiGetTimestamp) getTimestamp = nullptr;
  decltype(&cuptiGetStreamIdEx) getStreamId = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) registerTimestampCallback = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flushAll = nullptr;
  decltype(&cuptiActivityGetNextRecord) getNextRecord = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) getNumDroppedRecords = nullptr;

  /// Returns true if the functions for recording another program exist: those below except those that may be null.
  bool canRecord() const;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enableCallback = nullptr;
  decltype(&cuptiGetCallbackName) getCallbackName = nullptr;
  /// Missing in older versions.
  decltype(&cuptiSubscribe_v2) subscribeNamed = nullptr;
  decltype(&cuptiActivityFlushPeriod) flushPeriod = nullptr;
  decltype(&cuptiActivitySetAttribute) setAttribute = nullptr;

 private:
  CuptiLibrary();
  bool open(const std::string& name);
  bool loadFunctions();
  void loadRecordingFunctions();

  DynamicLibrary library_;
  bool usable_ = false;
  std::string detail_;
  std::uint32_t version_ = 0;
};

}  // namespace copyscope
