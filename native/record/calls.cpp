#include "calls.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <vector>

#include "call_names.h"
#include "executor/clock.h"
#include "native_stack.h"
#include "python_api.h"
#include "python_stack.h"
#include "recorder.h"
#include "threads.h"

namespace copyscope::record {
namespace {

struct Function {
  bool isRecorded = false;
  CallRole role = CallRole::launch;
  std::string name;
  /// Number of its name in the file.
  std::uint32_t text = 0;
  std::size_t source = 0;
};

/// Functions by domain and number. Filled once, before the first callback.
struct Functions {
  std::vector<Function> runtime;
  std::vector<Function> driver;

  const Function* of(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
    const std::vector<Function>& list = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? runtime : driver;
    return id < list.size() && list[id].isRecorded ? &list[id] : nullptr;
  }
};

Functions& functions() {
  static auto* const all = new Functions();
  return *all;
}

CUpti_SubscriberHandle subscriber = nullptr;
/// A thread's current call: the outermost, since the runtime's calls call the driver's.
struct Thread {
  std::uint32_t fork;
  bool isInCall;
  /// True if recording was on when it began.
  bool isRecorded;
  bool allocationFailed;
  CUpti_CallbackDomain domain;
  CUpti_CallbackId function;
  std::uint32_t correlation;
  std::uint32_t epoch;
  std::uint32_t stack;
  std::uint32_t stackNs;
  std::int64_t startNs;
};
thread_local Thread thread{};

Thread& thisThread() {
  if (thread.fork != forkCount()) {
    thread = Thread{};
    thread.fork = forkCount();
  }
  return thread;
}

/// PyTorch's allocator waits with its lock held. A thread with the GIL may want that lock, since it frees tensors.
struct Allocator {
  std::uintptr_t from = 0;
  std::uintptr_t to = 0;
};

int findAllocator(dl_phdr_info* info, std::size_t, void* into) {
  if (info->dlpi_name == nullptr || std::string_view(info->dlpi_name).find("libc10_cuda") == std::string_view::npos) {
    return 0;
  }
  auto& found = *static_cast<Allocator*>(into);
  for (int index = 0; index < info->dlpi_phnum; ++index) {
    const auto& part = info->dlpi_phdr[index];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
    if (found.from == 0 || from < found.from) found.from = from;
    if (from + part.p_memsz > found.to) found.to = from + part.p_memsz;
  }
  return 1;
}

const Allocator& allocator() {
  static const Allocator found = [] {
    Allocator look;
    dl_iterate_phdr(findAllocator, &look);
    return look;
  }();
  return found;
}

struct Walk {
  Allocator allocator;
  int left;
  bool isInside;
};

/// The program's own waits use functions of the same library, such as CUDAStream::synchronize.
bool isProgramsWait(std::uintptr_t at) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0 || info.dli_sname == nullptr) return false;
  const std::string_view name = info.dli_sname;
  return name.find("ynchronize") != std::string_view::npos && name.find("llocator") == std::string_view::npos;
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const std::uintptr_t at = _Unwind_GetIP(context);
  if (at >= walk.allocator.from && at < walk.allocator.to && !isProgramsWait(at)) {
    walk.isInside = true;
    return _URC_END_OF_STACK;
  }
  return --walk.left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

bool isInAllocator() {
  const Allocator& found = allocator();
  if (found.from == 0) return false;
  Walk walk{found, 24, false};
  _Unwind_Backtrace(visit, &walk);
  return walk.isInside;
}

std::uint32_t stackOf(ChunkWriter& writer, const Function& function, const Thread& at) {
  if (!Recorder::instance().settings().lines || at.allocationFailed) return 0;
  if (function.role != CallRole::copy && function.role != CallRole::wait) return 0;
  if (Python::find() == nullptr) return nativeStack(writer);
  if (function.role == CallRole::copy) return pythonStack(writer, [] { return true; });
  return pythonStack(writer, [] { return !isInAllocator(); });
}

void enter(const CUpti_CallbackData& data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const Function& function) {
  Recorder& recorder = Recorder::instance();
  Thread& at = thisThread();
  const std::uint32_t epoch = recorder.epoch();
  if (at.isInCall && at.epoch == epoch) return;
  at.isInCall = true;
  at.domain = domain;
  at.function = id;
  at.correlation = data.correlationId;
  at.epoch = epoch;
  ChunkWriter* const writer = recorder.writer();
  at.isRecorded = writer != nullptr && recorder.isRecording();
  if (!at.isRecorded) return;
  const std::int64_t askedNs = nowNs();
  at.stack = stackOf(*writer, function, at);
  // Read after the stack was taken, whose time is not the call's.
  at.startNs = at.stack == 0 ? askedNs : nowNs();
  at.stackNs = static_cast<std::uint32_t>(at.startNs - askedNs);
}

struct Memory {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint64_t source = 0;
};

/// Parameters of all functions of a role begin alike: the pointer, or where to put it, then the bytes.
Memory memoryOf(const CUpti_CallbackData& data, const Function& function) {
  const auto* const words = static_cast<const std::uint64_t*>(data.functionParams);
  if (words == nullptr) return {};
  switch (function.role) {
    case CallRole::allocate:
    case CallRole::pin: {
      const bool isRegistration = function.name.find("Register") != std::string::npos;
      const auto* const place = reinterpret_cast<const std::uint64_t*>(words[0]);
      if (!isRegistration && place == nullptr) return {};
      return {words[1], isRegistration ? words[0] : *place};
    }
    case CallRole::free:
    case CallRole::unpin:
      return {0, words[0]};
    case CallRole::copy:
      return function.source == 0 ? Memory{} : Memory{0, words[0], words[function.source]};
    default:
      return {};
  }
}

void tell(ChunkWriter& writer, Thread& at, std::int64_t endNs, const CUpti_CallbackData& data,
          const Function& function) {
  const std::uint32_t result =
      data.functionReturnValue == nullptr ? 0 : *static_cast<const std::uint32_t*>(data.functionReturnValue);
  if (function.role == CallRole::allocate) at.allocationFailed = result != 0;
  const Memory memory = result == 0 ? memoryOf(data, function) : Memory{};
  const std::uint32_t toldBy = toldThread(writer);
  RecordBuffer record(RecordKind::call);
  record.i64(at.startNs).i64(endNs).u32(toldBy).u32(at.correlation).u32(function.text).u32(at.stack).u32(result);
  record.u8(static_cast<std::uint8_t>(function.role)).u64(memory.bytes).u64(memory.address).u32(at.stackNs);
  if (memory.source != 0) record.u64(memory.source);
  writer.append(record);
}

void leave(const CUpti_CallbackData& data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const Function& function) {
  const std::int64_t endNs = nowNs();
  Thread& at = thisThread();
  if (!at.isInCall || at.domain != domain || at.function != id || at.correlation != data.correlationId) return;
  at.isInCall = false;
  Recorder& recorder = Recorder::instance();
  ChunkWriter* const writer = recorder.writer();
  if (at.isRecorded && writer != nullptr) tell(*writer, at, endNs, data, function);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  const Function* const function = functions().of(domain, id);
  if (function == nullptr || data == nullptr) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  try {
    if (call.callbackSite == CUPTI_API_ENTER) {
      enter(call, domain, id, *function);
    } else {
      leave(call, domain, id, *function);
    }
  } catch (...) {
    // Without memory for a record the call is not recorded, and the program goes on.
  }
}

std::vector<Function> functionsOf(const CuptiLibrary& cupti, ChunkWriter& writer, CUpti_CallbackDomain domain,
                                  std::uint32_t count) {
  std::vector<Function> all(count);
  for (CUpti_CallbackId id = 1; id < count; ++id) {
    const char* name = nullptr;
    if (cupti.getCallbackName(domain, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
    const std::string plain = plainName(name);
    const std::optional<CallRole> role = roleOf(plain);
    if (role.has_value()) all[id] = {true, *role, plain, writer.text(plain), sourceParameter(plain)};
  }
  return all;
}

template <typename Wanted>
void setCallbacks(const CuptiLibrary& cupti, std::uint32_t enable, Wanted isWanted) {
  const auto set = [&](CUpti_CallbackDomain domain, const std::vector<Function>& list) {
    for (CUpti_CallbackId id = 1; id < list.size(); ++id) {
      if (list[id].isRecorded && isWanted(list[id])) cupti.enableCallback(enable, subscriber, domain, id);
    }
  };
  set(CUPTI_CB_DOMAIN_RUNTIME_API, functions().runtime);
  set(CUPTI_CB_DOMAIN_DRIVER_API, functions().driver);
}

/// Without kernels, launches have no device activity, and events order nothing visible.
bool isOfLight(const Function& function) {
  return function.role != CallRole::launch && function.role != CallRole::event;
}

}  // namespace

std::string subscribe(const CuptiLibrary& cupti, ChunkWriter& writer, bool& isTaken) {
  Functions& all = functions();
  if (all.runtime.empty()) all.runtime = functionsOf(cupti, writer, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_SIZE);
  if (all.driver.empty()) all.driver = functionsOf(cupti, writer, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_SIZE);
  char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1] = {};
  CUptiResult result = CUPTI_SUCCESS;
  if (cupti.subscribeNamed != nullptr) {
    CUpti_SubscriberParams names{};
    names.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    names.subscriberName = "Copyscope";
    names.oldSubscriberName = other;
    names.oldSubscriberSize = CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN;
    result = cupti.subscribeNamed(&subscriber, called, nullptr, &names);
  } else {
    result = cupti.subscribe(&subscriber, called, nullptr);
  }
  isTaken = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (isTaken) return *other == '\0' ? "another tool" : other;
  return result == CUPTI_SUCCESS ? "" : cupti.describe("cuptiSubscribe", result);
}

void enableCalls(const CuptiLibrary& cupti, bool light) {
  setCallbacks(cupti, 1, [&](const Function& function) { return !light || isOfLight(function); });
}

void disableCalls(const CuptiLibrary& cupti) {
  setCallbacks(cupti, 0, [](const Function&) { return true; });
}

void unsubscribe(const CuptiLibrary& cupti) {
  if (cupti.unsubscribe != nullptr) cupti.unsubscribe(subscriber);
}

}  // namespace copyscope::record
