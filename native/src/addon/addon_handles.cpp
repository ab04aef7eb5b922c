// JavaScript's functions on a started copy, on the memory of copies, and on streams.
#include <cstring>
#include <memory>
#include <string>

#include "addon/copy_environment.h"
#include "addon/copy_request.h"

namespace copyscope::addon {
namespace {

using namespace copy;

/// An argument that was left out is undefined and so no external.
PendingCopy& copyOf(const Napi::CallbackInfo& info) {
  return *external<Ticket>(info[0], "copy").copy;
}

/// copyState(copy): returns 0 pending, 1 done, 2 failed, 3 cancelled.
Napi::Value copyState(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::Number::New(info.Env(), static_cast<int>(copyOf(info).state()));
  });
}

/// copyNotify(copy, listener): returns at once, and calls the listener from the event loop when the copy has ended. The
/// scheduler's thread waits for a copy that was submitted here.
Napi::Value copyNotify(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Ticket& ticket = external<Ticket>(info[0], "copy");
    if (info.Length() < 2 || !info[1].IsFunction()) badCopyArgument("listener", "a function");
    environmentOf(info).notify(info.Env(), ticket, info[1].As<Napi::Function>());
    return info.Env().Undefined();
  });
}

/// copyError(copy): returns the error, or undefined.
Napi::Value copyError(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    PendingCopy& copy = copyOf(info);
    const CopyState state = copy.state();
    if (state == CopyState::pending || state == CopyState::done) return info.Env().Undefined();
    return toError(info.Env(), copy.failure()).Value();
  });
}

/// copyCancel(copy): makes it end soon.
Napi::Value copyCancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    copyOf(info).cancel();
    return info.Env().Undefined();
  });
}

/// Returns an ArrayBuffer over the block, which returns to its pool with it; empty if the runtime allows no such
/// buffers, as Electron.
Napi::Value overBlock(Napi::Env env, const BlockRef& block, std::uint64_t bytes) {
  auto held = std::make_unique<BlockRef>(block);
  napi_value buffer = nullptr;
  const napi_status status = napi_create_external_arraybuffer(
      env, block->memory, static_cast<std::size_t>(bytes),
      [](napi_env, void*, void* hint) { delete static_cast<BlockRef*>(hint); }, held.get(), &buffer);
  if (status != napi_ok) return {};
  static_cast<void>(held.release());  // Deleted with the buffer.
  return Napi::Value(env, buffer);
}

/// copyBuffers(copy): returns { buffers, external }, the ArrayBuffers of results on the host, once. If the runtime
/// allows none over the results' own memory, they are copies, and `external` is false.
Napi::Value copyBuffers(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    PendingCopy& copy = copyOf(info);
    Napi::Array buffers = Napi::Array::New(info.Env(), copy.results.size());
    bool isExternal = true;
    for (std::size_t index = 0; index < copy.results.size(); ++index) {
      const std::uint64_t bytes = copy.placement.storages[index];
      Napi::Value buffer = overBlock(info.Env(), copy.results[index], bytes);
      if (buffer.IsEmpty()) {
        isExternal = false;
        Napi::ArrayBuffer copied = Napi::ArrayBuffer::New(info.Env(), static_cast<std::size_t>(bytes));
        std::memcpy(copied.Data(), copy.results[index]->memory, static_cast<std::size_t>(bytes));
        buffer = copied;
      }
      buffers.Set(static_cast<std::uint32_t>(index), buffer);
    }
    copy.results.clear();
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("buffers", buffers);
    result.Set("external", isExternal);
    return result;
  });
}

/// copyRelease(storage): releases a tensor's memory now.
Napi::Value copyRelease(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    external<Storage>(info[0], "storage").block = nullptr;
    return info.Env().Undefined();
  });
}

/// copyDetach(buffer): detaches an ArrayBuffer of results, so that its memory is freed soon.
Napi::Value copyDetach(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1 || !info[0].IsArrayBuffer()) badCopyArgument("buffer", "an ArrayBuffer");
    info[0].As<Napi::ArrayBuffer>().Detach();
    return info.Env().Undefined();
  });
}

/// copyPinned(device, bytes): returns a page-locked ArrayBuffer.
Napi::Value copyPinned(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 2 || !info[0].IsString() || !info[1].IsNumber()) badCopyArgument("bytes", "a number");
    const double bytes = info[1].As<Napi::Number>().DoubleValue();
    if (!(bytes >= 0 && bytes <= 9007199254740991.0)) badCopyArgument("bytes", "a number of bytes");
    const std::shared_ptr<CopyEngine> engine = copyEngine(info[0].As<Napi::String>().Utf8Value());
    const auto whole = static_cast<std::uint64_t>(bytes);
    requireMemory(whole, engine->pinnedMemory());
    const BlockRef block = engine->pinnedMemory().take(whole);
    if (block == nullptr) outOfCopyMemory(whole, "page-locked", 0);
    const Napi::Value buffer = overBlock(info.Env(), block, whole);
    if (!buffer.IsEmpty()) return buffer;
    throw Failure("copy.no-pinned-buffers", "This runtime allows no buffers over page-locked memory.",
                  "Use ordinary memory: the pipelined strategy is nearly as fast from there.");
  });
}

// Streams

/// copyStream(device): returns a new non-blocking stream.
Napi::Value copyStream(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1 || !info[0].IsString()) badCopyArgument("device", "a string");
    const std::shared_ptr<Stream> stream = Stream::make(copyEngine(info[0].As<Napi::String>().Utf8Value()));
    return wrap<std::shared_ptr<Stream>>(info.Env(), stream);
  });
}

/// copySynchronize(stream): blocks until its work is done.
Napi::Value copySynchronize(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Stream& stream = *external<std::shared_ptr<Stream>>(info[0], "stream");
    stream.engine->device().attach();
    stream.engine->device().synchronize(stream.stream.get());
    return info.Env().Undefined();
  });
}

/// copySimulate({ device, failAfter?, failHandleAfter?, delayNs?, holdNext?, memoryBytes? }): sets failures of a
/// simulated device, for tests.
Napi::Value copySimulate(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
    HostCopyDevice* const device = engineEntry(deviceName(request))->simulated;
    if (device == nullptr) badCopyArgument("device", "a simulated one");
    const auto number = [&](const char* name) { return request.Get(name).As<Napi::Number>().Int64Value(); };
    if (request.Has("failHandleAfter")) device->failHandleAfter(static_cast<long>(number("failHandleAfter")));
    if (request.Has("failAfter")) device->failAfter(static_cast<long>(number("failAfter")));
    if (request.Has("delayNs")) device->delayCopies(static_cast<long>(number("delayNs")));
    if (request.Has("holdNext")) device->holdNext(number("holdNext") != 0);
    if (request.Has("memoryBytes")) device->limitMemory(static_cast<std::size_t>(number("memoryBytes")));
    return info.Env().Undefined();
  });
}

}  // namespace

void initialiseHandles(const AddFunction& add) {
  add("copyState", copyState);
  add("copyNotify", copyNotify);
  add("copyError", copyError);
  add("copyCancel", copyCancel);
  add("copyBuffers", copyBuffers);
  add("copyRelease", copyRelease);
  add("copyDetach", copyDetach);
  add("copyPinned", copyPinned);
  add("copyStream", copyStream);
  add("copySynchronize", copySynchronize);
  add("copySimulate", copySimulate);
}

}  // namespace copyscope::addon
