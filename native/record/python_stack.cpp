#include "python_stack.h"

#include <dlfcn.h>

#include <map>
#include <unordered_map>
#include <vector>

namespace copyscope::record {
namespace {

using Object = void;

/// Python 3.9 and later have all but those that may be null.
struct Python {
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
  bool isUsable = false;

  template <typename Function>
  static bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    return function != nullptr;
  }

  Python() {
    isUsable = find("Py_IsInitialized", isInitialized) && find("PyGILState_Ensure", ensure) &&
               find("PyGILState_Release", release) && find("PyGILState_GetThisThreadState", thisThread) &&
               find("PyThreadState_GetFrame", getFrame) && find("PyFrame_GetBack", getBack) &&
               find("PyFrame_GetCode", getCode) && find("PyFrame_GetLineNumber", getLine) &&
               find("PyObject_GetAttrString", getAttribute) && find("PyUnicode_AsUTF8", utf8) &&
               find("Py_DecRef", decref) && find("PyErr_Fetch", fetchError) && find("PyErr_Restore", restoreError);
    if (!find("Py_IsFinalizing", isFinalizing)) find("_Py_IsFinalizing", isFinalizing);
    find("PyGC_Disable", disableGc);
    find("PyGC_Enable", enableGc);
  }
};

/// A library that Python comes with may be loaded after this one, so it is looked for until it is found.
const Python* python() {
  static std::atomic<const Python*> found{nullptr};
  const Python* known = found.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  auto* looked = new Python();
  if (looked->isUsable && found.compare_exchange_strong(known, looked)) return looked;
  delete looked;
  return known;
}

struct Code {
  std::uint32_t file;
  std::uint32_t function;
};

/// All of it is read and written by who holds `mutex`: an interpreter without a GIL has several at a time.
struct Known {
  std::mutex mutex;
  /// A reference to each is kept, so that an address stays that of one code.
  std::unordered_map<Object*, Code> codes;
  std::map<std::pair<Object*, int>, std::uint32_t> frames;
  std::map<std::vector<std::uint32_t>, std::uint32_t> stacks;
};

Known& known() {
  static auto* const all = new Known();
  return *all;
}

constexpr std::size_t mostCodes = 50'000;
constexpr std::size_t mostStacks = 100'000;

std::uint32_t textOf(const Python& py, ChunkWriter& writer, Object* code, const char* attribute) {
  Object* const value = py.getAttribute(code, attribute);
  if (value == nullptr) return 0;
  const char* const text = py.utf8(value);
  const std::uint32_t number = text == nullptr ? 0 : writer.text(text);
  py.decref(value);
  return number;
}

/// Takes over the reference to `code` where it is new. Reading attributes leaves a pending exception as it is.
const Code* describe(const Python& py, ChunkWriter& writer, Object* code) {
  Known& all = known();
  const auto found = all.codes.find(code);
  if (found != all.codes.end()) {
    py.decref(code);
    return &found->second;
  }
  if (all.codes.size() >= mostCodes) {
    py.decref(code);
    return nullptr;
  }
  Object* error[3] = {};
  py.fetchError(&error[0], &error[1], &error[2]);
  const std::uint32_t file = textOf(py, writer, code, "co_filename");
  std::uint32_t function = textOf(py, writer, code, "co_qualname");
  if (function == 0) function = textOf(py, writer, code, "co_name");
  py.restoreError(error[0], error[1], error[2]);
  return &all.codes.emplace(code, Code{file, function}).first->second;
}

std::uint32_t frameNumber(const Python& py, ChunkWriter& writer, Object* frame) {
  Object* const code = py.getCode(frame);
  if (code == nullptr) return 0;
  const int line = py.getLine(frame);
  Known& all = known();
  const auto known = all.frames.find({code, line});
  if (known != all.frames.end()) {
    py.decref(code);
    return known->second;
  }
  const Code* const described = describe(py, writer, code);
  if (described == nullptr) return 0;
  const auto number = static_cast<std::uint32_t>(all.frames.size() + 1);
  all.frames.emplace(std::make_pair(code, line), number);
  RecordBuffer record(RecordKind::frame);
  record.u32(number).u32(described->file).u32(static_cast<std::uint32_t>(line)).u32(described->function);
  writer.append(record);
  return number;
}

std::uint32_t stackNumber(ChunkWriter& writer, const std::vector<std::uint32_t>& frames) {
  if (frames.empty()) return 0;
  Known& all = known();
  const auto found = all.stacks.find(frames);
  if (found != all.stacks.end()) return found->second;
  if (all.stacks.size() >= mostStacks) return 0;
  const auto number = static_cast<std::uint32_t>(all.stacks.size() + 1);
  all.stacks.emplace(frames, number);
  RecordBuffer record(RecordKind::stack);
  record.u32(number);
  for (const std::uint32_t frame : frames) record.u32(frame);
  writer.append(record);
  return number;
}

/// With the GIL held.
std::uint32_t takeStack(const Python& py, ChunkWriter& writer) {
  const std::lock_guard<std::mutex> lock(known().mutex);
  std::vector<std::uint32_t> frames;
  frames.reserve(deepestStack);
  Object* frame = py.getFrame(py.thisThread());
  while (frame != nullptr) {
    frames.push_back(frameNumber(py, writer, frame));
    Object* const back = frames.size() < deepestStack ? py.getBack(frame) : nullptr;
    py.decref(frame);
    frame = back;
  }
  return stackNumber(writer, frames);
}

}  // namespace

std::uint32_t pythonStack(ChunkWriter& writer) {
  const Python* const py = python();
  if (py == nullptr || py->isInitialized() == 0) return 0;
  if (py->isFinalizing != nullptr && py->isFinalizing() != 0) return 0;
  // A thread that Python doesn't know has no stack, and must not be made known to it.
  if (py->thisThread() == nullptr) return 0;
  const int state = py->ensure();
  // A collection could run the program's own finalisers, and those CUDA, inside of CUPTI's callback.
  const bool collects = py->disableGc != nullptr && py->disableGc() != 0;
  std::uint32_t number = 0;
  try {
    number = takeStack(*py, writer);
  } catch (...) {
    // Without memory the call has no stack. The lock must be given back all the same.
  }
  if (collects && py->enableGc != nullptr) py->enableGc();
  py->release(state);
  return number;
}

void forgetPythonStacks() {
  // A fork may have come while the lock was held: what was known is left behind, with the references to codes.
  Known& all = known();
  new (&all) Known();
}

}  // namespace copyscope::record
