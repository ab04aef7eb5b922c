#include "cuda/cuda_memory.h"


#include "cuda/device_scope.h"

namespace copyscope {
namespace {

/// Returns true if an allocation worked; false if there is no memory left.
bool hasMemory(cudaError_t result, const char* call) {
  if (result != cudaErrorMemoryAllocation) {
    check(result, call);
    return true;
  }
  static_cast<void>(cudaGetLastError());
  return false;
}

std::uint64_t bytesOf(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool, attribute, &bytes), "cudaMemPoolGetAttribute");
  return bytes;
}

unsigned flagsOf(Memory memory) {
  switch (memory) {
    case Memory::pinnedWriteCombined:
      return cudaHostAllocPortable | cudaHostAllocWriteCombined;
    case Memory::mapped:
      return cudaHostAllocPortable | cudaHostAllocMapped;
    default:
      return cudaHostAllocPortable;
  }
}

}  // namespace

CudaAllocation allocateBuffer(const Buffer& buffer, const CudaDevices& devices) {
  CudaAllocation allocation;
  const auto bytes = static_cast<std::size_t>(buffer.bytes);
  if (isDevice(buffer)) {
    const DeviceScope scope(devices[buffer.device].ordinal);
    allocation.device = allocateDevice(bytes);
    allocation.address = static_cast<std::byte*>(allocation.device.get());
  } else if (buffer.memory == Memory::managed) {
    const DeviceScope scope(devices[buffer.device].ordinal);
    allocation.device = allocateManaged(bytes);
    allocation.address = static_cast<std::byte*>(allocation.device.get());
  } else if (buffer.memory == Memory::pageable || buffer.memory == Memory::registered) {
    allocation.pageable = allocatePages(bytes);
    allocation.address = allocation.pageable.get();
    if (allocation.address != nullptr && buffer.memory == Memory::registered) {
      allocation.registration = registerHost(allocation.address, bytes);
    }
  } else {
    allocation.pinned = allocatePinned(bytes, flagsOf(buffer.memory));
    allocation.address = static_cast<std::byte*>(allocation.pinned.get());
  }
  return allocation;
}

// Marks

int CudaMarks::mark(int stream) {
  const auto index = static_cast<std::size_t>(stream);
  const int device = program_.streams[index].device;
  const DeviceScope scope(devices_[device].ordinal);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<OwnedEvent>& spare = spare_[device];
  if (spare.empty()) spare.push_back(createEvent(false));
  check(cudaEventRecord(spare.back().get(), streams_[index]), "cudaEventRecord");
  Mark made;
  made.device = device;
  made.event = std::move(spare.back());
  spare.pop_back();
  marks_[++lastMark_] = std::move(made);
  return lastMark_;
}

cudaEvent_t CudaMarks::eventOf(int mark) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return marks_.at(mark).event.get();
}

bool CudaMarks::isReached(int mark) {
  const cudaError_t answer = cudaEventQuery(eventOf(mark));
  if (answer != cudaErrorNotReady) check(answer, "cudaEventQuery");
  return answer == cudaSuccess;
}

void CudaMarks::wait(int mark) { check(cudaEventSynchronize(eventOf(mark)), "cudaEventSynchronize"); }

void CudaMarks::forget(int mark) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = marks_.find(mark);
  if (found == marks_.end()) return;
  spare_[found->second.device].push_back(std::move(found->second.event));
  marks_.erase(found);
}

// Segments

std::byte* CudaSegments::allocateSegment(std::uint64_t bytes) {
  void* memory = nullptr;
  const auto size = static_cast<std::size_t>(bytes);
  if (device_ < 0) {
    const bool worked = hasMemory(cudaHostAlloc(&memory, size, cudaHostAllocPortable), "cudaHostAlloc");
    return worked ? static_cast<std::byte*>(memory) : nullptr;
  }
  const DeviceScope scope(devices_[device_].ordinal);
  return hasMemory(cudaMalloc(&memory, size), "cudaMalloc") ? static_cast<std::byte*>(memory) : nullptr;
}

void CudaSegments::freeSegment(std::byte* segment) noexcept {
  static_cast<void>(device_ < 0 ? cudaFreeHost(segment) : cudaFree(segment));
}

// The source

CudaMemory::CudaMemory(const Program& program, const CudaDevices& devices, const std::vector<cudaStream_t>& streams)
    : program_(program), devices_(devices), streams_(streams), marks_(program, devices, streams) {
  for (int device = 0; device < devices.count(); ++device) {
    segments_.push_back(std::make_unique<CudaSegments>(marks_, devices, device));
  }
  host_ = std::make_unique<CudaSegments>(marks_, devices, -1);
}

CudaMemory::~CudaMemory() {
  for (auto& [device, pool] : pools_) {
    // Freed memory returns in the order of its stream.
    if (DeviceScope::tryChange(devices_[device].ordinal)) static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaMemPoolSetAttribute(pool.handle, cudaMemPoolAttrReleaseThreshold, &pool.threshold));
    static_cast<void>(cudaMemPoolTrimTo(pool.handle, 0));
  }
  static_cast<void>(cudaGetLastError());
}

std::vector<AllocatorDevice*> CudaMemory::segments() const {
  std::vector<AllocatorDevice*> devices;
  for (const auto& one : segments_) devices.push_back(one.get());
  return devices;
}

std::byte* CudaMemory::allocate(const Buffer& buffer) {
  CudaAllocation made;
  try {
    made = allocateBuffer(buffer, devices_);
  } catch (const Failure& failure) {
    if (failure.message.find(cudaGetErrorName(cudaErrorMemoryAllocation)) == std::string::npos) throw;
  }
  std::byte* const address = made.address;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (address != nullptr) allocations_[address] = std::move(made);
  return address;
}

/// The lock is not held while CUDA frees, since that waits for the device.
void CudaMemory::free(const Buffer& buffer, std::byte* address) {
  CudaAllocation freed;  // Destroyed last, after the lock.
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return;
  freed = std::move(found->second);
  allocations_.erase(found);
  if (buffer.memory == Memory::pageable) parked_.push_back(std::move(freed));
}

CudaMemory::Pool& CudaMemory::pool(int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pools_.find(device);
  if (found != pools_.end()) return found->second;
  Pool opened;
  check(cudaDeviceGetDefaultMemPool(&opened.handle, devices_[device].ordinal), "cudaDeviceGetDefaultMemPool");
  check(cudaMemPoolGetAttribute(opened.handle, cudaMemPoolAttrReleaseThreshold, &opened.threshold),
        "cudaMemPoolGetAttribute");
  std::uint64_t kept = program_.poolReleaseThreshold;
  check(cudaMemPoolSetAttribute(opened.handle, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  for (int other = 0; program_.peerAccess && other < devices_.count(); ++other) {
    int possible = 0;
    check(cudaDeviceCanAccessPeer(&possible, devices_[other].ordinal, devices_[device].ordinal),
          "cudaDeviceCanAccessPeer");
    if (other == device || possible == 0) continue;
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = devices_[other].ordinal;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    check(cudaMemPoolSetAccess(opened.handle, &access, 1), "cudaMemPoolSetAccess");
  }
  return pools_[device] = opened;
}

std::byte* CudaMemory::allocateFromPool(const Buffer& buffer, int stream) {
  Pool& source = pool(buffer.device);
  const auto index = static_cast<std::size_t>(stream);
  const DeviceScope scope(devices_[program_.streams[index].device].ordinal);
  void* memory = nullptr;
  const auto bytes = static_cast<std::size_t>(buffer.bytes);
  const cudaError_t result = cudaMallocFromPoolAsync(&memory, bytes, source.handle, streams_[index]);
  if (!hasMemory(result, "cudaMallocAsync")) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  ++source.allocations;
  return static_cast<std::byte*>(memory);
}

void CudaMemory::freeToPool(const Buffer&, std::byte* address, int stream) {
  const auto index = static_cast<std::size_t>(stream);
  const DeviceScope scope(devices_[program_.streams[index].device].ordinal);
  check(cudaFreeAsync(address, streams_[index]), "cudaFreeAsync");
}

std::uint64_t CudaMemory::available(const Buffer& buffer) {
  if (!mayFillDevice(buffer)) return availableHostMemory();
  const DeviceScope scope(devices_[buffer.device].ordinal);
  std::size_t available = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
  return available;
}

std::uint64_t CudaMemory::poolReserved(int device) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = pools_.find(device);
  return found == pools_.end() ? 0 : bytesOf(found->second.handle, cudaMemPoolAttrReservedMemCurrent);
}

std::vector<MemoryReport> CudaMemory::poolReports() {
  std::vector<MemoryReport> reports;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [device, one] : pools_) {
    const auto read = [handle = one.handle](cudaMemPoolAttr attribute) { return bytesOf(handle, attribute); };
    MemoryReport report;
    report.allocator = AllocatorKind::pool;
    report.device = device;
    report.statistics.allocatedBytes = read(cudaMemPoolAttrUsedMemCurrent);
    report.statistics.peakAllocatedBytes = read(cudaMemPoolAttrUsedMemHigh);
    report.statistics.reservedBytes = read(cudaMemPoolAttrReservedMemCurrent);
    report.statistics.peakReservedBytes = read(cudaMemPoolAttrReservedMemHigh);
    report.statistics.allocations = one.allocations;
    reports.push_back(report);
  }
  return reports;
}

}  // namespace copyscope
