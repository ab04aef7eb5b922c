#include "call_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace copyscope::record {
namespace {

bool starts(std::string_view name, std::string_view with) { return name.substr(0, with.size()) == with; }

template <std::size_t count>
bool isOneOf(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <std::size_t count>
bool startsWithOneOf(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view with) { return starts(name, with); });
}

constexpr std::array<std::string_view, 5> waits = {
    "StreamSynchronize", "EventSynchronize", "DeviceSynchronize", "ThreadSynchronize", "CtxSynchronize"};
constexpr std::array<std::string_view, 3> events = {"EventRecord", "EventRecordWithFlags", "StreamWaitEvent"};
constexpr std::array<std::string_view, 5> pins = {"HostAlloc", "MallocHost", "HostRegister", "MemHostAlloc",
                                                  "MemAllocHost"};
constexpr std::array<std::string_view, 4> unpins = {"FreeHost", "HostUnregister", "MemFreeHost", "MemHostUnregister"};
constexpr std::array<std::string_view, 4> allocations = {"Malloc", "MallocAsync", "MemAlloc", "MemAllocAsync"};
constexpr std::array<std::string_view, 4> frees = {"Free", "FreeAsync", "MemFree", "MemFreeAsync"};
constexpr std::array<std::string_view, 4> launches = {"LaunchKernel", "LaunchCooperativeKernel", "GraphLaunch",
                                                      "LaunchHostFunc"};
/// Copies whose parameters begin with destination and source, and those with a pitch between them.
constexpr std::array<std::string_view, 10> copies = {
    "cudaMemcpy",       "cudaMemcpyAsync", "cuMemcpy",          "cuMemcpyAsync", "cuMemcpyHtoD",
    "cuMemcpyHtoDAsync", "cuMemcpyDtoH",    "cuMemcpyDtoHAsync", "cuMemcpyDtoD",  "cuMemcpyDtoDAsync"};
constexpr std::array<std::string_view, 2> pitchedCopies = {"cudaMemcpy2D", "cudaMemcpy2DAsync"};

bool isVersion(std::string_view ending) {
  return ending.size() > 2 && ending[0] == '_' && ending[1] == 'v' &&
         std::all_of(ending.begin() + 2, ending.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string plainName(std::string_view name) {
  for (;;) {
    const std::size_t at = name.rfind('_');
    if (at == std::string_view::npos || at == 0) return std::string(name);
    const std::string_view ending = name.substr(at);
    if (!isVersion(ending) && ending != "_ptsz" && ending != "_ptds") return std::string(name);
    name = name.substr(0, at);
  }
}

std::optional<CallRole> roleOf(std::string_view plain) {
  const bool isRuntime = starts(plain, "cuda");
  if (!isRuntime && !starts(plain, "cu")) return std::nullopt;
  const std::string_view name = plain.substr(isRuntime ? 4 : 2);
  if (isOneOf(name, waits)) return CallRole::wait;
  if (isOneOf(name, events)) return CallRole::event;
  if (isOneOf(name, pins) || starts(name, "MemHostRegister")) return CallRole::pin;
  if (isOneOf(name, unpins)) return CallRole::unpin;
  if (isOneOf(name, allocations)) return CallRole::allocate;
  if (isOneOf(name, frees)) return CallRole::free;
  if (startsWithOneOf(name, launches)) return CallRole::launch;
  if (starts(name, "Memcpy")) return CallRole::copy;
  if (starts(name, "Memset")) return CallRole::memset;
  return std::nullopt;
}

std::size_t sourceParameter(std::string_view plain) {
  return isOneOf(plain, copies) ? 1 : isOneOf(plain, pitchedCopies) ? 2 : 0;
}

}  // namespace copyscope::record
