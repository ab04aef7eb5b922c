// JavaScript's handles of the copy engine: memory, streams, and copies under way.
#pragma once

#include <memory>
#include <utility>

#include "addon/addon_copy.h"

namespace copyscope::addon {

/// Memory of a tensor; without a block after its release.
struct Storage {
  std::shared_ptr<copy::CopyEngine> engine;
  copy::BlockRef block;
};

/// A stream made by JavaScript. It is deleted when its work is done.
class Stream {
 public:
  static std::shared_ptr<Stream> make(std::shared_ptr<copy::CopyEngine> engine) {
    engine->device().attach();
    copy::OwnedCopyStream made = engine->device().createStream();
    return std::shared_ptr<Stream>(new Stream(std::move(engine), std::move(made)));
  }
  ~Stream() {
    try {
      engine->device().attach();
      engine->device().synchronize(stream.get());
    } catch (const Failure&) {
      // The device is lost.
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const std::shared_ptr<copy::CopyEngine> engine;
  const copy::OwnedCopyStream stream;

 private:
  Stream(std::shared_ptr<copy::CopyEngine> owner, copy::OwnedCopyStream made)
      : engine(std::move(owner)), stream(std::move(made)) {}
};

/// A copy, and its device's entry, which must outlive it.
struct Ticket {
  Ticket() = default;
  Ticket(const Ticket&) = default;
  Ticket& operator=(const Ticket&) = default;
  /// Runs on the event loop's thread, which JavaScript's collector must not delay.
  ~Ticket() {
    if (copy != nullptr) entry->scheduler.letGo(std::move(copy));
  }

  std::shared_ptr<EngineEntry> entry;
  std::shared_ptr<copy::PendingCopy> copy;
};

/// Type tag and name of an external. The tags are random numbers of this addon.
struct Kind {
  napi_type_tag tag;
  const char* name;
};
template <typename T>
constexpr Kind kindOf = {};
template <>
inline constexpr Kind kindOf<Storage> = {{0x6d2f19c84be0a753, 0x8c41f07e52d96ab3}, "the memory of a tensor"};
template <>
inline constexpr Kind kindOf<std::shared_ptr<Stream>> = {{0x1b97e5a30c6f48d2, 0xa5e83d7162f40b9c}, "a stream"};
template <>
inline constexpr Kind kindOf<Ticket> = {{0xe40c7b26d183f59a, 0x937ad65e08c1b24f}, "a copy"};

/// Returns the object that wrap() put into `value`. Throws a Failure `native.bad-argument` if this addon didn't make
/// it, or for another kind.
template <typename T>
T& external(const Napi::Value& value, const char* name) {
  if (value.IsExternal()) {
    const auto held = value.As<Napi::External<T>>();
    if (held.CheckTypeTag(&kindOf<T>.tag)) return *held.Data();
  }
  badCopyArgument(name, kindOf<T>.name);
}

template <typename T>
Napi::External<T> wrap(Napi::Env env, T content) {
  auto owned = std::make_unique<T>(std::move(content));
  const auto made = Napi::External<T>::New(env, owned.get(), [](Napi::Env, T* held) { delete held; });
  static_cast<void>(owned.release());  // Owned by JavaScript's collector from here on.
  made.TypeTag(&kindOf<T>.tag);
  return made;
}

}  // namespace copyscope::addon
