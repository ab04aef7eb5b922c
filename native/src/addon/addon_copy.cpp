#include "addon/addon_copy.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "addon/copy_environment.h"
#include "copy/multi_copy.h"
#include "executor/clock.h"
#include "executor/host_memory.h"

namespace copyscope::addon {
namespace {

using namespace copy;

constexpr double mostNumber = 1099511627776.0;  // 2^40

/// Returns a number from 0 to 2^40; the default if the property is missing.
double numberOr(const Napi::Object& object, const char* name, double standard) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) return standard;
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : -1;
  if (!(number >= 0 && number <= mostNumber)) badCopyArgument(name, "a number from 0 to 2^40");
  return number;
}

std::string text(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (!value.IsString()) badCopyArgument(name, "a string");
  return value.As<Napi::String>().Utf8Value();
}

MultiCopyPlan readPlan(const Napi::Object& object) {
  MultiCopyPlan plan;
  const double direction = numberOr(object, "direction", 0);
  if (direction > 3) badCopyArgument("direction", "a number from 0 to 3");
  plan.direction = static_cast<Direction>(static_cast<int>(direction));
  plan.pinned = numberOr(object, "pinned", 0) != 0;
  plan.options = readCopyOptions(object);
  const Napi::Value sizes = object.Get("sizes");
  if (!sizes.IsTypedArray() || sizes.As<Napi::TypedArray>().TypedArrayType() != napi_float64_array) {
    badCopyArgument("sizes", "a Float64Array");
  }
  const auto array = sizes.As<Napi::Float64Array>();
  for (std::size_t index = 0; index < array.ElementLength(); ++index) {
    if (!(array[index] >= 0 && array[index] <= mostNumber)) badCopyArgument("sizes", "numbers from 0 to 2^40");
    plan.sizes.push_back(static_cast<std::uint64_t>(array[index]));
  }
  return plan;
}

struct Checked {
  std::uint64_t bytes = 0;
  std::uint64_t wrong = 0;
  void add(const Comparison& found) {
    bytes += found.checked;
    wrong += found.wrong;
  }
};

/// copyMeasure(request): times a payload that the engine makes. Blocks. The first warm-up and one more run after the
/// last repetition start with overwritten targets and are verified. If `beside` is 1, each repetition is paired with a
/// bare loop of asynchronous copies, over the same memory in the same stream, in alternating order.
Napi::Value copyMeasure(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() != 1 || !info[0].IsObject()) badCopyArgument("request", "an object");
    const auto request = info[0].As<Napi::Object>();
    const auto repetitions = static_cast<int>(numberOr(request, "repetitions", 7));
    const auto warmups = static_cast<int>(numberOr(request, "warmups", 2));
    const auto pauseNs = static_cast<std::int64_t>(numberOr(request, "pauseNs", 0));
    const bool beside = numberOr(request, "beside", 0) != 0;
    const std::shared_ptr<CopyEngine> engine = copyEngine(text(request, "device"));
    MultiCopy copies(*engine, readPlan(request));
    const StreamRef stream = engine->defaultStream();
    const auto timed = [&](const auto& run) {
      if (pauseNs > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(pauseNs));
      const std::int64_t start = nowNs();
      run();
      return static_cast<double>(nowNs() - start);
    };
    const auto own = [&] { copies.run(stream); };
    const auto bare = [&] { copies.runBare(stream); };
    Checked checked;
    const auto verified = [&] {
      copies.poison();
      copies.run(stream);
      checked.add(copies.verify());
    };
    verified();
    for (int warmup = 1; warmup < warmups; ++warmup) own();
    const std::uint64_t before = allocationsOf(engine->counts());
    const auto count = static_cast<std::size_t>(std::max(1, repetitions));
    Napi::Float64Array times = Napi::Float64Array::New(info.Env(), count);
    Napi::Float64Array bareTimes = Napi::Float64Array::New(info.Env(), beside ? count : 0);
    for (std::size_t repetition = 0; repetition < count; ++repetition) {
      const bool bareFirst = beside && repetition % 2 != 0;
      if (bareFirst) bareTimes[repetition] = timed(bare);
      times[repetition] = timed(own);
      if (beside && !bareFirst) bareTimes[repetition] = timed(bare);
    }
    const auto allocations = static_cast<double>(allocationsOf(engine->counts()) - before);
    verified();
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("ns", times);
    result.Set("bareNs", bareTimes);
    result.Set("bytes", static_cast<double>(copies.bytes()));
    result.Set("checked", static_cast<double>(checked.bytes));
    result.Set("wrong", static_cast<double>(checked.wrong));
    result.Set("allocations", allocations);
    return result;
  });
}

Napi::Object toObject(Napi::Env env, const PoolCounts& counts) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("allocations", static_cast<double>(counts.allocations));
  object.Set("allocatedBytes", static_cast<double>(counts.allocatedBytes));
  object.Set("reservedBytes", static_cast<double>(counts.reservedBytes));
  object.Set("usedBytes", static_cast<double>(counts.usedBytes));
  return object;
}

/// copyCounts(device): returns the memory that its engine holds, and the allocations it has ever made.
Napi::Value copyCounts(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() != 1 || !info[0].IsString()) badCopyArgument("device", "a string");
    const EngineCounts counts = copyEngine(info[0].As<Napi::String>().Utf8Value())->counts();
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("pinned", toObject(info.Env(), counts.pinned));
    object.Set("device", toObject(info.Env(), counts.device));
    object.Set("eventsMade", static_cast<double>(counts.eventsMade));
    object.Set("threadsStarted", static_cast<double>(counts.threadsStarted));
    object.Set("ringBytes", static_cast<double>(counts.ringBytes));
    return object;
  });
}

/// copyTrim(device): frees unused memory.
Napi::Value copyTrim(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() != 1 || !info[0].IsString()) badCopyArgument("device", "a string");
    copyEngine(info[0].As<Napi::String>().Utf8Value())->trim();
    return info.Env().Undefined();
  });
}

}  // namespace

void badCopyArgument(const std::string& name, const std::string& expected) {
  throw Failure("native.bad-argument", "copy: " + name + " must be " + expected + ".", "", name);
}

void outOfCopyMemory(std::uint64_t bytes, const std::string& where, std::uint64_t available) {
  throw Failure("run.out-of-memory",
                "There is no " + where + " memory for " + std::to_string(bytes) + " bytes" +
                    (available > 0 ? "; " + std::to_string(available) + " are free" : "") + ".",
                "Let go of results that are no longer needed: release(results).");
}

void requireMemory(std::uint64_t bytes, MemoryPool& pool) {
  // For less, querying takes longer than the copy.
  constexpr std::uint64_t worthAsking = 64u << 20;
  if (pool.budgetFor() == Budget::held || bytes < worthAsking) return;
  const std::uint64_t available = availableHostMemory();
  if (available == 0 || bytes <= available) return;
  // Memory kept by the pool may be the missing memory.
  pool.trim();
  const std::uint64_t trimmed = availableHostMemory();
  if (bytes > trimmed) outOfCopyMemory(bytes, "host", trimmed);
}

CopyOptions readCopyOptions(const Napi::Object& object) {
  CopyOptions options;
  const double strategy = numberOr(object, "strategy", static_cast<double>(options.strategy));
  if (strategy >= strategyCount) badCopyArgument("strategy", "a number from 0 to 6");
  options.strategy = static_cast<Strategy>(static_cast<int>(strategy));
  options.usePinnedStaging = numberOr(object, "usePinnedStaging", 1) != 0;
  options.packCpuTensors = numberOr(object, "packCpuTensors", 1) != 0;
  options.useBackgroundThread = numberOr(object, "useBackgroundThread", 1) != 0;
  options.minPackedAlignmentBytes =
      static_cast<std::uint64_t>(numberOr(object, "minPackedAlignmentBytes", double(options.minPackedAlignmentBytes)));
  options.maxPackedChunkBytes =
      static_cast<std::uint64_t>(numberOr(object, "maxPackedChunkBytes", double(options.maxPackedChunkBytes)));
  constexpr double mostThreads = 256;
  options.threads = static_cast<std::uint32_t>(std::min(mostThreads, numberOr(object, "threads", 0)));
  options.slotsPerThread = static_cast<std::uint32_t>(std::min(mostThreads, numberOr(object, "slotsPerThread", 0)));
  options.slotBytes = static_cast<std::uint64_t>(numberOr(object, "slotBytes", 0));
  options.chunkBytes = static_cast<std::uint64_t>(numberOr(object, "chunkBytes", 0));
  const double streaming = numberOr(object, "streamingStores", -1);
  if (streaming >= 0) options.streamingStores = streaming != 0;
  return options;
}

void initialiseCopies(Napi::Env env, Napi::Object exports) {
  exports.Set("copyMeasure", Napi::Function::New(env, copyMeasure, "copyMeasure"));
  exports.Set("copyCounts", Napi::Function::New(env, copyCounts, "copyCounts"));
  exports.Set("copyTrim", Napi::Function::New(env, copyTrim, "copyTrim"));
  auto owned = std::make_unique<Environment>(env);
  Environment* const environment = owned.get();
  env.AddCleanupHook([environment] {
    environment->close();
    delete environment;
    leaveEngines();
  });
  static_cast<void>(owned.release());  // Owned by the hook from here on.
  enterEngines();
  const AddFunction add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name, environment));
  };
  initialiseStarts(add);
  initialiseHandles(add);
}

}  // namespace copyscope::addon
