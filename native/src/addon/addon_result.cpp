#include <algorithm>

#include "addon/addon.h"

namespace copyscope::addon {
namespace {

/// Returns a typed array with one element for each of `items`.
template <typename Array, typename Item, typename Get>
Array column(Napi::Env env, const std::vector<Item>& items, const Get& get) {
  Array array = Array::New(env, items.size());
  auto* target = array.Data();
  for (const Item& item : items) *target++ = static_cast<std::remove_pointer_t<decltype(target)>>(get(item));
  return array;
}

/// Returns the columns that host and device rows share.
template <typename Row>
Napi::Object rowColumns(Napi::Env env, const std::vector<Row>& rows, const RunRecord& record) {
  Napi::Object columns = Napi::Object::New(env);
  columns.Set("startNs", column<Napi::Float64Array>(env, rows, [&](const Row& row) {
                return row.startNs - record.startsNs[static_cast<std::size_t>(row.iteration)];
              }));
  columns.Set("durationNs", column<Napi::Float64Array>(env, rows, [](const Row& row) { return row.durationNs; }));
  columns.Set("bytes", column<Napi::Float64Array>(env, rows, [](const Row& row) { return row.bytes; }));
  columns.Set("op", column<Napi::Int32Array>(env, rows, [](const Row& row) { return row.op; }));
  columns.Set("correlation", column<Napi::Int32Array>(env, rows, [](const Row& row) { return row.correlation; }));
  columns.Set("iteration", column<Napi::Int32Array>(env, rows, [](const Row& row) { return row.iteration; }));
  columns.Set("kind", column<Napi::Uint8Array>(env, rows, [](const Row& row) { return row.kind; }));
  return columns;
}

Napi::Object hostColumns(Napi::Env env, const RunRecord& record) {
  Napi::Object columns = rowColumns(env, record.hostRows, record);
  const auto& rows = record.hostRows;
  columns.Set("thread", column<Napi::Int32Array>(env, rows, [](const HostRow& row) { return row.thread; }));
  columns.Set("worker", column<Napi::Int32Array>(env, rows, [](const HostRow& row) { return row.worker; }));
  columns.Set("call", column<Napi::Uint8Array>(env, rows, [](const HostRow& row) { return row.name; }));
  return columns;
}

Napi::Object deviceColumns(Napi::Env env, const RunRecord& record) {
  Napi::Object columns = rowColumns(env, record.deviceRows, record);
  const auto& rows = record.deviceRows;
  columns.Set("stream", column<Napi::Int32Array>(env, rows, [](const DeviceRow& row) { return row.stream; }));
  columns.Set("channel", column<Napi::Int32Array>(env, rows, [](const DeviceRow& row) { return row.channel; }));
  columns.Set("channelType", column<Napi::Uint8Array>(env, rows, [](const DeviceRow& row) { return row.channelType; }));
  columns.Set("src", column<Napi::Uint8Array>(env, rows, [](const DeviceRow& row) { return row.src; }));
  columns.Set("dst", column<Napi::Uint8Array>(env, rows, [](const DeviceRow& row) { return row.dst; }));
  return columns;
}

Napi::Object checkColumns(Napi::Env env, const std::vector<Check>& checks) {
  Napi::Object columns = Napi::Object::New(env);
  columns.Set("op", column<Napi::Int32Array>(env, checks, [](const Check& check) { return check.op; }));
  columns.Set("buffer", column<Napi::Int32Array>(env, checks, [](const Check& check) { return check.buffer; }));
  columns.Set("multiCopy", column<Napi::Int32Array>(env, checks, [](const Check& check) { return check.multiCopy; }));
  columns.Set("checked", column<Napi::Float64Array>(env, checks, [](const Check& check) { return check.checked; }));
  columns.Set("wrong", column<Napi::Float64Array>(env, checks, [](const Check& check) { return check.wrong; }));
  columns.Set("firstWrong",
              column<Napi::Float64Array>(env, checks, [](const Check& check) { return check.firstWrong; }));
  return columns;
}

Napi::Float64Array times(Napi::Env env, const std::vector<std::int64_t>& values) {
  return column<Napi::Float64Array>(env, values, [](std::int64_t value) { return value; });
}

Napi::Object elapsedColumns(Napi::Env env, const std::vector<ElapsedTime>& times) {
  Napi::Object columns = Napi::Object::New(env);
  columns.Set("op", column<Napi::Int32Array>(env, times, [](const ElapsedTime& time) { return time.op; }));
  columns.Set("iteration", column<Napi::Int32Array>(env, times, [](const ElapsedTime& time) { return time.iteration; }));
  columns.Set("durationNs",
              column<Napi::Float64Array>(env, times, [](const ElapsedTime& time) { return time.durationNs; }));
  return columns;
}

Napi::Float64Array blockNumbers(Napi::Env env, const std::vector<BlockSnapshot>& blocks) {
  constexpr std::size_t count = FieldsOf<BlockField>::count;
  Napi::Float64Array numbers = Napi::Float64Array::New(env, count * blocks.size());
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const BlockSnapshot& block = blocks[index];
    double* const row = numbers.Data() + count * index;
    const auto set = [&](BlockField field, auto value) { row[static_cast<std::size_t>(field)] = static_cast<double>(value); };
    set(BlockField::segment, block.segment);
    set(BlockField::offset, block.offset);
    set(BlockField::bytes, block.bytes);
    set(BlockField::requestedBytes, block.requestedBytes);
    set(BlockField::stream, block.stream);
    set(BlockField::state, block.state);
  }
  return numbers;
}

Napi::Object stepColumns(Napi::Env env, const std::vector<ReservedStep>& steps, const RunRecord& record) {
  Napi::Object columns = Napi::Object::New(env);
  columns.Set("iteration", column<Napi::Int32Array>(env, steps, [](const ReservedStep& step) { return step.iteration; }));
  columns.Set("timeNs", column<Napi::Float64Array>(env, steps, [&](const ReservedStep& step) {
                const std::int64_t start = record.startsNs[static_cast<std::size_t>(step.iteration)];
                return std::max<std::int64_t>(0, step.timeNs - start);
              }));
  columns.Set("bytes", column<Napi::Float64Array>(env, steps, [](const ReservedStep& step) { return step.bytes; }));
  return columns;
}

Napi::Object toObject(Napi::Env env, const MemoryReport& report, const RunRecord& record) {
  Napi::Object object = Napi::Object::New(env);
  const AllocatorStatistics& statistics = report.statistics;
  const auto set = [&](const char* name, std::uint64_t value) { object.Set(name, static_cast<double>(value)); };
  object.Set("allocator", static_cast<int>(report.allocator));
  object.Set("device", report.device);
  set("allocatedBytes", statistics.allocatedBytes);
  set("peakAllocatedBytes", statistics.peakAllocatedBytes);
  set("reservedBytes", statistics.reservedBytes);
  set("peakReservedBytes", statistics.peakReservedBytes);
  set("allocations", statistics.allocations);
  set("segmentsAllocated", statistics.segmentsAllocated);
  set("segmentsFreed", statistics.segmentsFreed);
  set("retries", statistics.retries);
  set("failures", statistics.failures);
  object.Set("blocks", blockNumbers(env, report.blocks));
  object.Set("reservedSteps", stepColumns(env, report.reservedSteps, record));
  return object;
}

}  // namespace

Napi::Object toResult(Napi::Env env, const RunRecord& record) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("host", hostColumns(env, record));
  result.Set("device", deviceColumns(env, record));
  result.Set("checks", checkColumns(env, record.checks));
  result.Set("recordedWallNs", times(env, record.recordedWallNs));
  result.Set("plainWallNs", times(env, record.plainWallNs));
  result.Set("elapsed", elapsedColumns(env, record.elapsed));
  Napi::Array memory = Napi::Array::New(env, record.memory.size());
  for (std::size_t index = 0; index < record.memory.size(); ++index) {
    memory.Set(static_cast<std::uint32_t>(index), toObject(env, record.memory[index], record));
  }
  result.Set("memory", memory);
  result.Set("timing", record.timing);
  Napi::Array notes = Napi::Array::New(env, record.notes.size());
  for (std::size_t index = 0; index < record.notes.size(); ++index) {
    notes.Set(static_cast<std::uint32_t>(index), record.notes[index]);
  }
  result.Set("notes", notes);
  return result;
}

}  // namespace copyscope::addon
