// The copy engine's functions for JavaScript.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "addon/addon.h"
#include "copy/copy_engine.h"
#include "copy/host_copy_device.h"
#include "copy/pending_copy.h"

namespace copyscope::addon {

/// Adds the functions of this folder to the addon's exports.
void initialiseCopies(Napi::Env env, Napi::Object exports);
using AddFunction = std::function<void(const char* name, Napi::Value (*function)(const Napi::CallbackInfo&))>;
/// Functions that start copies, and those on a copy, its results and streams (addon_start.cpp, addon_handles.cpp).
void initialiseStarts(const AddFunction& add);
void initialiseHandles(const AddFunction& add);

/// A device's engine, and the thread that schedules its background copies.
struct EngineEntry {
  std::shared_ptr<copy::CopyEngine> engine;
  copy::CopyScheduler scheduler;
  /// The device, if it is a simulated one.
  copy::HostCopyDevice* simulated = nullptr;
};

/// Returns the entry of a device, made at the first call: 'cuda:0', 'cpu-device:0' for a simulated one, 'cpu' for host.
std::shared_ptr<EngineEntry> engineEntry(const std::string& device);
inline std::shared_ptr<copy::CopyEngine> copyEngine(const std::string& device) { return engineEntry(device)->engine; }

/// Counts the environments that use the engines, which end with the last one.
void enterEngines();
void leaveEngines() noexcept;

/// Reads options from an object with the names of CopyOptions' fields; missing ones keep their defaults.
copy::CopyOptions readCopyOptions(const Napi::Object& object);

/// Throws a Failure `native.bad-argument`.
[[noreturn]] void badCopyArgument(const std::string& name, const std::string& expected);

/// Throws a Failure `run.out-of-memory`. `where`: 'device', 'page-locked' or 'host'. `available`: bytes, 0 if unknown.
[[noreturn]] void outOfCopyMemory(std::uint64_t bytes, const std::string& where, std::uint64_t available);

/// Throws a Failure `run.out-of-memory` if the system lacks the bytes and the pool's budget only limits unused memory:
/// the system would promise them, and end the process that writes to them.
void requireMemory(std::uint64_t bytes, copy::MemoryPool& pool);

}  // namespace copyscope::addon
