#include "executor/multi_copies.h"

#include <algorithm>
#include <iterator>

#include "executor/failure.h"
#include "executor/multi_copy_uses.h"

namespace copyscope {

MultiCopies::MultiCopies(const Program& program, Backend& backend, Stop& stop)
    : program_(program), backend_(backend) {
  for (const MultiCopyUse& use : multiCopyUses(program)) {
    if (stop.requested()) return;  // The executor checks next.
    const Stream& stream = program.streams[static_cast<std::size_t>(use.stream)];
    Use& made = uses_[use.plan];
    made.op = use.op;
    made.stream = use.stream;
    made.on = &engineOf(stream.device);
    try {
      made.copies = std::make_unique<copy::MultiCopy>(*made.on->engine, planOf(use.plan, stream), &stop.flag());
    } catch (Failure& failure) {
      failure.op = use.op;
      throw;
    }
  }
}

MultiCopies::~MultiCopies() = default;

MultiCopies::DeviceEngine& MultiCopies::engineOf(int device) {
  std::unique_ptr<DeviceEngine>& known = engines_[device];
  if (known != nullptr) return *known;
  auto made = std::make_unique<DeviceEngine>();
  auto view = std::make_unique<ProgramCopyDevice>(backend_.makeCopyDevice(device));
  made->device = view.get();
  made->engine = std::make_unique<copy::CopyEngine>(std::move(view), std::max<std::uint64_t>(1, backend_.copyBudget(device)));
  known = std::move(made);
  return *known;
}

/// A host thread's own default stream is another stream for every helper, so such a copy has no helpers.
copy::MultiCopyPlan MultiCopies::planOf(std::int32_t plan, const Stream& stream) {
  copy::MultiCopyPlan found = program_.multiCopies[static_cast<std::size_t>(plan)];
  const bool helped = found.options.strategy >= copy::Strategy::threadedPinning && found.options.threads != 1;
  if (stream.kind != StreamKind::perThreadDefault || !helped) return found;
  found.options.threads = 1;
  notes_.push_back("Stream " + stream.id + " is a host thread's own default stream, which no other thread can use: its " +
                   "multi-tensor copies run without helping threads.");
  return found;
}

void MultiCopies::run(std::int32_t plan, CopyCalls& calls) {
  const Use& use = at(plan);
  const std::lock_guard<std::mutex> lock(use.on->mutex);
  const copy::StreamRef stream = backend_.copyStream(use.stream);
  ProgramCopyDevice& device = *use.on->device;
  device.direct(stream, &calls);
  try {
    use.copies->run(stream, &calls);
  } catch (Failure& failure) {
    device.direct(stream, nullptr);
    if (failure.code == "copy.out-of-pinned-memory") failure.code = "run.pinned-budget";
    throw;
  } catch (...) {
    device.direct(stream, nullptr);
    throw;
  }
  device.direct(stream, nullptr);
}

bool MultiCopies::isPinned(std::int32_t plan, const void* memory, std::uint64_t bytes) const {
  const copy::MultiCopyPlan& declared = this->plan(plan);
  switch (declared.options.strategy) {
    case copy::Strategy::blockingLoop:
    case copy::Strategy::nonBlockingLoop:
      return declared.pinned;
    case copy::Strategy::packed:
      // Without pinned staging it depends on the tensor.
      return declared.options.usePinnedStaging ||
             at(plan).on->engine->pinnedMemory().blockOf(memory, bytes) != nullptr;
    default:
      return true;
  }
}

void MultiCopies::poison() {
  for (auto& [plan, use] : uses_) use.copies->poison();
}

MultiCopies::Found MultiCopies::verify(std::size_t which) {
  Use& use = std::next(uses_.begin(), static_cast<std::ptrdiff_t>(which))->second;
  return {use.op, use.copies->verify()};
}

}  // namespace copyscope
