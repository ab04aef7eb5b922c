// Background copies of one JavaScript environment, which keeps their leaves and is notified of their ends.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "addon/copy_handles.h"

namespace copyscope::addon {

/// Calls an environment's own thread from any thread. A copy's last call may come after the environment has ended.
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
    Running running;
    running.ticket = ticket;
    if (leaves.IsObject()) running.leaves = Napi::Persistent(leaves.As<Napi::Object>());
    schedule(env, std::move(running));
  }

  /// Calls `listener` from the event loop when the copy has ended. Never waits.
  void notify(Napi::Env env, const Ticket& ticket, const Napi::Function& listener) {
    for (auto& [number, running] : running_) {
      if (running.ticket.copy != ticket.copy) continue;
      running.listeners.push_back(Napi::Persistent(listener));
      return;
    }
    Running running;
    running.ticket = ticket;
    running.listeners.push_back(Napi::Persistent(listener));
    if (ticket.copy->state() == copy::CopyState::pending) return schedule(env, std::move(running));
    tellEnd(this, doorbell_, keep(env, std::move(running)));
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

  /// Leaves the copy to its scheduler's thread, which runs it, or waits for it if it was submitted.
  void schedule(Napi::Env env, Running running) {
    const Ticket ticket = running.ticket;
    const std::uint64_t number = keep(env, std::move(running));
    // By value, since the environment may be gone. Its own thread calls only while it exists.
    ticket.copy->onEnd = [this, number, doorbell = doorbell_] { tellEnd(this, doorbell, number); };
    try {
      ticket.entry->scheduler.add(ticket.copy);
    } catch (...) {
      // It will never end, so nobody may wait for it.
      forget(env, number);
      throw;
    }
  }

  std::uint64_t keep(Napi::Env env, Running running) {
    const std::uint64_t number = next_++;
    running_.emplace(number, std::move(running));
    if (running_.size() == 1) doorbell_->keepRunning(env);
    return number;
  }

  void forget(Napi::Env env, std::uint64_t number) {
    if (running_.erase(number) > 0 && running_.empty()) doorbell_->letEnd(env);
  }

  /// Called from any thread, also after the environment has ended.
  static void tellEnd(Environment* environment, const std::shared_ptr<Doorbell>& doorbell, std::uint64_t number) {
    doorbell->ring([environment, number](Napi::Env env, Napi::Function) {
      if (env != nullptr) environment->end(env, number);
    });
  }

  void end(Napi::Env env, std::uint64_t number) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    const std::vector<Napi::FunctionReference> listeners = std::move(found->second.listeners);
    forget(env, number);
    for (const Napi::FunctionReference& listener : listeners) listener.Call({});
  }

  const std::shared_ptr<Doorbell> doorbell_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Running> running_;
};

inline Environment& environmentOf(const Napi::CallbackInfo& info) { return *static_cast<Environment*>(info.Data()); }

}  // namespace copyscope::addon
