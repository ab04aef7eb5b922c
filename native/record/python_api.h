// The interpreter's own functions in the process.
#pragma once

namespace copyscope::record {

/// Python 3.9 and later have all except those that may be null.
struct Python {
  using Object = void;

  int (*isInitialized)() = nullptr;
  int (*isFinalizing)() = nullptr;
  int (*ensure)() = nullptr;
  void (*release)(int) = nullptr;
  void* (*thisThread)() = nullptr;
  Object* (*getFrame)(void*) = nullptr;
  Object* (*getBack)(Object*) = nullptr;
  Object* (*getCode)(Object*) = nullptr;
  int (*getLine)(Object*) = nullptr;
  Object* (*getAttribute)(Object*, const char*) = nullptr;
  const char* (*utf8)(Object*) = nullptr;
  void (*decref)(Object*) = nullptr;
  void (*fetchError)(Object**, Object**, Object**) = nullptr;
  void (*restoreError)(Object*, Object*, Object*) = nullptr;
  /// Since Python 3.10.
  int (*disableGc)() = nullptr;
  int (*enableGc)() = nullptr;
  /// Since Python 3.11.
  int (*getLastInstruction)(Object*) = nullptr;
  const unsigned long* version = nullptr;
  /// Null if no lock keeps other threads' frames unchanged.
  void* (*interpreterOf)(void*) = nullptr;
  void* (*firstThread)(void*) = nullptr;
  void* (*nextThread)(void*) = nullptr;

  /// Returns null if the process has no Python yet; it is searched again later.
  static const Python* find();

 private:
  Python();
  bool isUsable_ = false;
};

}  // namespace copyscope::record
