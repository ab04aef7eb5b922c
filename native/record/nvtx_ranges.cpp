#include "nvtx_ranges.h"

#include <algorithm>
#include <array>
#include <new>
#include <set>
#include <string>
#include <unordered_map>

#include "executor/clock.h"
#include "recorder.h"
#include "threads.h"

namespace copyscope::record {
namespace {

struct Open {
  const void* domain;
  const std::string* name;
  std::int64_t startNs;
  bool isRecorded;
  bool isStep;
  /// Thread of the range's start; 0 if it also ends there, or there was no file to write it to.
  std::uint32_t thread;
};

/// Deeper ranges are counted, and not recorded.
constexpr int deepest = 64;
struct ThreadRanges {
  std::array<Open, deepest> open;
  int depth;
  std::uint32_t fork;
};
thread_local ThreadRanges ranges{};

constexpr std::size_t mostNames = 100'000;

/// Names stay at their addresses as long as the process lives, since programs repeat few names.
struct Names {
  std::mutex mutex;
  std::set<std::string, std::less<>> all;

  const std::string* of(std::string_view name) {
    if (name.size() > longestText) name = name.substr(0, longestText);
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = all.find(name);
    if (found != all.end()) return &*found;
    return all.size() < mostNames ? &*all.emplace(name).first : nullptr;
  }
};
Names& names() {
  static auto* const names = new Names();
  return *names;
}

/// Ranges that may end on another thread, by their number.
struct Started {
  std::mutex mutex;
  std::unordered_map<nvtxRangeId_t, Open> open;
  nvtxRangeId_t last = 0;
};
Started& started() {
  static auto* const started = new Started();
  return *started;
}
constexpr std::size_t mostStarted = 100'000;

std::string utf8(const wchar_t* text) {
  std::string bytes;
  for (; text != nullptr && *text != L'\0' && bytes.size() < longestText; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    if (code < 0x80) {
      bytes += static_cast<char>(code);
    } else if (code < 0x800) {
      bytes += static_cast<char>(0xc0 | (code >> 6));
      bytes += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      bytes += static_cast<char>(0xe0 | (code >> 12));
      bytes += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      bytes += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      bytes += static_cast<char>(0xf0 | ((code >> 18) & 0x07));
      bytes += static_cast<char>(0x80 | ((code >> 12) & 0x3f));
      bytes += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      bytes += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return bytes;
}

const std::string* nameOf(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return names().of("range");
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return names().of(attributes->message.ascii == nullptr ? "range" : attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return names().of(utf8(attributes->message.unicode));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      // A handle is the address of a name.
      if (attributes->message.registered == nullptr) return names().of("range");
      return reinterpret_cast<const std::string*>(attributes->message.registered);
    default:
      return names().of("range");
  }
}

/// The domain of ranges without a domain.
constexpr const void* defaultDomain = nullptr;

Open begun(const void* domain, const std::string* name, bool isStep) {
  return {domain, name, nowNs(), Recorder::instance().isRecording(), isStep, 0};
}

bool beginsStep(const void* domain, const std::string* name, bool isOutermost) {
  return name != nullptr && Recorder::instance().onRangeBegin(domain == defaultDomain, isOutermost, *name);
}

void ended(const Open& open) {
  Recorder& recorder = Recorder::instance();
  ChunkWriter* const writer = recorder.writer();
  if (writer != nullptr && open.name != nullptr && (open.isRecorded || recorder.isRecording())) {
    const std::int64_t endNs = nowNs();
    const std::uint32_t name = writer->text(*open.name);
    const std::uint32_t thread = open.thread != 0 ? open.thread : toldThread(*writer);
    RecordBuffer record(RecordKind::range);
    writer->append(record.i64(open.startNs).i64(endNs).u32(thread).u32(name));
  }
  if (open.isStep) recorder.onStepEnd(open.startNs, open.isRecorded);
}

ThreadRanges& threadRanges() {
  if (ranges.fork != forkCount()) {
    ranges.depth = 0;
    ranges.fork = forkCount();
  }
  return ranges;
}

int push(const void* domain, const std::string* name) {
  ThreadRanges& own = threadRanges();
  const int depth = own.depth++;
  if (depth >= deepest) return depth;
  const bool isOutermost = std::none_of(own.open.begin(), own.open.begin() + depth,
                                        [](const Open& open) { return open.domain == defaultDomain; });
  own.open[static_cast<std::size_t>(depth)] = begun(domain, name, beginsStep(domain, name, isOutermost));
  return depth;
}

/// Ends the latest range of the domain; ranges that other domains have opened since stay open.
int pop(const void* domain) {
  ThreadRanges& own = threadRanges();
  if (own.depth == 0) return -1;
  if (own.depth > deepest) return --own.depth;
  int at = own.depth - 1;
  while (at >= 0 && own.open[static_cast<std::size_t>(at)].domain != domain) --at;
  if (at < 0) return -1;
  const Open open = own.open[static_cast<std::size_t>(at)];
  std::move(own.open.begin() + at + 1, own.open.begin() + own.depth, own.open.begin() + at);
  --own.depth;
  ended(open);
  return at;
}

nvtxRangeId_t keep(Open open) {
  if (ChunkWriter* const writer = Recorder::instance().writer(); writer != nullptr) open.thread = toldThread(*writer);
  Started& all = started();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const nvtxRangeId_t number = ++all.last;
  if (all.open.size() < mostStarted) all.open.emplace(number, open);
  return number;
}

nvtxRangeId_t start(const void* domain, const std::string* name) {
  return keep(begun(domain, name, beginsStep(domain, name, true)));
}

void finish(nvtxRangeId_t number) {
  Started& all = started();
  Open open{};
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.open.find(number);
    if (found == all.open.end()) return;
    open = found->second;
    all.open.erase(found);
  }
  ended(open);
}

const std::string* nameOf(const char* text) { return names().of(text == nullptr ? "range" : text); }
const std::string* nameOf(const wchar_t* text) { return names().of(utf8(text)); }

/// Runs a call of NVTX by the program, which does nothing if memory runs out.
template <typename Work>
auto safely(Work work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (...) {
    return decltype(work())();
  }
}

int NVTX_API rangePushA(const char* text) {
  return safely([&] { return push(nullptr, nameOf(text)); });
}
int NVTX_API rangePushW(const wchar_t* text) {
  return safely([&] { return push(nullptr, nameOf(text)); });
}
int NVTX_API rangePushEx(const nvtxEventAttributes_t* attributes) {
  return safely([&] { return push(nullptr, nameOf(attributes)); });
}
int NVTX_API rangePop() {
  return safely([] { return pop(nullptr); });
}
nvtxRangeId_t NVTX_API rangeStartA(const char* text) {
  return safely([&] { return start(nullptr, nameOf(text)); });
}
nvtxRangeId_t NVTX_API rangeStartW(const wchar_t* text) {
  return safely([&] { return start(nullptr, nameOf(text)); });
}
nvtxRangeId_t NVTX_API rangeStartEx(const nvtxEventAttributes_t* attributes) {
  return safely([&] { return start(nullptr, nameOf(attributes)); });
}
void NVTX_API rangeEnd(nvtxRangeId_t number) {
  safely([&] { finish(number); });
}

int NVTX_API domainPush(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return safely([&] { return push(domain, nameOf(attributes)); });
}
int NVTX_API domainPop(nvtxDomainHandle_t domain) {
  return safely([&] { return pop(domain); });
}
nvtxRangeId_t NVTX_API domainStart(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return safely([&] { return start(domain, nameOf(attributes)); });
}
void NVTX_API domainEnd(nvtxDomainHandle_t, nvtxRangeId_t number) { rangeEnd(number); }

/// A handle is the address of a name.
template <typename Handle, typename Letter>
Handle handleOf(const Letter* text) {
  return safely([&] { return reinterpret_cast<Handle>(const_cast<std::string*>(nameOf(text))); });
}
nvtxStringHandle_t NVTX_API registerA(nvtxDomainHandle_t, const char* text) {
  return handleOf<nvtxStringHandle_t>(text);
}
nvtxStringHandle_t NVTX_API registerW(nvtxDomainHandle_t, const wchar_t* text) {
  return handleOf<nvtxStringHandle_t>(text);
}
nvtxDomainHandle_t NVTX_API createDomainA(const char* name) { return handleOf<nvtxDomainHandle_t>(name); }
nvtxDomainHandle_t NVTX_API createDomainW(const wchar_t* name) { return handleOf<nvtxDomainHandle_t>(name); }

/// Range of the step that the program marked last; 0 if it has ended.
std::atomic<nvtxRangeId_t> markedStep{0};

class Table {
 public:
  Table(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    isThere_ = callbacks.GetModuleFunctionTable(module, &functions_, &size_) == 1 && functions_ != nullptr;
  }

  template <typename Function>
  void set(unsigned int id, Function function) const {
    if (isThere_ && id < size_ && functions_[id] != nullptr) {
      *functions_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
    }
  }

 private:
  NvtxFunctionTable functions_ = nullptr;
  unsigned int size_ = 0;
  bool isThere_ = false;
};

}  // namespace

int takeNvtx(NvtxGetExportTableFunc_t getExportTable) {
  if (getExportTable == nullptr) return 0;
  const auto* const callbacks = static_cast<const NvtxExportTableCallbacks*>(getExportTable(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) return 0;
  // Made before any thread can fork in the middle of it.
  names();
  started();
  const Table core(*callbacks, NVTX_CB_MODULE_CORE);
  core.set(NVTX_CBID_CORE_RangePushA, rangePushA);
  core.set(NVTX_CBID_CORE_RangePushW, rangePushW);
  core.set(NVTX_CBID_CORE_RangePushEx, rangePushEx);
  core.set(NVTX_CBID_CORE_RangePop, rangePop);
  core.set(NVTX_CBID_CORE_RangeStartA, rangeStartA);
  core.set(NVTX_CBID_CORE_RangeStartW, rangeStartW);
  core.set(NVTX_CBID_CORE_RangeStartEx, rangeStartEx);
  core.set(NVTX_CBID_CORE_RangeEnd, rangeEnd);
  const Table domains(*callbacks, NVTX_CB_MODULE_CORE2);
  domains.set(NVTX_CBID_CORE2_DomainRangePushEx, domainPush);
  domains.set(NVTX_CBID_CORE2_DomainRangePop, domainPop);
  domains.set(NVTX_CBID_CORE2_DomainRangeStartEx, domainStart);
  domains.set(NVTX_CBID_CORE2_DomainRangeEnd, domainEnd);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringA, registerA);
  domains.set(NVTX_CBID_CORE2_DomainRegisterStringW, registerW);
  domains.set(NVTX_CBID_CORE2_DomainCreateA, createDomainA);
  domains.set(NVTX_CBID_CORE2_DomainCreateW, createDomainW);
  return 1;
}

void markStep(const char* text) noexcept {
  safely([&] {
    endMarkedStep();
    const bool isStep = Recorder::instance().onMarkedStep();
    markedStep = keep(begun(defaultDomain, nameOf(text), isStep));
  });
}

void endMarkedStep() noexcept {
  if (const nvtxRangeId_t step = markedStep.exchange(0); step != 0) rangeEnd(step);
}

void forgetMarkedStep() noexcept {
  const nvtxRangeId_t step = markedStep.exchange(0);
  Started& all = started();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.open.erase(step);
}

void forgetNvtxRanges() {
  markedStep = 0;
  // A fork may have come while a lock was held, so the old data is abandoned, and its names stay at their addresses.
  new (&names()) Names();
  Started& all = started();
  const nvtxRangeId_t last = all.last;
  new (&all) Started();
  all.last = last;
}

}  // namespace copyscope::record
