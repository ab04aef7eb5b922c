// The copy engine as a C library without Node (libcopyscope_copy.so), which python/copyscope/_copy.py loads. The caller
// allocates the targets; functions that fail return null or a negative number, and copyscopeCopyError() says why.
#include <memory>
#include <string>
#include <vector>

#include "copy/host_copy_device.h"
#include "copy/packing_plan.h"
#include "copy/pending_copy.h"
#ifdef COPYSCOPE_WITH_CUDA
#include "cuda/cuda_copy_device.h"
#include "cuda/device_scope.h"
#endif

#define COPYSCOPE_EXPORT extern "C" __attribute__((visibility("default")))

namespace copyscope::copy {
namespace {

/// A device's engine and the thread for its background copies. It lasts until the process ends.
struct Engine {
  std::shared_ptr<CopyEngine> engine;
  CopyScheduler scheduler;
  bool isCuda = false;
};

thread_local std::string lastError;

/// Returns `otherwise`, with the reason in lastError, if `work` throws.
template <typename Result, typename Work>
Result guarded(Result otherwise, const Work& work) noexcept {
  try {
    return work();
  } catch (const Failure& failure) {
    lastError = failure.remedy.empty() ? failure.message : failure.message + " " + failure.remedy;
  } catch (const std::exception& error) {
    lastError = error.what();
  }
  return otherwise;
}

CopyOptions optionsOf(int strategy) {
  CopyOptions options;
  options.strategy = static_cast<Strategy>(strategy);
  options.packCpuTensors = options.strategy == Strategy::packed || options.strategy == Strategy::pipelined;
  return options;
}

std::unique_ptr<CopyDevice> deviceOf(int index, bool simulated) {
  if (simulated) return std::make_unique<HostCopyDevice>(index);
#ifdef COPYSCOPE_WITH_CUDA
  return makeCudaCopyDevice(index);
#else
  throw Failure("copy.no-device", "This libcopyscope_copy.so was built without CUDA.");
#endif
}

/// Returns an owner of the caller's stream as the engine sees it; null for the engine's own.
std::shared_ptr<CopyStream> streamOf(const Engine& engine, void* handle) {
#ifdef COPYSCOPE_WITH_CUDA
  if (engine.isCuda) return std::make_shared<CudaCopyStream>(static_cast<cudaStream_t>(handle));
#endif
  static_cast<void>(engine);
  static_cast<void>(handle);
  return nullptr;
}

/// DLTensor and DLPackExchangeAPI of DLPack 1.x (https://dmlc.github.io/dlpack), with the functions that aren't used here
/// as addresses.
struct DlTensor {
  std::byte* data;
  std::int32_t deviceType;
  std::int32_t deviceIndex;
  std::int32_t dimensions;
  std::uint8_t typeCode;
  std::uint8_t bits;
  std::uint16_t lanes;
  const std::int64_t* shape;
  const std::int64_t* strides;
  std::uint64_t byteOffset;
};
struct DlExchange {
  std::uint32_t major;
  std::uint32_t minor;
  const void* older;
  const void* unused[3];
  int (*describe)(void* tensor, DlTensor* out);
};
constexpr std::int32_t dlCpu = 1;
constexpr std::int32_t dlPinned = 3;

/// Returns the bytes of a dense host tensor in the order of its dimensions, or -1 for any other tensor.
std::int64_t denseBytes(const DlTensor& tensor) {
  if (tensor.deviceType != dlCpu && tensor.deviceType != dlPinned) return -1;
  std::int64_t elements = 1;
  bool isDense = true;
  for (std::int32_t axis = tensor.dimensions - 1; axis >= 0; --axis) {
    if (tensor.strides != nullptr && tensor.shape[axis] > 1) isDense = isDense && tensor.strides[axis] == elements;
    elements *= tensor.shape[axis];
  }
  return isDense || elements == 0 ? elements * ((tensor.bits * tensor.lanes + 7) / 8) : -1;
}

struct Copy {
  std::shared_ptr<PendingCopy> pending;
  bool isCuda = false;
};

/// Makes the engine's device the calling thread's for a call. The program changes the thread's device itself, which it
/// must find again, and of which DeviceScope doesn't know.
class CallerDevice {
 public:
#ifdef COPYSCOPE_WITH_CUDA
  CallerDevice(int index, bool isCuda) {
    if (!isCuda || cudaGetDevice(&before_) != cudaSuccess) return;
    isChanged_ = DeviceScope::tryChange(index) && index != before_;
  }
  ~CallerDevice() {
    if (isChanged_) DeviceScope::tryChange(before_);
  }
#else
  CallerDevice(int, bool) {}
  ~CallerDevice() {}
#endif
  CallerDevice(const CallerDevice&) = delete;
  CallerDevice& operator=(const CallerDevice&) = delete;

 private:
  int before_ = 0;
  bool isChanged_ = false;
};

}  // namespace
}  // namespace copyscope::copy

using namespace copyscope::copy;

/// Returns the reason of this thread's last failure.
COPYSCOPE_EXPORT const char* copyscopeCopyError() { return lastError.c_str(); }

/// Makes the engine of CUDA's device `index`, or of a simulated one.
COPYSCOPE_EXPORT void* copyscopeCopyOpen(int index, int simulated) {
  return guarded<void*>(nullptr, [&] {
    const CallerDevice device(index, simulated == 0);
    auto made = std::make_unique<Engine>();
    made->engine = std::make_shared<CopyEngine>(deviceOf(index, simulated != 0));
    made->isCuda = simulated == 0;
    return made.release();
  });
}

/// Writes address and bytes of `count` Python tensors through DLPack's exchange functions of their type. Returns 1; or 0
/// if one of them is no dense host tensor, or the type's functions are of another version. The caller holds Python's
/// lock and looks for a Python exception.
COPYSCOPE_EXPORT int copyscopeCopyDescribe(const void* exchange, long count, void* const* tensors,
                                           std::uint64_t* addresses, std::uint64_t* bytes) {
  const DlExchange& functions = *static_cast<const DlExchange*>(exchange);
  if (functions.major != 1 || functions.describe == nullptr) return 0;
  for (long index = 0; index < count; ++index) {
    DlTensor tensor{};
    if (functions.describe(tensors[index], &tensor) != 0) return 0;
    const std::int64_t dense = denseBytes(tensor);
    if (dense < 0) return 0;
    addresses[index] = reinterpret_cast<std::uint64_t>(tensor.data) + tensor.byteOffset;
    bytes[index] = static_cast<std::uint64_t>(dense);
  }
  return 1;
}

/// Places `count` dense tensors by their bytes: `storageOf` and `offsets` get each one's storage and its place there.
/// `storages` (room for `count`) gets the bytes of each storage, and `alone` its only tensor, or -1 if it holds several.
/// Returns the number of storages. An empty tensor has storage 0xffffffff.
COPYSCOPE_EXPORT long copyscopeCopyPlace(long count, int strategy, const std::uint64_t* bytes, std::uint32_t* storageOf,
                                         std::uint64_t* offsets, std::uint64_t* storages, std::int64_t* alone) {
  return guarded<long>(-1, [&] {
    constexpr std::uint32_t largestElement = 16;
    const auto number = static_cast<std::size_t>(count);
    std::vector<TensorSize> tensors(number);
    for (std::size_t index = 0; index < number; ++index) tensors[index] = {bytes[index], largestElement, true};
    PackingPlan plan;
    planPacking(tensors, optionsOf(strategy), plan);
    std::vector<std::uint32_t> held(plan.storages.size());
    for (std::size_t index = 0; index < number; ++index) {
      storageOf[index] = plan.placements[index].storage;
      offsets[index] = plan.placements[index].offset;
      if (storageOf[index] == noStorage) continue;
      alone[storageOf[index]] = held[storageOf[index]]++ == 0 ? static_cast<std::int64_t>(index) : -1;
    }
    std::copy(plan.storages.begin(), plan.storages.end(), storages);
    return static_cast<long>(plan.storages.size());
  });
}

/// Starts copying host tensors to the device, in `stream`. `bases` are the addresses of the storages. Sources, targets
/// and stream must last until the copy has ended; the arrays may go.
COPYSCOPE_EXPORT void* copyscopeCopyStart(void* engine, long count, int strategy, const std::uint64_t* sources,
                                          const std::uint64_t* bytes, const std::uint32_t* storageOf,
                                          const std::uint64_t* offsets, const std::uint64_t* bases, void* stream) {
  return guarded<void*>(nullptr, [&] {
    Engine& own = *static_cast<Engine*>(engine);
    const std::shared_ptr<CopyStream> owner = streamOf(own, stream);
    const StreamRef used = owner != nullptr ? owner.get() : own.engine->defaultStream();
    const CallerDevice device(own.engine->device().index(), own.isCuda);
    auto copy = std::make_unique<Copy>(Copy{std::make_shared<PendingCopy>(own.engine, used, owner), own.isCuda});
    PendingCopy& pending = *copy->pending;
    pending.options = optionsOf(strategy);
    pending.batch.transfers.resize(static_cast<std::size_t>(count));
    for (long index = 0; index < count; ++index) {
      const std::uint32_t storage = storageOf[index];
      if (storage == noStorage) continue;
      pending.batch.transfers[static_cast<std::size_t>(index)] = {
          reinterpret_cast<std::byte*>(sources[index]), reinterpret_cast<std::byte*>(bases[storage] + offsets[index]),
          bytes[index], storage};
    }
    if (!pending.submitSmall()) own.scheduler.add(copy->pending);
    return copy.release();
  });
}

/// Two tensors of which `count` rows are copied.
struct BlockSet {
  BlockRows rows;
  const std::int64_t* pairs;
  std::uint64_t count;
};

/// Starts copying blocks in `stream`, after its earlier work and before its later work, by a BlockStrategy. `direction`
/// is 0 to the device, 1 from it, 2 within it. `table` has `numbers` numbers (BlockRequest). Tensors and stream must last
/// until the copy has ended; the arrays may go.
COPYSCOPE_EXPORT void* copyscopeCopyBlocks(void* engine, long count, const void* sets, int direction, int strategy,
                                           int pinned, long numbers, const double* table, void* stream) {
  return guarded<void*>(nullptr, [&] {
    Engine& own = *static_cast<Engine*>(engine);
    const std::shared_ptr<CopyStream> owner = streamOf(own, stream);
    const StreamRef used = owner != nullptr ? owner.get() : own.engine->defaultStream();
    const CallerDevice device(own.engine->device().index(), own.isCuda);
    BlockRequest request;
    request.direction = static_cast<Direction>(direction);
    request.strategy = static_cast<BlockStrategy>(strategy);
    request.pinned = pinned != 0;
    request.table.assign(table, table + numbers);
    for (const auto* set = static_cast<const BlockSet*>(sets); count > 0; --count, ++set) {
      addBlocks(request.blocks, set->rows, set->pairs, static_cast<std::size_t>(set->count));
    }
    auto copy = std::make_unique<Copy>(Copy{std::make_shared<PendingCopy>(own.engine, used, owner), own.isCuda});
    copy->pending->submitBlocks(std::move(request));
    return copy.release();
  });
}

/// Returns the state, without waiting: 0 under way, 1 done, 2 failed, 3 cancelled.
COPYSCOPE_EXPORT int copyscopeCopyState(void* copy) {
  return static_cast<int>(static_cast<Copy*>(copy)->pending->state());
}

/// Waits for the end, and returns the state.
COPYSCOPE_EXPORT int copyscopeCopyWait(void* copy) {
  PendingCopy& pending = *static_cast<Copy*>(copy)->pending;
  const CallerDevice device(pending.engine->device().index(), static_cast<Copy*>(copy)->isCuda);
  pending.wait();
  if (pending.state() != CopyState::done) lastError = pending.failure().message;
  return static_cast<int>(pending.state());
}

/// Cancels the copy if it is under way, waits until nothing uses its memory, and frees it.
COPYSCOPE_EXPORT void copyscopeCopyFree(void* copy) {
  const std::unique_ptr<Copy> owned(static_cast<Copy*>(copy));
  const CallerDevice device(owned->pending->engine->device().index(), owned->isCuda);
  owned->pending->cancel();
  owned->pending->wait();
}
