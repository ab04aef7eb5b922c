// Runs, each on its own thread, so that Node's is never blocked. One at a time in a process, since a second one would
// disturb the measurements of the first.
#include <atomic>
#include <map>
#include <memory>

#include "addon/addon.h"
#include "cpu/cpu_backend.h"
#include "executor/tables.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda/cuda_engine.h"
#endif

namespace copyscope::addon {
namespace {

std::atomic<bool> processBusy{false};

struct Request {
  Program program;
  EngineKind engine = EngineKind::cpu;
  /// Takes device times from CUDA events even if CUPTI is available.
  bool eventTiming = false;
};

class Run {
 public:
  Run(Napi::Env env, Request request, Napi::Function listener, std::function<void()> onEnded)
      : request_(std::move(request)),
        onEnded_(std::move(onEnded)),
        caller_(Napi::ThreadSafeFunction::New(env, listener, "copyscope run", 0, 1)) {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (...) {
      caller_.Abort();
      throw;
    }
  }
  ~Run() {
    cancel();
    if (thread_.joinable()) thread_.join();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void cancel() {
    stop_.request();
    const std::lock_guard<std::mutex> lock(backendMutex_);
    if (backend_ != nullptr) backend_->interrupt();
  }

 private:
  void work() noexcept {
    auto outcome = std::make_shared<Outcome>();
    try {
      execute(outcome->record);
    } catch (...) {
      outcome->failure = std::make_unique<Failure>(toFailure(std::current_exception()));
    }
    processBusy.store(false);
    call([this, outcome](Napi::Env env, Napi::Function listener) {
      Napi::Object event = Napi::Object::New(env);
      if (outcome->failure != nullptr) {
        event.Set("error", toError(env, *outcome->failure).Value());
      }
      if (outcome->failure == nullptr || !outcome->record.startsNs.empty()) {
        event.Set("result", toResult(env, outcome->record));
      }
      // The run is deleted before JavaScript hears of its end, so that the listener can start the next one. No member
      // may be used from here on.
      const std::function<void()> end = std::move(onEnded_);
      end();
      listener.Call({event});
    });
    if (!closing_) caller_.Release();
  }

  /// `record` holds the data recorded so far, also if the run fails.
  void execute(RunRecord& record) {
    const std::unique_ptr<Backend> backend = makeBackend();
    const Interruptible interruptible(*this, *backend);
    Executor executor(request_.program, *backend, stop_,
                      [this](Phase phase, int done, int total) { progress(phase, done, total); },
                      [this](RunRecord soFar) { tellPartial(std::move(soFar)); });
    try {
      record = executor.run();
    } catch (...) {
      record = executor.takePartial();
      throw;
    }
  }

  /// Lets cancel() reach the backend while it exists.
  class Interruptible {
   public:
    Interruptible(Run& run, Backend& backend) : run_(run) { run_.setBackend(&backend); }
    ~Interruptible() { run_.setBackend(nullptr); }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

   private:
    Run& run_;
  };

  std::unique_ptr<Backend> makeBackend() {
    if (request_.engine == EngineKind::cpu) return std::make_unique<CpuBackend>(stop_);
#ifdef COPYSCOPE_WITH_CUDA
    return makeCudaBackend(stop_, request_.eventTiming ? Timing::events : Timing::cupti);
#else
    throw Failure("native.no-cuda-build", "The addon was built without CUDA.",
                  "Install the CUDA toolkit and run: npm run build:native");
#endif
  }

  void setBackend(Backend* backend) {
    const std::lock_guard<std::mutex> lock(backendMutex_);
    backend_ = backend;
  }

  /// Reports a new phase at once, and progress within one at most every 50 ms.
  void progress(Phase phase, int done, int total) {
    constexpr std::int64_t leastIntervalNs = 50000000;
    const std::int64_t now = nowNs();
    const bool isNews = phase != lastPhase_ || done == total || now - lastProgressNs_ >= leastIntervalNs;
    if (!isNews) return;
    lastPhase_ = phase;
    lastProgressNs_ = now;
    call([phase, done, total](Napi::Env env, Napi::Function listener) {
      Napi::Object event = Napi::Object::New(env);
      event.Set("phase", static_cast<int>(phase));
      event.Set("done", done);
      event.Set("total", total);
      listener.Call({event});
    });
  }

  void tellPartial(RunRecord soFar) {
    const auto kept = std::make_shared<const RunRecord>(std::move(soFar));
    call([kept](Napi::Env env, Napi::Function listener) {
      Napi::Object event = Napi::Object::New(env);
      event.Set("partial", toResult(env, *kept));
      listener.Call({event});
    });
  }

  /// Queues a call on Node's thread. Once the environment closes, the function must not be used again.
  template <typename Call>
  void call(Call body) noexcept {
    if (closing_) return;
    closing_ = caller_.NonBlockingCall([body](Napi::Env env, Napi::Function listener) {
      if (env == nullptr || listener.IsEmpty()) return;
      try {
        body(env, listener);
      } catch (const Napi::Error&) {
        // The listener threw. It handles its own errors, and nobody here could.
      }
    }) == napi_closing;
  }

  struct Outcome {
    RunRecord record;
    std::unique_ptr<Failure> failure;
  };

  Request request_;
  std::function<void()> onEnded_;
  Stop stop_;
  std::mutex backendMutex_;
  Backend* backend_ = nullptr;
  bool closing_ = false;
  Phase lastPhase_ = Phase::verifying;
  std::int64_t lastProgressNs_ = 0;
  Napi::ThreadSafeFunction caller_;
  std::thread thread_;
};

/// The runs of one environment.
struct Runs {
  std::uint32_t nextId = 1;
  std::map<std::uint32_t, std::unique_ptr<Run>> byId;
};

[[noreturn]] void badArgument(const std::string& name, const std::string& expected) {
  throw Failure("native.bad-argument", "start: " + name + " must be " + expected + ".", "", name);
}

Napi::Value member(const Napi::Object& object, const char* name) { return object.Get(name); }

double number(const Napi::Object& object, const char* name) {
  const Napi::Value value = member(object, name);
  if (!value.IsNumber()) badArgument(name, "a number");
  return value.As<Napi::Number>().DoubleValue();
}

Table table(const Napi::Value& value, const char* name) {
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    badArgument(name, "a Float64Array");
  }
  const auto array = value.As<Napi::Float64Array>();
  return {array.Data(), array.ElementLength()};
}

Napi::Array list(const Napi::Object& object, const char* name) {
  const Napi::Value value = member(object, name);
  if (!value.IsArray()) badArgument(name, "an array");
  return value.As<Napi::Array>();
}

std::vector<std::string> strings(const Napi::Object& object, const char* name) {
  const Napi::Array values = list(object, name);
  std::vector<std::string> result;
  for (std::uint32_t index = 0; index < values.Length(); ++index) {
    const Napi::Value value = values.Get(index);
    if (!value.IsString()) badArgument(name, "an array of strings");
    result.push_back(value.As<Napi::String>().Utf8Value());
  }
  return result;
}

std::vector<Table> tablesIn(const Napi::Object& object, const char* name) {
  const Napi::Array values = list(object, name);
  std::vector<Table> result;
  for (std::uint32_t index = 0; index < values.Length(); ++index) result.push_back(table(values.Get(index), name));
  return result;
}

Request readRequest(const Napi::CallbackInfo& info) {
  if (info.Length() != 2 || !info[0].IsObject()) badArgument("request", "an object");
  if (!info[1].IsFunction()) badArgument("listener", "a function");
  const auto object = info[0].As<Napi::Object>();
  ProgramTables tables;
  tables.devices = table(member(object, "devices"), "devices");
  tables.iterations = number(object, "iterations");
  tables.warmups = number(object, "warmups");
  tables.bufferIds = strings(object, "bufferIds");
  tables.streamIds = strings(object, "streamIds");
  tables.signalIds = strings(object, "signalIds");
  tables.graphIds = strings(object, "graphIds");
  tables.launchBlocking = number(object, "launchBlocking");
  tables.peerAccess = number(object, "peerAccess");
  tables.poolReleaseThreshold = number(object, "poolReleaseThreshold");
  tables.signals = table(member(object, "signals"), "signals");
  tables.threadDevices = table(member(object, "threadDevices"), "threadDevices");
  tables.buffers = table(member(object, "buffers"), "buffers");
  tables.streams = table(member(object, "streams"), "streams");
  tables.events = table(member(object, "events"), "events");
  tables.libraryCalls = table(member(object, "libraryCalls"), "libraryCalls");
  tables.results = table(member(object, "results"), "results");
  tables.expectations = table(member(object, "expectations"), "expectations");
  tables.multiCopies = table(member(object, "multiCopies"), "multiCopies");
  tables.threads = tablesIn(object, "threads");
  tables.multiCopySizes = tablesIn(object, "multiCopySizes");
  tables.blockTables = tablesIn(object, "blockTables");
  tables.checksum = number(object, "checksum");
  Request request;
  request.program = readProgram(tables);
  const double engine = number(object, "engine");
  if (engine != 0 && engine != 1) badArgument("engine", "0 (CPU) or 1 (CUDA)");
  request.engine = engine == 0 ? EngineKind::cpu : EngineKind::cuda;
  request.eventTiming = number(object, "eventTiming") == 1;
  return request;
}

}  // namespace

/// start(request, listener): returns the run's number. The listener gets progress, then one result or error.
Napi::Value start(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    Request request = readRequest(info);
    if (processBusy.exchange(true)) {
      throw Failure("engine.busy", "Another run is in progress.", "Wait for it to end, or cancel it.");
    }
    try {
      auto* runs = info.Env().GetInstanceData<Runs>();
      const std::uint32_t id = runs->nextId++;
      // The entry comes first, and is removed if no run can be made, so that a started run always has one.
      std::unique_ptr<Run>& place = runs->byId[id];
      try {
        place = std::make_unique<Run>(info.Env(), std::move(request), info[1].As<Napi::Function>(),
                                      [runs, id] { runs->byId.erase(id); });
      } catch (...) {
        runs->byId.erase(id);
        throw;
      }
      return Napi::Number::New(info.Env(), id);
    } catch (...) {
      processBusy.store(false);
      throw;
    }
  });
}

/// cancel(run): returns true if it was still running.
Napi::Value cancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() != 1 || !info[0].IsNumber()) {
      throw Failure("native.bad-argument", "cancel: the argument must be a run's number.");
    }
    auto* runs = info.Env().GetInstanceData<Runs>();
    const auto found = runs->byId.find(info[0].As<Napi::Number>().Uint32Value());
    if (found == runs->byId.end()) return Napi::Boolean::New(info.Env(), false);
    found->second->cancel();
    return Napi::Boolean::New(info.Env(), true);
  });
}

void watchEnvironment(Napi::Env env) {
  auto owned = std::make_unique<Runs>();
  Runs* const runs = owned.get();
  env.SetInstanceData(runs);
  static_cast<void>(owned.release());  // Deleted with the environment.
  env.AddCleanupHook([runs] { runs->byId.clear(); });
}

}  // namespace copyscope::addon
