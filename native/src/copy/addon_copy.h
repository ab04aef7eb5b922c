// The copy engine's functions for JavaScript.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "../addon.h"
#include "copy_engine.h"
#include "host_copy_device.h"
#include "pending_copy.h"

namespace copyscope::addon {

/// Adds the functions of this folder to the addon's exports.
void initialiseCopies(Napi::Env env, Napi::Object exports);
using AddFunction = std::function<void(const char* name, Napi::Value (*function)(const Napi::CallbackInfo&))>;
/// Those that start copies, and those that ask about a copy, its results and streams (addon_start.cpp, addon_handles.cpp).
void initialiseStarts(const AddFunction& add);
void initialiseHandles(const AddFunction& add);

/// A device's engine, and the thread that schedules its background copies.
struct EngineEntry {
  std::shared_ptr<copy::CopyEngine> engine;
  copy::CopyScheduler scheduler;
  /// Where the device is a simulated one.
  copy::HostCopyDevice* simulated = nullptr;
};

/// The entry of a device, made at the first call: 'cuda:0', 'cpu-device:0' for a simulated one, 'cpu' for the host.
std::shared_ptr<EngineEntry> engineEntry(const std::string& device);
inline std::shared_ptr<copy::CopyEngine> copyEngine(const std::string& device) { return engineEntry(device)->engine; }

/// Counts the environments that use the engines; they go with the last one.
void enterEngines();
void leaveEngines() noexcept;

/// Options from an object with the names of CopyOptions' fields; what is missing keeps its default.
copy::CopyOptions readCopyOptions(const Napi::Object& object);

/// Failure `native.bad-argument`.
[[noreturn]] void badCopyArgument(const std::string& name, const std::string& expected);

/// Failure `run.out-of-memory`. `where`: 'device', 'page-locked' or 'host'. `available`: free bytes, 0 where not known.
[[noreturn]] void outOfCopyMemory(std::uint64_t bytes, const std::string& where, std::uint64_t available);

/// Failure `run.out-of-memory` where the pool's budget is only for what it keeps, and the system has not so many bytes left:
/// it would promise them, and end the process that writes to them.
void requireMemory(std::uint64_t bytes, copy::MemoryPool& pool);

}  // namespace copyscope::addon
