// Reads JavaScript's requests for copies. Functions throw a Failure `native.bad-argument` that names the wrong value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "addon/copy_handles.h"

namespace copyscope::addon {

/// Largest exact whole number of JavaScript, 2^53 - 1. Sums of a few fit into 64 bits.
constexpr std::int64_t mostExact = 9007199254740991;

/// Host memory of a leaf.
struct Bytes {
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t elementBytes = 1;
};

/// Returns the call's one argument.
Napi::Object requestOf(const Napi::CallbackInfo& info);
std::string deviceName(const Napi::Object& request);
Napi::Array list(const Napi::Object& request, const char* name);

/// Returns a typed array of `type` with at least `length` elements.
template <typename Array>
Array numbers(const Napi::Object& request, const char* name, napi_typedarray_type type, std::size_t length) {
  const Napi::Value value = request.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    badCopyArgument(name, "a typed array of the documented type");
  }
  const auto array = value.As<Array>();
  if (array.ElementLength() < length) badCopyArgument(name, "as long as the leaves");
  return array;
}

/// The request's `leaves`. The first ones are further arguments of the call, since reading an argument takes a third of
/// the time. Element sizes are those of the request, if any: one for all, or one for each.
class Leaves {
 public:
  Leaves(const Napi::CallbackInfo& info, const Napi::Object& request);
  std::uint32_t count() const { return count_; }
  Bytes at(std::uint32_t index) const;
  /// Tells `engine` once how much is coming.
  std::vector<Bytes> readAll(copy::CopyEngine& engine) const;
  /// Returns the bytes of each leaf from the request's `sizes`, or nothing. Tells `engine` how much is coming.
  std::vector<copy::TensorSize> readSizes(copy::CopyEngine& engine) const;
  /// Returns the address of a leaf, which must have `bytes` bytes.
  std::byte* find(std::size_t index, std::uint64_t bytes) const;

 private:
  std::uint32_t elementBytes(std::uint32_t index, std::uint32_t ofType) const;

  const Napi::CallbackInfo& info_;
  const Napi::Object request_;
  const Napi::Array leaves_;
  const std::uint32_t count_;
  /// Number of leaves that are arguments too.
  const std::size_t arguments_;
  std::uint32_t commonElementBytes_ = 0;
  const std::uint8_t* eachElementBytes_ = nullptr;
};

/// Reads layouts of strided leaves: [{ index, shape, strides, offset }], numbers in elements.
void readStrided(const Napi::Object& request, copy::PendingCopy& copy, std::vector<copy::TensorSize>& tensors);

/// Reads tensors on a device: { storages, storageOf, offsets, bytes, elementSizes }, as `side` of the transfers.
std::vector<copy::TensorSize> readDeviceTensors(const Napi::Object& request, copy::PendingCopy& copy,
                                                std::byte* copy::Transfer::*side,
                                                const std::shared_ptr<copy::CopyEngine>& owner);

/// Returns a copy with the request's options, on the stream named by `streamName`, or the engine's own.
Ticket newTicket(const Napi::Object& request, const std::shared_ptr<EngineEntry>& entry, const char* streamName);

}  // namespace copyscope::addon
