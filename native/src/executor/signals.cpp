#include "executor/signals.h"

#include <algorithm>
#include <chrono>

#include "executor/failure.h"

namespace copyscope {
namespace {

/// Longest time until a wait notices a requested stop.
constexpr std::chrono::milliseconds lookForStop{5};

}  // namespace

Signals::Signals(const Program& program, Stop& stop)
    : program_(program), stop_(stop), pending_(program.signals.size()), running_(program.threads.size()) {
  waiters_.reserve(program.threads.size());
}

void Signals::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::fill(pending_.begin(), pending_.end(), 0);
  waiters_.clear();
  running_ = program_.threads.size();
  deadlock_.clear();
}

bool Signals::canPass(const Instruction& instruction, bool takes) const {
  const auto index = static_cast<std::size_t>(instruction.index);
  return takes ? pending_[index] > 0 : pending_[index] < program_.signals[index].capacity;
}

void Signals::pass(const Instruction& instruction, int thread, bool takes) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!canPass(instruction, takes)) {
    waiters_.push_back({thread, &instruction, takes});
    findDeadlock();
    while (!canPass(instruction, takes) && deadlock_.empty() && !stop_.requested()) {
      changed_.wait_for(lock, lookForStop);
    }
    waiters_.erase(std::find_if(waiters_.begin(), waiters_.end(),
                                [thread](const Waiter& waiter) { return waiter.thread == thread; }));
    if (stop_.requested()) return;
    if (!canPass(instruction, takes)) {
      throw Failure("run.deadlock", deadlock_, "Signal before waiting, or give the signal a larger capacity.", "threads");
    }
  }
  pending_[static_cast<std::size_t>(instruction.index)] += takes ? -1 : 1;
  changed_.notify_all();
}

void Signals::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --running_;
  findDeadlock();
}

/// Only here can host threads wait for each other forever, since all work given to a device ends by itself.
void Signals::findDeadlock() {
  const bool anyPasses = std::any_of(waiters_.begin(), waiters_.end(), [this](const Waiter& waiter) {
    return canPass(*waiter.instruction, waiter.takes);
  });
  if (waiters_.empty() || waiters_.size() < running_ || anyPasses) return;
  deadlock_ = "Every host thread that still runs waits for another one:";
  for (const Waiter& waiter : waiters_) {
    deadlock_ += (&waiter == waiters_.data() ? " " : ", ") + std::string("operation ") +
                 std::to_string(waiter.instruction->op) + (waiter.takes ? " for signal " : " for room in signal ") +
                 program_.signals[static_cast<std::size_t>(waiter.instruction->index)].id;
  }
  deadlock_ += ".";
  changed_.notify_all();
}

}  // namespace copyscope
