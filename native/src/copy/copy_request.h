// Reads what JavaScript asks of a copy. Each throws the Failure `native.bad-argument` that names what is wrong.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "copy_handles.h"

namespace copyscope::addon {

/// As far as JavaScript's numbers are whole: 2^53 - 1. A few of them are no more than 64 bits hold.
constexpr std::int64_t mostExact = 9007199254740991;

/// Host memory of a leaf.
struct Bytes {
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
  std::uint32_t elementBytes = 1;
};

/// The call's one argument.
Napi::Object requestOf(const Napi::CallbackInfo& info);
std::string deviceName(const Napi::Object& request);
Napi::Array list(const Napi::Object& request, const char* name);

/// A typed array of `type` with at least `length` elements.
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

/// The request's `leaves`, of which the call's further arguments are the first: reading an argument takes a third of the
/// time. Element sizes are those that the request names, if any: one for all, or one for each.
class Leaves {
 public:
  Leaves(const Napi::CallbackInfo& info, const Napi::Object& request);
  std::uint32_t count() const { return count_; }
  Bytes at(std::uint32_t index) const;
  /// `engine` is told once about how much is coming.
  std::vector<Bytes> readAll(copy::CopyEngine& engine) const;
  /// How many bytes each has, without reading it, as the request's `sizes` say; none where it says nothing. `engine` is
  /// told about how much is coming.
  std::vector<copy::TensorSize> readSizes(copy::CopyEngine& engine) const;
  /// Where it lies. It must have so many bytes.
  std::byte* find(std::size_t index, std::uint64_t bytes) const;

 private:
  std::uint32_t elementBytes(std::uint32_t index, std::uint32_t ofType) const;

  const Napi::CallbackInfo& info_;
  const Napi::Object request_;
  const Napi::Array leaves_;
  const std::uint32_t count_;
  /// How many of them are arguments too.
  const std::size_t arguments_;
  std::uint32_t commonElementBytes_ = 0;
  const std::uint8_t* eachElementBytes_ = nullptr;
};

/// Layouts of the leaves that aren't contiguous: [{ index, shape, strides, offset }], numbers in elements
/// (strided_layouts.cpp).
void readStrided(const Napi::Object& request, copy::PendingCopy& copy, std::vector<copy::TensorSize>& tensors);

/// Tensors on a device: { storages, storageOf, offsets, bytes, elementSizes }. `side` of the copy's transfers is theirs.
std::vector<copy::TensorSize> readDeviceTensors(const Napi::Object& request, copy::PendingCopy& copy,
                                                std::byte* copy::Transfer::*side,
                                                const std::shared_ptr<copy::CopyEngine>& owner);

/// A copy with the options asked for, on the stream named by `streamName`, or the engine's own.
Ticket newTicket(const Napi::Object& request, const std::shared_ptr<EngineEntry>& entry, const char* streamName);

}  // namespace copyscope::addon
