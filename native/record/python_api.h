// The interpreter's own functions, as the process has them.
#pragma once

namespace copyscope::record {

/// Python 3.9 and later have all but those that may be null.
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
  /// From 3.10 on.
  int (*disableGc)() = nullptr;
  int (*enableGc)() = nullptr;
  /// From 3.11 on.
  int (*getLastInstruction)(Object*) = nullptr;
  const unsigned long* version = nullptr;
  /// Null where there is no lock that keeps other threads' frames as they are.
  void* (*interpreterOf)(void*) = nullptr;
  void* (*firstThread)(void*) = nullptr;
  void* (*nextThread)(void*) = nullptr;

  /// Null where the process has no Python, for now: it is looked for again at times.
  static const Python* find();

 private:
  Python();
  bool isUsable_ = false;
};

}  // namespace copyscope::record
