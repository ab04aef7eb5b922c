// The strategies of other libraries: loops, pinning first, and packed staging.
#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_map>

#include "copy/copy_job.h"
#include "copy/shared_work.h"
#include "executor/host_memory.h"

namespace copyscope::copy {
namespace {

/// Transfers of one storage, in the order of their places in it.
struct Group {
  std::vector<std::size_t> members;
  std::uint64_t bytes = 0;
};

std::vector<Group> groupsOf(const std::vector<Transfer>& transfers) {
  std::vector<Group> groups;
  /// The group of each storage that is being filled; a large tensor in between has its own.
  std::unordered_map<std::uint32_t, std::size_t> open;
  for (std::size_t index = 0; index < transfers.size(); ++index) {
    const Transfer& transfer = transfers[index];
    if (transfer.bytes == 0) continue;
    const auto found = transfer.storage == noStorage ? open.end() : open.find(transfer.storage);
    const bool joins = found != open.end() && transfer.device >= transfers[groups[found->second].members.back()].device;
    const std::size_t number = joins ? found->second : groups.size();
    if (!joins) {
      groups.emplace_back();
      if (transfer.storage != noStorage) open[transfer.storage] = number;
    }
    Group& group = groups[number];
    group.members.push_back(index);
    group.bytes = static_cast<std::uint64_t>(transfer.device + transfer.bytes - transfers[group.members[0]].device);
  }
  return groups;
}

/// Copies the group's members to their places in the staging memory.
void pack(const std::vector<Transfer>& transfers, const Group& group, const Transfer& staged, CopyObserver* observer) {
  const ObservedCopy observed(observer, group.bytes);
  for (const std::size_t member : group.members) {
    const Transfer& transfer = transfers[member];
    std::memcpy(staged.host + (transfer.device - staged.device), transfer.host,
                static_cast<std::size_t>(transfer.bytes));
  }
}

}  // namespace

void CopyEngine::loop(Job& job, bool waitEach) {
  for (const Transfer& transfer : job.batch.transfers) {
    job.refuseCancelled();
    copyOne(job, transfer);
    if (waitEach) device_->synchronize(job.stream);
  }
  if (!waitEach) device_->synchronize(job.stream);
}

void CopyEngine::pinned(Job& job, bool waitEach) {
  const bool up = job.batch.direction == Direction::h2d;
  std::vector<Transfer> stages;
  for (const Transfer& transfer : job.batch.transfers) {
    job.refuseCancelled();
    if (transfer.bytes == 0) continue;
    BlockRef block = staging(transfer.bytes);
    Transfer staged = transfer;
    staged.host = block->memory;
    if (up) job.copyBytes(staged.host, transfer.host, transfer.bytes);
    copyOne(job, staged);
    if (waitEach) {
      device_->synchronize(job.stream);
      if (!up) job.copyBytes(transfer.host, staged.host, transfer.bytes);
      continue;
    }
    job.hold(std::move(block));
    stages.push_back({transfer.host, staged.host, transfer.bytes});
  }
  if (waitEach) return;
  device_->synchronize(job.stream);
  if (up) return;
  for (const Transfer& stage : stages) job.copyBytes(stage.host, stage.device, stage.bytes);
}

void CopyEngine::threadedPinning(Job& job) {
  const std::vector<Transfer>& transfers = job.batch.transfers;
  const bool up = job.batch.direction == Direction::h2d;
  std::vector<std::byte*> stages(transfers.size());
  SharedWork copies(transfers.size());
  copies.run(*workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork&) {
    Transfer staged = transfers[index];
    if (staged.bytes == 0) return;
    BlockRef block = staging(staged.bytes);
    staged.host = stages[index] = block->memory;
    job.hold(std::move(block));
    if (up) job.copyBytes(staged.host, transfers[index].host, staged.bytes);
    copyOne(job, staged);
  });
  copies.rethrow();
  device_->synchronize(job.stream);
  if (up) return;
  SharedWork out(transfers.size());
  out.run(*workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork&) {
    job.copyBytes(transfers[index].host, stages[index], transfers[index].bytes);
  });
  out.rethrow();
}

void CopyEngine::packed(Job& job) {
  if (job.batch.direction == Direction::d2h) {
    return job.options.usePinnedStaging ? threadedPinning(job) : loop(job, false);
  }
  const std::vector<Transfer>& transfers = job.batch.transfers;
  const std::vector<Group> groups = groupsOf(transfers);
  std::vector<Pages> pageable(groups.size());
  SharedWork work(groups.size());
  work.run(*workers_, job.helpers(), job.cancelled, [&](std::size_t index, SharedWork&) {
    const Group& group = groups[index];
    const Transfer& first = transfers[group.members[0]];
    const bool direct = group.members.size() == 1 && (first.pinned || !job.options.usePinnedStaging);
    if (direct) return copyOne(job, first);
    Transfer staged = first;
    staged.bytes = group.bytes;
    if (job.options.usePinnedStaging) {
      BlockRef block = staging(group.bytes);
      staged.host = block->memory;
      job.hold(std::move(block));
    } else {
      pageable[index] = allocatePages(group.bytes);
      if (pageable[index] == nullptr) throw std::bad_alloc();
      staged.host = pageable[index].get();
    }
    pack(transfers, group, staged, job.observer);
    copyOne(job, staged);
  });
  device_->synchronize(job.stream);
  work.rethrow();
}

void CopyEngine::deviceToDevice(Job& job) {
  if (job.options.strategy == Strategy::blockingLoop || job.options.strategy == Strategy::pinThenCopy) {
    return loop(job, true);
  }
  if (job.options.strategy != Strategy::pipelined) return loop(job, false);
  copyWithinDevice(job);
  finish(job);
}

void CopyEngine::hostToHost(Job& job) {
  const std::vector<Transfer>& transfers = job.batch.transfers;
  const bool parallel = job.options.strategy >= Strategy::threadedPinning;
  // Pieces of the targets; `device` is the destination.
  std::vector<Transfer> parts;
  for (const Transfer& transfer : transfers) {
    const std::uint64_t most = parallel ? job.tuning.chunkBytes : transfer.bytes;
    for (std::uint64_t done = 0; done < transfer.bytes; done += most) {
      parts.push_back({transfer.host + done, transfer.device + done, std::min(most, transfer.bytes - done)});
    }
  }
  SharedWork work(parts.size());
  work.run(*workers_, parallel ? job.helpers() : 0, job.cancelled, [&](std::size_t index, SharedWork&) {
    job.copyBytes(parts[index].device, parts[index].host, parts[index].bytes);
  });
  work.rethrow();
}

}  // namespace copyscope::copy
