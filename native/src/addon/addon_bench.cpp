#include "addon/addon.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>

#include "bench/bench_request.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "bench/bench_session.h"
#endif

namespace copyscope::addon {
namespace {

using bench::Request;
using bench::Result;

[[noreturn]] void badArgument(const char* name, const std::string& expected) {
  throw Failure("native.bad-argument", std::string("bench: ") + name + " must be " + expected + ".", "", name);
}

double number(const Napi::Object& object, const char* name, double most) {
  const Napi::Value value = object.Get(name);
  const double found = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(found >= 0 && found <= most)) badArgument(name, "a number from 0 to " + std::to_string(most));
  return found;
}

Request readRequest(const Napi::CallbackInfo& info) {
  if (info.Length() != 1 || !info[0].IsObject()) badArgument("request", "an object");
  const auto object = info[0].As<Napi::Object>();
  constexpr double mostBytes = 1099511627776.0;  // 2^40
  constexpr double mostCount = 100'000;
  constexpr double mostDevices = 1024;
  Request request;
  request.kind = static_cast<bench::Kind>(number(object, "kind", bench::kindCount - 1));
  request.direction = static_cast<bench::Direction>(number(object, "direction", bench::directionCount - 1));
  request.memory = static_cast<bench::HostMemory>(number(object, "memory", bench::hostMemoryCount - 1));
  request.strategy = static_cast<copy::BlockStrategy>(number(object, "strategy", copy::blockStrategyCount - 1));
  request.device = static_cast<std::int32_t>(number(object, "device", mostDevices));
  request.bytes = static_cast<std::uint64_t>(number(object, "bytes", mostBytes));
  request.capacity = static_cast<std::uint64_t>(number(object, "capacity", mostBytes));
  request.count = static_cast<std::int32_t>(number(object, "count", mostCount));
  request.samples = static_cast<std::int32_t>(number(object, "samples", mostCount));
  request.warmups = static_cast<std::int32_t>(number(object, "warmups", mostCount));
  if (request.bytes < 1) badArgument("bytes", "at least 1");
  if (request.count < 1) badArgument("count", "at least 1");
  if (request.samples < 1) badArgument("samples", "at least 1");
  return request;
}

[[noreturn, maybe_unused]] void withoutCuda() {
  throw Failure("native.no-cuda-build", "The addon was built without CUDA.",
                "Install the CUDA toolkit and run: npm run build:native");
}

#ifdef COPYSCOPE_WITH_CUDA
/// The session of this process. The threads of its jobs make, use and end it, one at a time.
class Bench {
 public:
  static Bench& instance() {
    static Bench bench;
    return bench;
  }

  bool begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (busy_) return false;
    busy_ = true;
    return true;
  }

  Result measure(const Request& request) {
    if (session_ == nullptr || session_->device() != request.device || stop_->requested()) renew(request.device);
    return session_->run(request);
  }

  void done() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    busy_ = false;
  }

  void cancel() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!busy_ || session_ == nullptr) return;
    stop_->request();
    session_->interrupt();
  }

  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!busy_) session_.reset();
  }

 private:
  void renew(int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    session_.reset();
    stop_ = std::make_unique<Stop>();
    session_ = std::make_unique<bench::BenchSession>(*stop_, device);
  }

  std::mutex mutex_;
  bool busy_ = false;
  std::unique_ptr<Stop> stop_;
  std::unique_ptr<bench::BenchSession> session_;
};
#endif

Napi::Float64Array times(Napi::Env env, const std::vector<double>& values) {
  Napi::Float64Array array = Napi::Float64Array::New(env, values.size());
  for (std::size_t index = 0; index < values.size(); ++index) array[index] = values[index];
  return array;
}

Napi::Object toObject(Napi::Env env, const Result& result) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("ns", times(env, result.ns));
  object.Set("callNs", times(env, result.callNs));
  object.Set("deviceNs", times(env, result.deviceNs));
  object.Set("onHostClock", result.onHostClock);
  object.Set("bytes", static_cast<double>(result.bytes));
  object.Set("checked", static_cast<double>(result.checked));
  object.Set("wrong", static_cast<double>(result.wrong));
  object.Set("depth", static_cast<double>(result.depth));
  return object;
}

/// One measurement on a thread of Node's pool, so that Node's own thread can receive a cancel.
class Job : public Napi::AsyncWorker {
 public:
  Job(Napi::Env env, const Request& request)
      : Napi::AsyncWorker(env, "copyscope bench"), request_(request), deferred_(Napi::Promise::Deferred::New(env)) {}

  Napi::Promise promise() const { return deferred_.Promise(); }

 protected:
  void Execute() override {
#ifdef COPYSCOPE_WITH_CUDA
    try {
      result_ = Bench::instance().measure(request_);
    } catch (...) {
      failure_ = std::make_unique<Failure>(toFailure(std::current_exception()));
    }
    Bench::instance().done();
#endif
  }

  void OnOK() override {
    if (failure_ != nullptr) {
      deferred_.Reject(toError(Env(), *failure_).Value());
    } else {
      deferred_.Resolve(toObject(Env(), result_));
    }
  }

 private:
  Request request_;
  Napi::Promise::Deferred deferred_;
  Result result_;
  std::unique_ptr<Failure> failure_;
};

/// benchMeasure(request): returns a promise of the result. One at a time.
Napi::Value benchMeasure(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Request request = readRequest(info);
#ifdef COPYSCOPE_WITH_CUDA
    if (!Bench::instance().begin()) {
      throw Failure("engine.busy", "Another benchmark is in progress.", "Wait for it to end, or cancel it.");
    }
    try {
      auto job = std::make_unique<Job>(info.Env(), request);
      const Napi::Promise promise = job->promise();
      job->Queue();
      static_cast<void>(job.release());  // Deletes itself when it is done.
      return promise;
    } catch (...) {
      Bench::instance().done();
      throw;
    }
#else
    static_cast<void>(request);
    withoutCuda();
#endif
  });
}

/// benchCancel(): makes the measurement in progress reject with `run.cancelled`.
Napi::Value benchCancel(const Napi::CallbackInfo& info) {
#ifdef COPYSCOPE_WITH_CUDA
  Bench::instance().cancel();
#endif
  return info.Env().Undefined();
}

/// benchEnd(): frees the benchmarks' memory.
Napi::Value benchEnd(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
#ifdef COPYSCOPE_WITH_CUDA
    Bench::instance().end();
#endif
    return info.Env().Undefined();
  });
}

/// __fault(prepareOnly): launches a kernel that writes to an invalid address, which destroys the process's CUDA
/// context. Only for tests of error handling: an environment variable must allow it.
Napi::Value fault(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const char* const asked = std::getenv("COPYSCOPE_TEST_FAULTS");
    if (asked == nullptr || std::string(asked) != "1") {
      throw Failure("native.bad-argument", "Faults are made only where COPYSCOPE_TEST_FAULTS is 1.");
    }
#ifdef COPYSCOPE_WITH_CUDA
    // Loading a kernel may wait for the running one, so it is done beforehand.
    check(bench::loadBenchKernels(), "cudaFuncGetAttributes");
    const bool prepareOnly = info.Length() > 0 && info[0].ToBoolean().Value();
    if (!prepareOnly) check(bench::launchFault(cudaStreamPerThread), "cudaLaunchKernel");
    return info.Env().Undefined();
#else
    withoutCuda();
#endif
  });
}

}  // namespace

void initialiseBench(Napi::Env env, Napi::Object exports) {
  exports.Set("benchMeasure", Napi::Function::New(env, benchMeasure, "benchMeasure"));
  exports.Set("benchCancel", Napi::Function::New(env, benchCancel, "benchCancel"));
  exports.Set("benchEnd", Napi::Function::New(env, benchEnd, "benchEnd"));
  exports.Set("__fault", Napi::Function::New(env, fault, "__fault"));
}

}  // namespace copyscope::addon
