// Starts copies from JavaScript: one call for a whole batch, with plain arrays of numbers around the leaves.
#include <numeric>

#include "addon/copy_environment.h"
#include "addon/copy_request.h"
#include "executor/host_memory.h"

namespace copyscope::addon {
namespace {

using namespace copy;

bool packs(const CopyOptions& options) {
  return options.packCpuTensors && (options.strategy == Strategy::packed || options.strategy == Strategy::pipelined);
}

/// Returns 0 if unknown.
std::uint64_t freeBytes(PendingCopy& copy, const std::string& where) {
  if (where == "device") return copy.engine->device().freeDeviceBytes();
  return where == "host" ? availableHostMemory() : 0;
}

void placeResults(PendingCopy& copy, const std::vector<TensorSize>& tensors, MemoryPool& pool,
                  const std::string& where) {
  CopyOptions options = copy.options;
  options.packCpuTensors = packs(options);
  planPacking(tensors, options, copy.placement);
  const std::vector<std::uint64_t>& storages = copy.placement.storages;
  requireMemory(std::accumulate(storages.begin(), storages.end(), std::uint64_t{0}), pool);
  for (const std::uint64_t bytes : storages) {
    BlockRef block = pool.take(bytes);
    if (block == nullptr) outOfCopyMemory(bytes, where, freeBytes(copy, where));
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

/// Returns { copy, submitted, storages, storageOf, offsets, bytes }: the place of each leaf's result. `submitted`: all
/// of it is in its stream, and nothing waits for it.
Napi::Object started(Napi::Env env, const Ticket& ticket, const std::vector<BlockRef>& results) {
  const PackingPlan& plan = ticket.copy->placement;
  Napi::Object object = Napi::Object::New(env);
  object.Set("copy", wrap<Ticket>(env, ticket));
  object.Set("submitted", ticket.copy->isSubmitted());
  Napi::Array storages = Napi::Array::New(env, results.size());
  for (std::size_t index = 0; index < results.size(); ++index) {
    storages.Set(static_cast<std::uint32_t>(index), wrap<Storage>(env, {ticket.copy->engine, results[index]}));
  }
  const std::size_t count = plan.placements.size();
  Napi::Int32Array storageOf = Napi::Int32Array::New(env, count);
  Napi::Float64Array offsets = Napi::Float64Array::New(env, count);
  Napi::Float64Array bytes = Napi::Float64Array::New(env, count);
  for (std::size_t index = 0; index < count; ++index) {
    storageOf[index] = static_cast<std::int32_t>(plan.placements[index].storage);
    offsets[index] = static_cast<double>(plan.placements[index].offset);
    bytes[index] = static_cast<double>(ticket.copy->batch.transfers[index].bytes);
  }
  object.Set("storages", storages);
  object.Set("storageOf", storageOf);
  object.Set("offsets", offsets);
  object.Set("bytes", bytes);
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

/// Reads every leaf. Page-locked leaves need no staging.
std::vector<TensorSize> readSources(const Leaves& leaves, PendingCopy& copy) {
  const std::vector<Bytes> sources = leaves.readAll(*copy.engine);
  const bool anyPinned = copy.engine->holdsPinnedResults();
  std::vector<TensorSize> tensors(sources.size());
  /// Number of the page-locked block, among consecutive ones.
  std::uint32_t blocks = 0;
  const std::byte* last = nullptr;
  copy.batch.transfers.resize(sources.size());
  for (std::size_t index = 0; index < sources.size(); ++index) {
    const Bytes& source = sources[index];
    tensors[index] = {source.bytes, source.elementBytes, true};
    const std::byte* const block =
        anyPinned ? copy.engine->pinnedMemory().blockOf(source.data, source.bytes) : nullptr;
    if (block != last) ++blocks;
    last = block;
    copy.batch.transfers[index] = {source.data, nullptr, source.bytes, noStorage, block != nullptr, blocks};
  }
  return tensors;
}

/// Starts a batch of which only the sizes are known, if that is enough; returns false if the leaves must be read.
bool startBySizes(const Leaves& leaves, PendingCopy& copy, std::vector<BlockRef>& results) {
  if (!copy.options.useBackgroundThread || copy.engine->holdsPinnedResults()) return false;
  const std::vector<TensorSize> tensors = leaves.readSizes(*copy.engine);
  if (tensors.empty()) return false;
  copy.batch.transfers.resize(tensors.size());
  for (std::size_t index = 0; index < tensors.size(); ++index) copy.batch.transfers[index].bytes = tensors[index].bytes;
  if (!copy.engine->isSmall(copy.batch, copy.options)) return false;
  placeResults(copy, tensors, copy.engine->deviceMemory(), "device");
  aim(copy, &Transfer::device);
  results = copy.results;
  const auto find = [&](std::size_t index) { return leaves.find(index, copy.batch.transfers[index].bytes); };
  if (copy.submitSmall(find)) return true;
  copy.results.clear();
  return false;
}

/// copyUpload({ device, leaves, sizes?, elementSizes?, strided?, options?, stream? }, ...leaves): copies host tensors
/// to a device. With `sizes` a small batch starts before all of its leaves have been read.
Napi::Value copyUpload(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry(deviceName(request));
    const Ticket ticket = newTicket(request, entry, "stream");
    PendingCopy& copy = *ticket.copy;
    copy.batch.direction = Direction::h2d;
    const Leaves leaves(info, request);
    std::vector<BlockRef> results;
    if (startBySizes(leaves, copy, results)) return started(info.Env(), ticket, results);
    std::vector<TensorSize> tensors = readSources(leaves, copy);
    readStrided(request, copy, tensors);
    for (const StridedSource& source : copy.strided) copy.batch.transfers[source.transfer].pinned = false;
    placeResults(copy, tensors, entry->engine->deviceMemory(), "device");
    aim(copy, &Transfer::device);
    results = copy.results;
    launch(info, ticket, request.Get("leaves"));
    return started(info.Env(), ticket, results);
  });
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
    copy.batch.transfers[index].hostStorage = placements[index].storage;
  }
}

/// copyDownload({ device, storages, storageOf, offsets, bytes, elementSizes, options, stream? }): copies to host
/// memory, page-locked within its budget and if the options want it. copyBuffers returns the results.
Napi::Value copyDownload(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
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

/// copyAcross({ device, source, storages, …, options, stream?, sourceStream? }): copies between devices, or within one.
Napi::Value copyAcross(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
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
      device.record(copy.before.get(), source.copy->stream);
    }
    const std::vector<BlockRef> results = copy.results;
    launch(info, ticket, info.Env().Undefined());
    return started(info.Env(), ticket, results);
  });
}

/// copyHost({ leaves, elementSizes?, strided?, options? }, ...leaves): copies host tensors into new host memory, which
/// copyBuffers returns.
Napi::Value copyHost(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry("cpu");
    const Ticket ticket = newTicket(request, entry, "none");
    PendingCopy& copy = *ticket.copy;
    copy.batch.direction = Direction::h2h;
    const std::vector<Bytes> sources = Leaves(info, request).readAll(*entry->engine);
    std::vector<TensorSize> tensors(sources.size());
    copy.batch.transfers.resize(sources.size());
    for (std::size_t index = 0; index < sources.size(); ++index) {
      tensors[index] = {sources[index].bytes, sources[index].elementBytes, true};
      copy.batch.transfers[index] = {sources[index].data, nullptr, sources[index].bytes};
    }
    readStrided(request, copy, tensors);
    placeResults(copy, tensors, entry->engine->pinnedMemory(), "host");
    aim(copy, &Transfer::device);
    launch(info, ticket, request.Get("leaves"));
    Napi::Object result = started(info.Env(), ticket, {});
    result.Set("pinned", false);
    return result;
  });
}

/// copyBlocks({ device, direction, leaves, storages, …, rowBytes, pairs, strategy, pinned, table, stream? }): copies rows
/// of one tensor to rows of another, in the stream's order. The host's tensor is the only leaf.
Napi::Value copyBlocks(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&]() -> Napi::Value {
    const Napi::Object request = requestOf(info);
    const std::shared_ptr<EngineEntry> entry = engineEntry(deviceName(request));
    const Ticket ticket = newTicket(request, entry, "stream");
    PendingCopy& copy = *ticket.copy;
    readDeviceTensors(request, copy, &Transfer::device, entry->engine);
    std::vector<Bytes> ends = Leaves(info, request).readAll(*entry->engine);
    for (const Transfer& tensor : copy.batch.transfers) ends.push_back({tensor.device, tensor.bytes});
    copy.batch.transfers.clear();
    if (ends.size() != 2) badCopyArgument("leaves", "one of two tensors");
    const auto number = [&](const char* name) { return request.Get(name).ToNumber().DoubleValue(); };
    const auto list = [&](const char* name) {
      return numbers<Napi::Float64Array>(request, name, napi_float64_array, 0);
    };
    BlockRequest wanted;
    wanted.direction = static_cast<Direction>(number("direction"));
    wanted.strategy = static_cast<BlockStrategy>(number("strategy"));
    wanted.pinned = number("pinned") != 0;
    const auto table = list("table");
    wanted.table.assign(table.Data(), table.Data() + table.ElementLength());
    if (wanted.direction == Direction::d2h) std::swap(ends[0], ends[1]);
    const std::uint64_t rowBytes = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(number("rowBytes")));
    const BlockRows rows{ends[0].data, ends[1].data, rowBytes, ends[0].bytes / rowBytes, ends[1].bytes / rowBytes};
    const auto pairs = list("pairs");
    addBlocks(wanted.blocks, rows, pairs.Data(), pairs.ElementLength() / 2);
    copy.submitBlocks(std::move(wanted));
    environmentOf(info).start(info.Env(), ticket, request.Get("leaves"));
    return started(info.Env(), ticket, {});
  });
}

}  // namespace

void initialiseStarts(const AddFunction& add) {
  add("copyUpload", copyUpload);
  add("copyDownload", copyDownload);
  add("copyAcross", copyAcross);
  add("copyHost", copyHost);
  add("copyBlocks", copyBlocks);
}

}  // namespace copyscope::addon
