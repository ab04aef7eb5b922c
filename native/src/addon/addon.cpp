#include "addon/addon.h"
#include "addon/addon_copy.h"

#include <vector>

#include "executor/host_memory.h"
#include "executor/tables.h"

namespace copyscope::addon {

Napi::Error toError(Napi::Env env, const Failure& failure) {
  const Napi::Error error = Napi::Error::New(env, failure.message);
  error.Value().Set("code", failure.code);
  if (!failure.remedy.empty()) error.Value().Set("remedy", failure.remedy);
  if (!failure.field.empty()) error.Value().Set("field", failure.field);
  if (failure.op >= 0) error.Value().Set("op", failure.op);
  return error;
}

Failure toFailure(std::exception_ptr thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    return failure;
  } catch (const std::bad_alloc&) {
    return Failure("run.out-of-memory", "The engine ran out of host memory.", "Make the experiment smaller.");
  } catch (const std::exception& error) {
    return Failure("engine.internal", error.what());
  } catch (...) {
    return Failure("engine.internal", "An unknown error was thrown in the engine.");
  }
}

/// contentBytes(kind, value, multiplier, offset, length): returns the first bytes of a region with this content.
Napi::Value contentBytes(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    double arguments[5] = {};
    for (std::size_t index = 0; index < 5; ++index) {
      const bool valid = index < info.Length() && info[index].IsNumber();
      arguments[index] = valid ? info[index].As<Napi::Number>().DoubleValue() : -1;
      if (!(arguments[index] >= 0 && arguments[index] <= 1099511627776.0)) {
        throw Failure("native.bad-argument", "contentBytes takes five numbers from 0 to 2^40.");
      }
    }
    const double length = arguments[4];
    if (length > 1e8) throw Failure("native.bad-argument", "contentBytes gives at most 100,000,000 bytes.");
    Content content;
    content.kind = static_cast<PatternKind>(static_cast<int>(arguments[0]) % 4);
    content.value = static_cast<std::uint32_t>(static_cast<std::uint64_t>(arguments[1]));
    content.multiplier = static_cast<std::uint32_t>(static_cast<std::uint64_t>(arguments[2]));
    content.offset = static_cast<std::uint64_t>(arguments[3]);
    Napi::Uint8Array bytes = Napi::Uint8Array::New(info.Env(), static_cast<std::size_t>(length));
    writeContent(reinterpret_cast<std::byte*>(bytes.Data()), bytes.ByteLength(), content);
    return bytes;
  });
}

namespace {

Napi::Object initialise(Napi::Env env, Napi::Object exports) {
  exports.Set("layout", layoutText);
  exports.Set("report", Napi::Function::New(env, report, "report"));
  exports.Set("start", Napi::Function::New(env, start, "start"));
  exports.Set("cancel", Napi::Function::New(env, cancel, "cancel"));
  exports.Set("contentBytes", Napi::Function::New(env, contentBytes, "contentBytes"));
  initialiseBench(env, exports);
  initialiseCopies(env, exports);
  watchEnvironment(env);
  return exports;
}

}  // namespace

NODE_API_MODULE(copyscope, initialise)

}  // namespace copyscope::addon
