#include "python_api.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

namespace copyscope::record {
namespace {

template <typename Function>
bool load(const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

}  // namespace

Python::Python() {
  if (!load("Py_IsInitialized", isInitialized)) return;
  isUsable_ = load("PyGILState_Ensure", ensure) &&
              load("PyGILState_Release", release) && load("PyGILState_GetThisThreadState", thisThread) &&
              load("PyThreadState_GetFrame", getFrame) && load("PyFrame_GetBack", getBack) &&
              load("PyFrame_GetCode", getCode) && load("PyFrame_GetLineNumber", getLine) &&
              load("PyObject_GetAttrString", getAttribute) && load("PyUnicode_AsUTF8", utf8) &&
              load("Py_DecRef", decref) && load("PyErr_Fetch", fetchError) && load("PyErr_Restore", restoreError);
  if (!load("Py_IsFinalizing", isFinalizing)) load("_Py_IsFinalizing", isFinalizing);
  load("PyGC_Disable", disableGc);
  load("PyGC_Enable", enableGc);
  load("PyFrame_GetLasti", getLastInstruction);
  version = static_cast<const unsigned long*>(dlsym(RTLD_DEFAULT, "Py_Version"));
  // Only an interpreter that can run without the GIL has this function.
  if (dlsym(RTLD_DEFAULT, "PyUnstable_Module_SetGIL") != nullptr) return;
  load("PyThreadState_GetInterpreter", interpreterOf);
  load("PyInterpreterState_ThreadHead", firstThread);
  load("PyThreadState_Next", nextThread);
}

/// Searches until it is found, since a library with Python may be loaded after this one.
const Python* Python::find() {
  static std::atomic<const Python*> found{nullptr};
  const Python* known = found.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  static std::atomic<std::uint32_t> asked{0};
  const std::uint32_t times = asked.fetch_add(1, std::memory_order_relaxed);
  if (times > 64 && times % 1024 != 0) return nullptr;
  auto* looked = new Python();
  if (looked->isUsable_ && found.compare_exchange_strong(known, looked, std::memory_order_acq_rel)) return looked;
  delete looked;
  return known;
}

}  // namespace copyscope::record
