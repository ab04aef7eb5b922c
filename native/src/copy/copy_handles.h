// What JavaScript holds of the copy engine: memory, streams, and copies under way.
#pragma once

#include <memory>
#include <utility>

#include "addon_copy.h"

namespace copyscope::addon {

/// Memory behind a tensor; no block once it was released.
struct Storage {
  std::shared_ptr<copy::CopyEngine> engine;
  copy::BlockRef block;
};

/// A stream that JavaScript made. Gone once its work is done.
struct Stream {
  explicit Stream(std::shared_ptr<copy::CopyEngine> owner) : engine(std::move(owner)) {
    engine->device().attach();
    stream = engine->device().createStream();
  }
  ~Stream() {
    try {
      engine->device().attach();
      engine->device().synchronize(stream);
    } catch (const Failure&) {
      // The device is lost.
    }
    engine->device().destroyStream(stream);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  std::shared_ptr<copy::CopyEngine> engine;
  copy::StreamRef stream = nullptr;
};

/// A copy, and what must live as long as it does.
struct Ticket {
  std::shared_ptr<EngineEntry> entry;
  std::shared_ptr<copy::PendingCopy> copy;
  std::shared_ptr<Stream> stream;
};

/// What `value` was made to hold by wrap(). Failure `native.bad-argument` where this addon didn't make it.
template <typename T>
T& external(const Napi::Value& value, const char* name) {
  if (!value.IsExternal()) badCopyArgument(name, "made by this addon");
  return *value.As<Napi::External<T>>().Data();
}

template <typename T>
Napi::External<T> wrap(Napi::Env env, T content) {
  return Napi::External<T>::New(env, new T(std::move(content)), [](Napi::Env, T* held) { delete held; });
}

}  // namespace copyscope::addon
