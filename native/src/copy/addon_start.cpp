// Starting copies from JavaScript: one call for a whole batch, with plain arrays of numbers around the leaves.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "../clock.h"
#include "addon_copy.h"

namespace copyscope::addon {
namespace {

using namespace copy;

constexpr std::size_t mostLeaves = 10000000;

/// Memory behind a tensor, as JavaScript holds it.
struct Storage {
  std::shared_ptr<CopyEngine> engine;
  BlockRef block;
};

/// A stream that JavaScript made. Gone once its work is done.
struct Stream {
  explicit Stream(std::shared_ptr<CopyEngine> owner) : engine(std::move(owner)) {
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
  std::shared_ptr<CopyEngine> engine;
  StreamRef stream = nullptr;
};

/// A copy, and what must live as long as it does.
struct Ticket {
  std::shared_ptr<EngineEntry> entry;
  std::shared_ptr<PendingCopy> copy;
  std::shared_ptr<Stream> stream;
};

/// The way from any thread to an environment's own. A copy's last word may come when the environment has gone.
class Doorbell {
 public:
  explicit Doorbell(Napi::Env env)
      : caller_(Napi::ThreadSafeFunction::New(env, Napi::Function::New(env, [](const Napi::CallbackInfo&) {}),
                                              "copyscope copies", 0, 1)) {
    caller_.Unref(env);
  }

  template <typename Call>
  void ring(const Call& call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!closed_) caller_.NonBlockingCall(call);
  }
  void close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    caller_.Release();
  }
  void keepRunning(Napi::Env env) { caller_.Ref(env); }
  void letEnd(Napi::Env env) { caller_.Unref(env); }

 private:
  std::mutex mutex_;
  bool closed_ = false;
  Napi::ThreadSafeFunction caller_;
};

/// Copies of one JavaScript environment that run in the background.
class Environment {
 public:
  explicit Environment(Napi::Env env) : doorbell_(std::make_shared<Doorbell>(env)) {}

  /// Keeps `leaves` until the copy has ended, and Node running as long.
  void start(Napi::Env env, const Ticket& ticket, const Napi::Value& leaves) {
    const std::uint64_t number = next_++;
    Running& running = running_[number];
    running.ticket = ticket;
    if (leaves.IsObject()) running.leaves = Napi::Persistent(leaves.As<Napi::Object>());
    if (running_.size() == 1) doorbell_->keepRunning(env);
    // By value: the environment may have gone. Its own thread calls only while it is there.
    ticket.copy->onEnd = [this, number, doorbell = doorbell_] {
      doorbell->ring([this, number](Napi::Env ended, Napi::Function) {
        if (ended != nullptr) end(ended, number);
      });
    };
    ticket.entry->scheduler.add(ticket.copy);
  }

  /// Calls `listener` once the copy has ended; false where it isn't one that runs in the background.
  bool notify(const PendingCopy* copy, const Napi::Function& listener) {
    for (auto& [number, running] : running_) {
      if (running.ticket.copy.get() != copy) continue;
      running.listeners.push_back(Napi::Persistent(listener));
      return true;
    }
    return false;
  }

  /// Cancels all copies, and waits until nothing uses this environment's memory.
  void close() {
    for (auto& [number, running] : running_) running.ticket.copy->cancel();
    for (auto& [number, running] : running_) running.ticket.copy->wait();
    running_.clear();
    doorbell_->close();
  }

 private:
  struct Running {
    Ticket ticket;
    Napi::ObjectReference leaves;
    std::vector<Napi::FunctionReference> listeners;
  };

  void end(Napi::Env env, std::uint64_t number) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    const std::vector<Napi::FunctionReference> listeners = std::move(found->second.listeners);
    running_.erase(found);
    if (running_.empty()) doorbell_->letEnd(env);
    for (const Napi::FunctionReference& listener : listeners) listener.Call({});
  }

  const std::shared_ptr<Doorbell> doorbell_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Running> running_;
};

Environment& environmentOf(const Napi::CallbackInfo& info) { return *static_cast<Environment*>(info.Data()); }

// Reading arguments

template <typename T>
T& external(const Napi::Value& value, const char* name) {
  if (!value.IsExternal()) badCopyArgument(name, "made by this addon");
  return *value.As<Napi::External<T>>().Data();
}

template <typename T>
Napi::External<T> wrap(Napi::Env env, T content) {
  return Napi::External<T>::New(env, new T(std::move(content)), [](Napi::Env, T* held) { delete held; });
}

Napi::Object argument(const Napi::CallbackInfo& info) {
  if (info.Length() < 1 || !info[0].IsObject()) badCopyArgument("request", "an object");
  return info[0].As<Napi::Object>();
}

std::string deviceName(const Napi::Object& request) {
  const Napi::Value value = request.Get("device");
  if (!value.IsString()) badCopyArgument("device", "a string");
  return value.As<Napi::String>().Utf8Value();
}

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

struct Bytes {
  std::byte* data = nullptr;
  std::uint64_t bytes = 0;
};

std::uint64_t elementBytes(napi_typedarray_type type) {
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

/// The memory of a typed array, Buffer or DataView. Node-API's own calls: this runs once a leaf.
Bytes bytesOf(napi_env env, napi_value value) {
  napi_typedarray_type type = napi_uint8_array;
  std::size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) == napi_ok) {
    return {static_cast<std::byte*>(data), length * elementBytes(type)};
  }
  if (napi_get_dataview_info(env, value, &length, &data, nullptr, nullptr) == napi_ok) {
    return {static_cast<std::byte*>(data), length};
  }
  badCopyArgument("leaves", "typed arrays, Buffers or DataViews");
}

/// `engine` is told once about how much is coming.
std::vector<Bytes> readLeaves(const Napi::CallbackInfo& info, const Napi::Array& leaves, CopyEngine& engine) {
  constexpr std::uint32_t enoughToGuess = 32;
  const std::uint32_t count = leaves.Length();
  if (count > mostLeaves) badCopyArgument("leaves", "at most 10,000,000");
  std::vector<Bytes> read;
  read.reserve(count);
  std::uint64_t seen = 0;
  const napi_env env = info.Env();
  for (std::uint32_t index = 0; index < count; ++index) {
    napi_value value = nullptr;
    if (napi_get_element(env, leaves, index, &value) != napi_ok) badCopyArgument("leaves", "an array");
    read.push_back(bytesOf(env, value));
    seen += read.back().bytes;
    if (index + 1 == enoughToGuess) engine.rouse(seen / enoughToGuess * count);
  }
  return read;
}

Napi::Array list(const Napi::Object& request, const char* name) {
  const Napi::Value value = request.Get(name);
  if (!value.IsArray()) badCopyArgument(name, "an array");
  return value.As<Napi::Array>();
}

/// Layouts of the leaves that aren't contiguous: [{ index, shape, strides, offset }], numbers in elements.
void readStrided(const Napi::Object& request, PendingCopy& copy, std::vector<TensorSize>& tensors) {
  const Napi::Value value = request.Get("strided");
  if (!value.IsArray()) return;
  const auto layouts = value.As<Napi::Array>();
  for (std::uint32_t number = 0; number < layouts.Length(); ++number) {
    const auto layout = layouts.Get(number).As<Napi::Object>();
    const auto shape = layout.Get("shape").As<Napi::Array>();
    const auto strides = layout.Get("strides").As<Napi::Array>();
    StridedSource source;
    source.transfer = layout.Get("index").As<Napi::Number>().Uint32Value();
    if (source.transfer >= tensors.size() || strides.Length() != shape.Length() || shape.Length() > 64) {
      badCopyArgument("strided", "in order");
    }
    TensorSize& tensor = tensors[source.transfer];
    source.elementBytes = tensor.elementBytes;
    std::uint64_t bytes = tensor.elementBytes;
    const std::int64_t first = layout.Get("offset").As<Napi::Number>().Int64Value();
    std::int64_t least = first;
    std::int64_t most = first;
    for (std::uint32_t dimension = 0; dimension < shape.Length(); ++dimension) {
      const std::int64_t length = shape.Get(dimension).As<Napi::Number>().Int64Value();
      const std::int64_t stride = strides.Get(dimension).As<Napi::Number>().Int64Value();
      if (length < 0) badCopyArgument("strided", "of lengths from 0");
      source.shape.push_back(static_cast<std::uint64_t>(length));
      source.strides.push_back(stride);
      bytes *= static_cast<std::uint64_t>(length);
      if (length > 0) (stride < 0 ? least : most) += (length - 1) * stride;
    }
    const auto elements = static_cast<std::int64_t>(tensor.bytes / tensor.elementBytes);
    if (bytes > 0 && (least < 0 || most >= elements)) badCopyArgument("strided", "within their memory");
    Transfer& transfer = copy.batch.transfers[source.transfer];
    if (bytes > 0) transfer.host += first * static_cast<std::int64_t>(tensor.elementBytes);
    transfer.bytes = tensor.bytes = bytes;
    tensor.contiguous = false;
    copy.strided.push_back(std::move(source));
  }
}

/// The stream asked for, or the engine's own.
Ticket newTicket(const Napi::Object& request, const std::shared_ptr<EngineEntry>& entry, const char* streamName) {
  Ticket ticket;
  ticket.entry = entry;
  StreamRef stream = entry->engine->defaultStream();
  const Napi::Value value = request.Get(streamName);
  if (value.IsExternal()) {
    ticket.stream = external<std::shared_ptr<Stream>>(value, streamName);
    if (ticket.stream->engine != entry->engine) badCopyArgument(streamName, "a stream of the device");
    stream = ticket.stream->stream;
  }
  ticket.copy = std::make_shared<PendingCopy>(entry->engine, stream);
  ticket.copy->options = readCopyOptions(request.Get("options").As<Napi::Object>());
  return ticket;
}

// Starting

[[noreturn]] void outOfMemory(std::uint64_t bytes, const std::string& where, std::uint64_t available) {
  throw Failure("run.out-of-memory",
                "There is no " + where + " memory for " + std::to_string(bytes) + " bytes" +
                    (available > 0 ? "; " + std::to_string(available) + " are free" : "") + ".",
                "Let go of results that are no longer needed: release(results).");
}

bool packs(const CopyOptions& options) {
  return options.packCpuTensors && (options.strategy == Strategy::packed || options.strategy == Strategy::pipelined);
}

void placeResults(PendingCopy& copy, const std::vector<TensorSize>& tensors, MemoryPool& pool,
                  const std::string& where) {
  CopyOptions options = copy.options;
  options.packCpuTensors = packs(options);
  planPacking(tensors, options, copy.placement);
  for (const std::uint64_t bytes : copy.placement.storages) {
    BlockRef block = pool.take(bytes);
    if (block == nullptr) {
      outOfMemory(bytes, where, where == "device" ? copy.engine->device().freeDeviceBytes() : 0);
    }
    copy.results.push_back(std::move(block));
  }
}

/// Runs the copy here, submits it, or leaves it to the scheduler.
void launch(const Napi::CallbackInfo& info, const Ticket& ticket, const Napi::Value& leaves) {
  PendingCopy& copy = *ticket.copy;
  const bool inBackground = copy.options.useBackgroundThread;
  if (inBackground && copy.submitSmall()) return;
  if (inBackground) {
    environmentOf(info).start(info.Env(), ticket, leaves);
  } else {
    copy.execute();
  }
}

/// { copy, storages, storageOf, offsets }: where each leaf's result lies.
Napi::Object started(Napi::Env env, const Ticket& ticket, const std::vector<BlockRef>& results) {
  const PackingPlan& plan = ticket.copy->placement;
  Napi::Object object = Napi::Object::New(env);
  object.Set("copy", wrap<Ticket>(env, ticket));
  Napi::Array storages = Napi::Array::New(env, results.size());
  for (std::size_t index = 0; index < results.size(); ++index) {
    storages.Set(static_cast<std::uint32_t>(index), wrap<Storage>(env, {ticket.copy->engine, results[index]}));
  }
  const std::size_t count = plan.placements.size();
  Napi::Int32Array storageOf = Napi::Int32Array::New(env, count);
  Napi::Float64Array offsets = Napi::Float64Array::New(env, count);
  for (std::size_t index = 0; index < count; ++index) {
    storageOf[index] = static_cast<std::int32_t>(plan.placements[index].storage);
    offsets[index] = static_cast<double>(plan.placements[index].offset);
  }
  object.Set("storages", storages);
  object.Set("storageOf", storageOf);
  object.Set("offsets", offsets);
  return object;
}

void aim(PendingCopy& copy, std::byte* Transfer::*side) {
  for (std::size_t index = 0; index < copy.batch.transfers.size(); ++index) {
    const Placement& placement = copy.placement.placements[index];
    Transfer& transfer = copy.batch.transfers[index];
    if (placement.storage == noStorage) continue;
    transfer.storage = placement.storage;
    transfer.*side = copy.results[placement.storage]->memory + placement.offset;
  }
}

/// copyUpload({ device, leaves, elementSizes, strided?, options, stream? }): host tensors to a device.
Napi::Value copyUpload(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = argument(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry(deviceName(request));
    const Ticket ticket = newTicket(request, entry, "stream");
    PendingCopy& copy = *ticket.copy;
    const Napi::Array leaves = list(request, "leaves");
    const std::vector<Bytes> sources = readLeaves(info, leaves, *entry->engine);
    const auto elements = numbers<Napi::Uint8Array>(request, "elementSizes", napi_uint8_array, sources.size());
    const bool anyPinned = entry->engine->holdsPinnedResults();
    std::vector<TensorSize> tensors(sources.size());
    copy.batch.direction = Direction::h2d;
    copy.batch.transfers.resize(sources.size());
    for (std::size_t index = 0; index < sources.size(); ++index) {
      const Bytes& source = sources[index];
      tensors[index] = {source.bytes, std::max<std::uint32_t>(1, elements[index]), true};
      const bool pinned = anyPinned && entry->engine->pinnedMemory().contains(source.data, source.bytes);
      copy.batch.transfers[index] = {source.data, nullptr, source.bytes, noStorage, pinned};
    }
    readStrided(request, copy, tensors);
    for (const StridedSource& source : copy.strided) copy.batch.transfers[source.transfer].pinned = false;
    placeResults(copy, tensors, entry->engine->deviceMemory(), "device");
    aim(copy, &Transfer::device);
    const std::vector<BlockRef> results = copy.results;
    launch(info, ticket, leaves);
    return started(info.Env(), ticket, results);
  });
}

/// Tensors on a device: { storages, storageOf, offsets, bytes, elementSizes }.
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
    const auto size = static_cast<std::uint64_t>(bytes[index]);
    tensors[index] = {size, std::max<std::uint32_t>(1, elements[index]), true};
    Transfer& transfer = copy.batch.transfers[index];
    transfer.bytes = size;
    if (size == 0) continue;
    const auto number = static_cast<std::size_t>(storageOf[index]);
    const auto offset = static_cast<std::uint64_t>(offsets[index]);
    if (number >= blocks.size() || offset + size > blocks[number]->bytes) badCopyArgument("offsets", "within storages");
    transfer.*side = blocks[number]->memory + offset;
  }
  copy.sources = std::move(blocks);
  return tensors;
}

/// Neighbours share a storage's number as long as they stay in one allocation on both sides.
void nameStorages(PendingCopy& copy, const Napi::Object& request, bool pinned) {
  const auto storageOf = request.Get("storageOf").As<Napi::Int32Array>();
  std::uint32_t number = 0;
  for (std::size_t index = 0; index < copy.batch.transfers.size(); ++index) {
    const std::vector<Placement>& placements = copy.placement.placements;
    const bool moved = index > 0 && (storageOf[index] != storageOf[index - 1] ||
                                     placements[index].storage != placements[index - 1].storage);
    if (moved) ++number;
    copy.batch.transfers[index].storage = number;
    copy.batch.transfers[index].pinned = pinned;
  }
}

/// copyDownload({ device, storages, storageOf, offsets, bytes, elementSizes, options, stream? }): to host memory,
/// page-locked as far as its budget goes and the options want it. copyBuffers gives the results.
Napi::Value copyDownload(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = argument(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry(deviceName(request));
    const Ticket ticket = newTicket(request, entry, "stream");
    PendingCopy& copy = *ticket.copy;
    copy.batch.direction = Direction::d2h;
    const std::vector<TensorSize> tensors = readDeviceTensors(request, copy, &Transfer::device, entry->engine);
    bool pinned = copy.options.usePinnedStaging;
    if (pinned) {
      try {
        placeResults(copy, tensors, entry->engine->pinnedMemory(), "page-locked");
      } catch (const Failure&) {
        copy.results.clear();
        pinned = false;
      }
    }
    if (!pinned) placeResults(copy, tensors, engineEntry("cpu")->engine->pinnedMemory(), "host");
    aim(copy, &Transfer::host);
    nameStorages(copy, request, pinned);
    launch(info, ticket, info.Env().Undefined());
    Napi::Object result = started(info.Env(), ticket, {});
    result.Set("pinned", pinned);
    return result;
  });
}

/// copyAcross({ device, source, storages, …, options, stream?, sourceStream? }): between devices, or within one.
Napi::Value copyAcross(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = argument(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry(deviceName(request));
    const Napi::Value sourceName = request.Get("source");
    if (!sourceName.IsString()) badCopyArgument("source", "a string");
    const std::shared_ptr<EngineEntry> from = engineEntry(sourceName.As<Napi::String>().Utf8Value());
    const Ticket ticket = newTicket(request, entry, "stream");
    PendingCopy& copy = *ticket.copy;
    copy.batch.direction = Direction::d2d;
    const std::vector<TensorSize> tensors = readDeviceTensors(request, copy, &Transfer::host, from->engine);
    placeResults(copy, tensors, entry->engine->deviceMemory(), "device");
    aim(copy, &Transfer::device);
    if (from != entry) {
      copy.batch.sourceDevice = from->engine->device().index();
      const Ticket source = newTicket(request, from, "sourceStream");
      CopyDevice& device = from->engine->device();
      device.attach();
      copy.before = device.createEvent();
      copy.beforeOwner = from->engine;
      device.record(copy.before, source.copy->stream);
    }
    const std::vector<BlockRef> results = copy.results;
    launch(info, ticket, info.Env().Undefined());
    return started(info.Env(), ticket, results);
  });
}

/// copyHost({ leaves, elementSizes, strided?, options }): host tensors into new host memory. copyBuffers gives it.
Napi::Value copyHost(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = argument(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry("cpu");
    const Ticket ticket = newTicket(request, entry, "none");
    PendingCopy& copy = *ticket.copy;
    copy.batch.direction = Direction::h2h;
    const Napi::Array leaves = list(request, "leaves");
    const std::vector<Bytes> sources = readLeaves(info, leaves, *entry->engine);
    const auto elements = numbers<Napi::Uint8Array>(request, "elementSizes", napi_uint8_array, sources.size());
    std::vector<TensorSize> tensors(sources.size());
    copy.batch.transfers.resize(sources.size());
    for (std::size_t index = 0; index < sources.size(); ++index) {
      tensors[index] = {sources[index].bytes, std::max<std::uint32_t>(1, elements[index]), true};
      copy.batch.transfers[index] = {sources[index].data, nullptr, sources[index].bytes};
    }
    readStrided(request, copy, tensors);
    placeResults(copy, tensors, entry->engine->pinnedMemory(), "host");
    aim(copy, &Transfer::device);
    launch(info, ticket, leaves);
    Napi::Object result = started(info.Env(), ticket, {});
    result.Set("pinned", false);
    return result;
  });
}

// What a handle asks

PendingCopy& copyOf(const Napi::CallbackInfo& info) {
  if (info.Length() < 1) badCopyArgument("copy", "made by this addon");
  return *external<Ticket>(info[0], "copy").copy;
}

/// copyState(copy): 0 pending, 1 done, 2 failed, 3 cancelled.
Napi::Value copyState(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    return Napi::Number::New(info.Env(), static_cast<int>(copyOf(info).state()));
  });
}

/// copyNotify(copy, listener): calls it once the copy has ended. A small batch is waited for at once.
Napi::Value copyNotify(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    PendingCopy& copy = copyOf(info);
    if (info.Length() < 2 || !info[1].IsFunction()) badCopyArgument("listener", "a function");
    const auto listener = info[1].As<Napi::Function>();
    if (environmentOf(info).notify(&copy, listener)) return info.Env().Undefined();
    // A few megabytes on the wire: a thread's wake-up would take longer, unless the stream is full of other work.
    constexpr std::int64_t patienceNs = 200000;
    for (const std::int64_t start = nowNs(); nowNs() - start < patienceNs;) {
      if (copy.state() == CopyState::pending) continue;
      listener.Call({});
      return info.Env().Undefined();
    }
    const Ticket& ticket = external<Ticket>(info[0], "copy");
    environmentOf(info).start(info.Env(), ticket, info.Env().Undefined());
    environmentOf(info).notify(&copy, listener);
    return info.Env().Undefined();
  });
}

/// copyError(copy): what went wrong; undefined where nothing did.
Napi::Value copyError(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    PendingCopy& copy = copyOf(info);
    const CopyState state = copy.state();
    if (state == CopyState::pending || state == CopyState::done) return info.Env().Undefined();
    return toError(info.Env(), copy.failure()).Value();
  });
}

/// copyCancel(copy): asks it to end soon.
Napi::Value copyCancel(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    copyOf(info).cancel();
    return info.Env().Undefined();
  });
}

/// An ArrayBuffer over the block, which goes back to its pool with it; empty where the runtime allows no such buffers, as
/// Electron's does not.
Napi::Value overBlock(Napi::Env env, const BlockRef& block, std::uint64_t bytes) {
  auto* const held = new BlockRef(block);
  napi_value buffer = nullptr;
  const napi_status status = napi_create_external_arraybuffer(
      env, block->memory, static_cast<std::size_t>(bytes),
      [](napi_env, void*, void* hint) { delete static_cast<BlockRef*>(hint); }, held, &buffer);
  if (status == napi_ok) return Napi::Value(env, buffer);
  delete held;
  return {};
}

/// copyBuffers(copy): { buffers, external }, the ArrayBuffers of results on the host, once. Where the runtime allows none
/// over the results' own memory, they are copies, and `external` is false.
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

/// copyRelease(storage): lets go of a tensor's memory now.
Napi::Value copyRelease(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1) badCopyArgument("storage", "made by this addon");
    external<Storage>(info[0], "storage").block = nullptr;
    return info.Env().Undefined();
  });
}

/// copyDetach(buffer): detaches an ArrayBuffer of results, so that its memory goes back soon.
Napi::Value copyDetach(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1 || !info[0].IsArrayBuffer()) badCopyArgument("buffer", "an ArrayBuffer");
    info[0].As<Napi::ArrayBuffer>().Detach();
    return info.Env().Undefined();
  });
}

/// copyPinned(device, bytes): a page-locked ArrayBuffer.
Napi::Value copyPinned(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 2 || !info[0].IsString() || !info[1].IsNumber()) badCopyArgument("bytes", "a number");
    const double bytes = info[1].As<Napi::Number>().DoubleValue();
    if (!(bytes >= 0 && bytes <= 9007199254740991.0)) badCopyArgument("bytes", "a number of bytes");
    const std::shared_ptr<CopyEngine> engine = copyEngine(info[0].As<Napi::String>().Utf8Value());
    const auto whole = static_cast<std::uint64_t>(bytes);
    const BlockRef block = engine->pinnedMemory().take(whole);
    if (block == nullptr) outOfMemory(whole, "page-locked", 0);
    const Napi::Value buffer = overBlock(info.Env(), block, whole);
    if (!buffer.IsEmpty()) return buffer;
    throw Failure("copy.no-pinned-buffers", "This runtime allows no buffers over page-locked memory.",
                  "Use ordinary memory: the pipelined strategy is nearly as fast from there.");
  });
}

// Streams

/// copyStream(device): a new non-blocking stream.
Napi::Value copyStream(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1 || !info[0].IsString()) badCopyArgument("device", "a string");
    const auto stream = std::make_shared<Stream>(copyEngine(info[0].As<Napi::String>().Utf8Value()));
    return wrap<std::shared_ptr<Stream>>(info.Env(), stream);
  });
}

/// copySynchronize(stream): blocks until its work is done.
Napi::Value copySynchronize(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    if (info.Length() < 1) badCopyArgument("stream", "made by this addon");
    const Stream& stream = *external<std::shared_ptr<Stream>>(info[0], "stream");
    stream.engine->device().attach();
    stream.engine->device().synchronize(stream.stream);
    return info.Env().Undefined();
  });
}

/// copySimulate({ device, failAfter?, delayNs?, memoryBytes? }): orders failures of a simulated device, for tests.
Napi::Value copySimulate(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = argument(info);
    HostCopyDevice* const device = engineEntry(deviceName(request))->simulated;
    if (device == nullptr) badCopyArgument("device", "a simulated one");
    const auto number = [&](const char* name) { return request.Get(name).As<Napi::Number>().Int64Value(); };
    if (request.Has("failAfter")) device->failAfter(static_cast<long>(number("failAfter")));
    if (request.Has("delayNs")) device->delayCopies(static_cast<long>(number("delayNs")));
    if (request.Has("memoryBytes")) device->limitMemory(static_cast<std::size_t>(number("memoryBytes")));
    return info.Env().Undefined();
  });
}

}  // namespace

void initialiseStarts(Napi::Env env, Napi::Object exports) {
  enterEngines();
  auto* const environment = new Environment(env);
  env.AddCleanupHook([environment] {
    environment->close();
    delete environment;
    leaveEngines();
  });
  const auto add = [&](const char* name, Napi::Value (*function)(const Napi::CallbackInfo&)) {
    exports.Set(name, Napi::Function::New(env, function, name, environment));
  };
  add("copyUpload", copyUpload);
  add("copyDownload", copyDownload);
  add("copyAcross", copyAcross);
  add("copyHost", copyHost);
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
