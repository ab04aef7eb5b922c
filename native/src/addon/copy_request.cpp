#include "addon/copy_request.h"

#include <algorithm>
#include <cmath>

namespace copyscope::addon {

using namespace copy;

namespace {

constexpr std::size_t mostLeaves = 10000000;

std::uint32_t elementBytes(napi_typedarray_type type) {
  switch (type) {
    case napi_int16_array:
    case napi_uint16_array:
      return 2;
    case napi_int32_array:
    case napi_uint32_array:
    case napi_float32_array:
      return 4;
    case napi_float64_array:
    case napi_bigint64_array:
    case napi_biguint64_array:
      return 8;
    default:
      return 1;
  }
}

std::uint64_t bytesIn(double number, const char* name) {
  if (!(number >= 0 && number <= static_cast<double>(mostExact))) badCopyArgument(name, "numbers of bytes");
  // Converts through a signed number, which processors do in one instruction.
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

/// Returns the memory of a typed array, Buffer or DataView. Uses Node-API directly, since it runs once per leaf.
Bytes bytesOf(napi_env env, napi_value value) {
  napi_typedarray_type type = napi_uint8_array;
  std::size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) == napi_ok) {
    const std::uint32_t element = elementBytes(type);
    return {static_cast<std::byte*>(data), length * element, element};
  }
  if (napi_get_dataview_info(env, value, &length, &data, nullptr, nullptr) == napi_ok) {
    return {static_cast<std::byte*>(data), length, 1};
  }
  badCopyArgument("leaves", "typed arrays, Buffers or DataViews");
}

}  // namespace

Napi::Object requestOf(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsObject()) badCopyArgument("request", "an object");
  return info[0].As<Napi::Object>();
}

std::string deviceName(const Napi::Object& request) {
  const Napi::Value value = request.Get("device");
  if (!value.IsString()) badCopyArgument("device", "a string");
  return value.As<Napi::String>().Utf8Value();
}

Napi::Array list(const Napi::Object& request, const char* name) {
  const Napi::Value value = request.Get(name);
  if (!value.IsArray()) badCopyArgument(name, "an array");
  return value.As<Napi::Array>();
}

Leaves::Leaves(const Napi::CallbackInfo& info, const Napi::Object& request)
    : info_(info),
      request_(request),
      leaves_(list(request, "leaves")),
      count_(leaves_.Length()),
      arguments_(info.Length() - 1) {
  if (count_ > mostLeaves) badCopyArgument("leaves", "at most 10,000,000");
  if (arguments_ > count_) badCopyArgument("leaves", "all of the leaves");
  const Napi::Value elements = request.Get("elementSizes");
  if (elements.IsUndefined()) return;
  if (elements.IsNumber()) {
    commonElementBytes_ = std::max<std::uint32_t>(1, elements.As<Napi::Number>().Uint32Value());
  } else {
    eachElementBytes_ = numbers<Napi::Uint8Array>(request, "elementSizes", napi_uint8_array, count_).Data();
  }
}

std::uint32_t Leaves::elementBytes(std::uint32_t index, std::uint32_t ofType) const {
  if (eachElementBytes_ != nullptr) return std::max<std::uint32_t>(1, eachElementBytes_[index]);
  return commonElementBytes_ > 0 ? commonElementBytes_ : ofType;
}

Bytes Leaves::at(std::uint32_t index) const {
  napi_value value = nullptr;
  if (index < arguments_) {
    value = info_[index + 1];
  } else if (napi_get_element(info_.Env(), leaves_, index, &value) != napi_ok) {
    badCopyArgument("leaves", "an array");
  }
  Bytes leaf = bytesOf(info_.Env(), value);
  leaf.elementBytes = elementBytes(index, leaf.elementBytes);
  return leaf;
}

std::vector<Bytes> Leaves::readAll(CopyEngine& engine) const {
  constexpr std::uint32_t enoughToGuess = 32;
  std::vector<Bytes> read;
  read.reserve(count_);
  std::uint64_t seen = 0;
  for (std::uint32_t index = 0; index < count_; ++index) {
    read.push_back(at(index));
    seen += read.back().bytes;
    if (index + 1 == enoughToGuess) engine.rouse(seen / enoughToGuess * count_);
  }
  return read;
}

std::vector<TensorSize> Leaves::readSizes(CopyEngine& engine) const {
  std::vector<TensorSize> tensors;
  if (request_.Get("sizes").IsUndefined()) return tensors;
  const double* const sizes = numbers<Napi::Float64Array>(request_, "sizes", napi_float64_array, count_).Data();
  engine.rouse(bytesIn(request_.Get("total").ToNumber().DoubleValue(), "sizes"));
  tensors.resize(count_);
  for (std::uint32_t index = 0; index < count_; ++index) {
    tensors[index].bytes = bytesIn(sizes[index], "sizes");
    tensors[index].elementBytes = elementBytes(index, 1);
  }
  return tensors;
}

std::byte* Leaves::find(std::size_t index, std::uint64_t bytes) const {
  const Bytes leaf = at(static_cast<std::uint32_t>(index));
  if (leaf.bytes != bytes) badCopyArgument("leaves", "of the sizes given");
  return leaf.data;
}

namespace {

constexpr std::uint32_t mostDimensions = 64;

/// HostTensor has checked the layout. Here only what would leave the leaf's memory is refused.
[[noreturn]] void leavesMemory() { badCopyArgument("strided", "within their memory"); }

double whole(const Napi::Value& value) {
  const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : std::nan("");
  if (!(std::fabs(number) <= static_cast<double>(mostExact)) || number != std::floor(number)) leavesMemory();
  return number;
}

/// Turns the leaf of a layout into the tensor that it describes.
StridedSource readLayout(const Napi::Object& layout, PendingCopy& copy, std::vector<TensorSize>& tensors) {
  const Napi::Array shape = list(layout, "shape");
  const Napi::Array strides = list(layout, "strides");
  const double index = whole(layout.Get("index"));
  if (shape.Length() > mostDimensions || strides.Length() != shape.Length()) leavesMemory();
  if (!(index >= 0 && index < static_cast<double>(tensors.size()))) leavesMemory();
  StridedSource source;
  source.transfer = static_cast<std::size_t>(index);
  TensorSize& tensor = tensors[source.transfer];
  if (!tensor.contiguous) leavesMemory();
  source.elementBytes = tensor.elementBytes;
  const double first = whole(layout.Get("offset"));
  double bytes = tensor.elementBytes;
  double least = first;
  double most = first;
  for (std::uint32_t dimension = 0; dimension < shape.Length(); ++dimension) {
    const double length = whole(shape.Get(dimension));
    if (length < 0) leavesMemory();
    const double stride = length > 1 ? whole(strides.Get(dimension)) : 0;
    bytes *= length;
    (stride < 0 ? least : most) += (length - 1) * stride;
    source.shape.push_back(static_cast<std::uint64_t>(length));
    source.strides.push_back(static_cast<std::int64_t>(stride));
  }
  const auto elements = static_cast<double>(tensor.bytes / tensor.elementBytes);
  if (bytes > static_cast<double>(mostExact) || (bytes > 0 && (least < 0 || most >= elements))) leavesMemory();
  Transfer& transfer = copy.batch.transfers[source.transfer];
  if (bytes > 0) transfer.host += static_cast<std::int64_t>(first) * static_cast<std::int64_t>(tensor.elementBytes);
  transfer.bytes = tensor.bytes = static_cast<std::uint64_t>(bytes);
  tensor.contiguous = false;
  return source;
}

}  // namespace

void readStrided(const Napi::Object& request, PendingCopy& copy, std::vector<TensorSize>& tensors) {
  if (request.Get("strided").IsUndefined()) return;
  const Napi::Array layouts = list(request, "strided");
  for (std::uint32_t number = 0; number < layouts.Length(); ++number) {
    copy.strided.push_back(readLayout(layouts.Get(number).As<Napi::Object>(), copy, tensors));
  }
}

std::vector<TensorSize> readDeviceTensors(const Napi::Object& request, PendingCopy& copy, std::byte* Transfer::*side,
                                          const std::shared_ptr<CopyEngine>& owner) {
  const Napi::Array storages = list(request, "storages");
  std::vector<BlockRef> blocks;
  for (std::uint32_t index = 0; index < storages.Length(); ++index) {
    const Storage& storage = external<Storage>(storages.Get(index), "storages");
    if (storage.block == nullptr) {
      throw Failure("copy.released", "A tensor's memory was released before this copy.",
                    "Release results only when nothing needs them any more.");
    }
    if (storage.engine != owner) badCopyArgument("storages", "memory of the source device");
    blocks.push_back(storage.block);
  }
  const auto bytes = request.Get("bytes").As<Napi::Float64Array>();
  const std::size_t count = bytes.ElementLength();
  const auto storageOf = numbers<Napi::Int32Array>(request, "storageOf", napi_int32_array, count);
  const auto offsets = numbers<Napi::Float64Array>(request, "offsets", napi_float64_array, count);
  const auto elements = numbers<Napi::Uint8Array>(request, "elementSizes", napi_uint8_array, count);
  std::vector<TensorSize> tensors(count);
  copy.batch.transfers.resize(count);
  for (std::size_t index = 0; index < count; ++index) {
    const std::uint64_t size = bytesIn(bytes[index], "bytes");
    tensors[index] = {size, std::max<std::uint32_t>(1, elements[index]), true};
    Transfer& transfer = copy.batch.transfers[index];
    transfer.bytes = size;
    if (size == 0) continue;
    const auto number = static_cast<std::size_t>(storageOf[index]);
    const std::uint64_t offset = bytesIn(offsets[index], "offsets");
    if (number >= blocks.size() || offset + size > blocks[number]->bytes) badCopyArgument("offsets", "within storages");
    transfer.*side = blocks[number]->memory + offset;
    if (side == &Transfer::host) transfer.hostStorage = static_cast<std::uint32_t>(number);
  }
  copy.sources = std::move(blocks);
  return tensors;
}

Ticket newTicket(const Napi::Object& request, const std::shared_ptr<EngineEntry>& entry, const char* streamName) {
  Ticket ticket;
  ticket.entry = entry;
  StreamRef stream = entry->engine->defaultStream();
  std::shared_ptr<Stream> owner;
  const Napi::Value value = request.Get(streamName);
  if (!value.IsUndefined()) {
    owner = external<std::shared_ptr<Stream>>(value, streamName);
    if (owner->engine != entry->engine) badCopyArgument(streamName, "a stream of the device");
    stream = owner->stream.get();
  }
  ticket.copy = std::make_shared<PendingCopy>(entry->engine, stream, std::move(owner));
  const Napi::Value asked = request.Get("options");
  if (asked.IsUndefined()) return ticket;
  ticket.copy->options = readCopyOptions(asked.As<Napi::Object>());
  return ticket;
}

}  // namespace copyscope::addon
