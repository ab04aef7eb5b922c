#include "native_stack.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "threads.h"

namespace copyscope::record {
namespace {

/// Numbers of Python frames and stacks start at 1, those of compiled code here.
constexpr std::uint32_t firstNumber = 0x80000000u;
constexpr std::size_t mostStacks = 100'000;

struct Return {
  /// Place of the address on the stack, in bytes from the start of the walk.
  std::uintptr_t slot;
  std::uintptr_t address;
};

struct Walk {
  std::uintptr_t from;
  std::size_t count;
  /// True if each address was found on the stack, so that it can be checked there again.
  bool isOnStack;
  std::array<Return, deepestStack> returns;
};

std::uintptr_t wordAt(std::uintptr_t address) { return *reinterpret_cast<const std::uintptr_t*>(address); }

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const std::uintptr_t address = _Unwind_GetIP(context);
  const std::uintptr_t slot = _Unwind_GetCFA(context) - sizeof address;
  // Skips the walk's own function and its callees.
  if (slot < walk.from || address == 0) return _URC_NO_REASON;
  walk.isOnStack = walk.isOnStack && slot % sizeof slot == 0 && wordAt(slot) == address;
  walk.returns[walk.count++] = {slot - walk.from, address};
  return walk.count < deepestStack ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/// Recent calling places of a thread, by its stack's position.
struct Recent {
  struct Place {
    std::uint32_t number;
    std::uint32_t fork;
    Walk walk;
  };
  static constexpr std::size_t size = 16;
  std::array<Place, size> places;
};

/// Returns the calling thread's data, made at the first access, since a thread-local object of this size would burden
/// each thread of a program with Python too. A thread that ends may still call CUDA from its destructors, and then gets
/// another one.
Recent& recent() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    pthread_key_create(&made, [](void* own) { delete static_cast<Recent*>(own); });
    return made;
  }();
  auto* own = static_cast<Recent*>(pthread_getspecific(key));
  if (own == nullptr) {
    own = new Recent();
    pthread_setspecific(key, own);
  }
  return *own;
}

/// Compares from the innermost frame on: if a return address is unchanged, the next one is at the same place.
bool isSame(const Walk& walk, std::uintptr_t from) {
  for (std::size_t index = 0; index < walk.count; ++index) {
    if (wordAt(from + walk.returns[index].slot) != walk.returns[index].address) return false;
  }
  return true;
}

struct Known {
  std::mutex mutex;
  std::map<std::uintptr_t, std::uint32_t> frames;
  std::map<std::vector<std::uintptr_t>, std::uint32_t> stacks;
};
Known& known() {
  static auto* const all = new Known();
  return *all;
}

std::string_view fileName(const char* path) {
  const std::string_view whole = path == nullptr ? "" : path;
  return whole.substr(whole.rfind('/') + 1);
}

/// Returns the program's path. The loader only knows the name of its start, which may be relative to another folder.
const std::string& programFile() {
  static const std::string file = [] {
    std::array<char, PATH_MAX> path;
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    return length < 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(length));
  }();
  return file;
}

/// Returns true for CUDA's own libraries and this one.
bool isOfCuda(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0) return false;
  const std::string_view name = fileName(info.dli_fname);
  for (const std::string_view prefix : {"libcopyscope_record.", "libcupti.", "libcuda.", "libcudart."}) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

/// Uses the function's name if the file has it; lines are looked up from the address when the recording is read.
std::uint32_t frameNumber(ChunkWriter& writer, std::uintptr_t address) {
  Known& all = known();
  const auto found = all.frames.find(address);
  if (found != all.frames.end()) return found->second;
  const auto number = firstNumber + static_cast<std::uint32_t>(all.frames.size());
  all.frames.emplace(address, number);
  Dl_info info{};
  link_map* map = nullptr;
  // The call is before the address that it returns to.
  const std::uintptr_t call = address - 1;
  if (dladdr1(reinterpret_cast<void*>(call), &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) info = {};
  int status = -1;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      info.dli_sname == nullptr ? nullptr : abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
  const char* const name = readable != nullptr ? readable.get() : info.dli_sname;
  const bool isProgram = map != nullptr && map->l_name[0] == '\0';
  const std::string_view path = info.dli_fname == nullptr ? "" : info.dli_fname;
  const std::uint32_t file = writer.text(isProgram ? programFile() : path);
  const std::uint32_t function = writer.text(name == nullptr ? "" : name);
  RecordBuffer record(RecordKind::frame);
  record.u32(number).u32(file).u32(0).u32(function).u64(map == nullptr ? call : call - map->l_addr);
  writer.append(record);
  return number;
}

std::uint32_t stackNumber(ChunkWriter& writer, const Walk& walk) {
  std::size_t first = 0;
  while (first < walk.count && isOfCuda(walk.returns[first].address)) ++first;
  std::vector<std::uintptr_t> addresses;
  for (std::size_t index = first; index < walk.count; ++index) addresses.push_back(walk.returns[index].address);
  if (addresses.empty()) return 0;
  Known& all = known();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.stacks.find(addresses);
  if (found != all.stacks.end()) return found->second;
  if (all.stacks.size() >= mostStacks) return 0;
  const auto number = firstNumber + static_cast<std::uint32_t>(all.stacks.size());
  RecordBuffer record(RecordKind::stack);
  record.u32(number);
  for (const std::uintptr_t address : addresses) record.u32(frameNumber(writer, address));
  all.stacks.emplace(std::move(addresses), number);
  writer.append(record);
  return number;
}

}  // namespace

__attribute__((noinline)) std::uint32_t nativeStack(ChunkWriter& writer) {
  const auto from = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  Recent::Place& place = recent().places[(from >> 4) % Recent::size];
  const bool isKept = place.number != 0 && place.fork == forkCount() && place.walk.from == from;
  if (isKept && isSame(place.walk, from)) return place.number;
  Walk& walk = place.walk;
  walk.from = from;
  walk.count = 0;
  walk.isOnStack = true;
  _Unwind_Backtrace(visit, &walk);
  const std::uint32_t number = stackNumber(writer, walk);
  place.number = walk.isOnStack ? number : 0;
  place.fork = forkCount();
  return number;
}

void forgetNativeStacks() {
  Known& all = known();
  new (&all) Known();
}

}  // namespace copyscope::record
