#include "python_stack.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "python_api.h"
#include "stack_cache.h"

namespace copyscope::record {
namespace {

using Object = Python::Object;

struct Code {
  std::uint32_t file;
  std::uint32_t function;
  /// True if the code passes a graph to PyTorch's autograd, and waits for its threads.
  bool callsAutograd;
};

/// Protected by `mutex`. A thread waiting for it may hold the GIL; its holder must not wait for the GIL.
struct Known {
  std::mutex mutex;
  /// Each code is referenced, so that its address stays its own.
  std::unordered_map<Object*, Code> codes;
  std::map<std::pair<Object*, int>, std::uint32_t> frames;
  std::map<std::vector<std::uint32_t>, std::uint32_t> stacks;
  FrameLayout layout;
  StackCache cache;
};

Known& known() {
  static auto* const all = new Known();
  return *all;
}

constexpr std::size_t mostCodes = 50'000;
constexpr std::size_t mostStacks = 100'000;

/// Returns an empty text if there is no such attribute.
std::string attributeOf(const Python& py, Object* code, const char* attribute) {
  Object* const value = py.getAttribute(code, attribute);
  if (value == nullptr) return "";
  const char* const text = py.utf8(value);
  std::string copy = text == nullptr ? "" : text;
  py.decref(value);
  return copy;
}

/// Since PyTorch 2.1 one function does it, before that several functions that the program calls.
bool callsAutograd(const std::string& file, const std::string& name) {
  const auto isIn = [&](std::string_view end) {
    return file.size() >= end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
  };
  if (isIn("torch/autograd/graph.py")) return name == "_engine_run_backward";
  return isIn("torch/autograd/__init__.py") && (name == "backward" || name == "grad");
}

/// Takes over the reference to `code` if it is new. Reading attributes leaves a pending exception as it is.
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
  const std::string file = attributeOf(py, code, "co_filename");
  const std::string name = attributeOf(py, code, "co_name");
  std::string function = attributeOf(py, code, "co_qualname");
  if (function.empty()) function = name;
  py.restoreError(error[0], error[1], error[2]);
  const Code described{writer.text(file), writer.text(function), callsAutograd(file, name)};
  return &all.codes.emplace(code, described).first->second;
}

/// Takes over the reference to `code`. Returns 0 if there are too many codes, so that this one isn't kept.
std::uint32_t frameNumber(const Python& py, ChunkWriter& writer, Object* code, int line) {
  Known& all = known();
  const auto found = all.frames.find({code, line});
  if (found != all.frames.end()) {
    py.decref(code);
    return found->second;
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

/// Since 3.11 a frame's object has its frame after its head and the object before it.
std::uintptr_t frameOf(Object* object) { return static_cast<const std::uintptr_t*>(object)[3]; }

/// Needs the GIL and the mutex.
std::uint32_t takeFrames(const Python& py, ChunkWriter& writer, void* thread) {
  Known& all = known();
  std::vector<std::uint32_t> frames;
  frames.reserve(deepestStack);
  std::array<ToldFrame, deepestStack> told;
  const bool isNew = py.getLastInstruction != nullptr && py.version != nullptr;
  bool areKept = isNew;
  Object* frame = py.getFrame(thread);
  while (frame != nullptr) {
    if (Object* const code = py.getCode(frame); code != nullptr) {
      if (isNew) {
        told[frames.size()] = {frameOf(frame), reinterpret_cast<std::uintptr_t>(code), py.getLastInstruction(frame)};
      }
      frames.push_back(frameNumber(py, writer, code, py.getLine(frame)));
      areKept = areKept && frames.back() != 0;
    }
    Object* const back = frames.size() < deepestStack ? py.getBack(frame) : nullptr;
    py.decref(frame);
    frame = back;
  }
  const std::uint32_t number = stackNumber(writer, frames);
  std::array<RawFrame, mostRawFrames> raw;
  std::size_t count = 0;
  if (areKept && number != 0 &&
      all.layout.compare(thread, told.data(), frames.size(), *py.version, raw.data(), count)) {
    all.cache.keep(raw.data(), count, number);
  }
  return number;
}

/// Returns the thread that waits for autograd; null if none does, or several do.
void* autogradCaller(const Python& py, ChunkWriter& writer, void* own) {
  if (py.interpreterOf == nullptr || py.firstThread == nullptr || py.nextThread == nullptr) return nullptr;
  void* caller = nullptr;
  for (void* thread = py.firstThread(py.interpreterOf(own)); thread != nullptr; thread = py.nextThread(thread)) {
    Object* const frame = py.getFrame(thread);
    if (frame == nullptr) continue;
    Object* const code = py.getCode(frame);
    py.decref(frame);
    const Code* const described = code == nullptr ? nullptr : describe(py, writer, code);
    if (described == nullptr || !described->callsAutograd) continue;
    if (caller != nullptr) return nullptr;
    caller = thread;
  }
  return caller;
}

/// Needs the GIL, so that no frames change. A thread of autograd has none: the waiting thread requested its work.
std::uint32_t takeStack(const Python& py, ChunkWriter& writer, void* thread) {
  const std::lock_guard<std::mutex> lock(known().mutex);
  if (Object* const frame = py.getFrame(thread); frame != nullptr) {
    py.decref(frame);
    return takeFrames(py, writer, thread);
  }
  void* const caller = autogradCaller(py, writer, thread);
  return caller == nullptr ? 0 : takeFrames(py, writer, caller);
}

/// Works without the GIL; returns false if that is needed. Nobody else changes the frames of a thread in this function.
bool findStack(const void* thread, std::uint32_t& number) {
  Known& all = known();
  if (!all.layout.isProven()) return false;
  std::array<RawFrame, mostRawFrames> raw;
  const std::size_t count = all.layout.read(thread, raw.data());
  if (count == 0) return false;
  const std::lock_guard<std::mutex> lock(all.mutex);
  number = all.cache.find(raw.data(), count);
  return number != 0;
}

}  // namespace

std::uint32_t pythonStack(ChunkWriter& writer, bool (*mayLock)()) {
  const Python* const py = Python::find();
  if (py == nullptr || py->isInitialized() == 0) return 0;
  if (py->isFinalizing != nullptr && py->isFinalizing() != 0) return 0;
  // A thread unknown to Python has no stack, and must not be registered with it.
  void* const thread = py->thisThread();
  if (thread == nullptr) return 0;
  std::uint32_t number = 0;
  if (findStack(thread, number) || !mayLock()) return number;
  const int state = py->ensure();
  // A collection could run the program's own finalisers, and they CUDA, inside CUPTI's callback.
  const bool collects = py->disableGc != nullptr && py->disableGc() != 0;
  try {
    number = takeStack(*py, writer, thread);
  } catch (...) {
    // Without memory the call has no stack. The lock must be released all the same.
  }
  if (collects && py->enableGc != nullptr) py->enableGc();
  py->release(state);
  return number;
}

void forgetPythonStacks() {
  // A fork may have come while the lock was held, so the old data is abandoned with its references to codes.
  Known& all = known();
  new (&all) Known();
}

}  // namespace copyscope::record
