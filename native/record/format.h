// The file that a recorded process leaves. All numbers are little-endian; times are nanoseconds of the monotonic clock.
//
//   file   = "CPSREC01", u32 length, length bytes of JSON (what was recorded, and where; "rank" is the process's number in its
//            job, from the variable RANK, or -1), chunk*
//   chunk  = "CPSC", u32 payload bytes, u32 CRC-32 of the payload, u32 records, copies, kernels, waits,
//            u32 records dropped so far, payload
//   payload = record*
//   record = u8 kind, u8 0, u16 length, length bytes
//
// Texts, frames and stacks are written once, before the first record that names them. Their numbers count from 1, those
// of compiled code from 2^31; 0 means no text, frame or stack. A reader takes the fields that it knows and skips the rest
// of a record, so that fields can be added at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copyscope::record {

constexpr char fileMagic[] = "CPSREC01";
constexpr char chunkMagic[] = "CPSC";
constexpr std::size_t magicBytes = 8;
constexpr std::size_t chunkHeaderBytes = 32;
constexpr std::size_t longestText = 4000;
constexpr std::size_t deepestStack = 64;

enum class RecordKind : std::uint8_t {
  /// u32 number, UTF-8.
  text = 1,
  /// u32 thread, u32 text: its name.
  thread = 2,
  /// i64 start, i64 end, u32 thread, u32 correlation, u32 text: the function, u32 stack, u32 result, u8 CallRole, u64
  /// bytes, u64 address, u32 nanoseconds of taking the stack before the start. The address of a copy is the
  /// destination's, and u64 follows: the source's. Copies whose parameters have no addresses end before it.
  call = 3,
  /// i64 start, i64 end, u64 bytes, u32 device, u32 stream, u32 correlation, u32 context, i32 channel, u8 channel type,
  /// u8 copy kind, u8 source, u8 target (CUPTI's numbers), u32 source device, u32 target device, u32 graph.
  copy = 4,
  /// i64 start, i64 end, u64 bytes, u32 device, u32 stream, u32 correlation, u32 context, u8 memory, u32 graph.
  memset = 5,
  /// i64 start, i64 end, u32 text: its name, u32 device, u32 stream, u32 correlation, u32 context, u32 graph.
  kernel = 6,
  /// i64 start, i64 end, u8 type (CUPTI's number), u32 stream, u32 correlation, u32 context, u32 event, u64 its record.
  synchronisation = 7,
  /// u32 event, u64 number of its record, u32 stream, u32 correlation, u32 context, u32 device.
  eventRecord = 8,
  /// i64 start, i64 end, u32 thread, u32 text: its name.
  range = 9,
  /// u32 number, u32 text: the file, u32 line, u32 text: the function. For compiled code the file is the library or the
  /// program, the line is 0, and u64 follows: the call's address in that file, from which a debugger finds the line.
  frame = 10,
  /// u32 number, u32 frame*, innermost first.
  stack = 11,
  /// u32 number, u32 text: its name, u32 compute capability major, minor, u32 multiprocessors, u32 copy engines, u64 bytes.
  device = 12,
  /// u8 Problem, u32 text: the reason.
  problem = 13,
  /// u64 records dropped by CUPTI, u64 records without room here, both since the start.
  dropped = 14,
  /// i64 time, u8 1 recording begins, 0 it ends for now.
  window = 15,
  /// i64 time. The process ended normally, and everything recorded precedes this.
  end = 16,
  /// i64 start, i64 end, u8 1 while recording, 0 without: a step. Includes some steps around the recorded ones.
  step = 17,
  /// u64 steps that the program began. Only a process that ends normally writes it.
  steps = 18,
};

/// Purpose of a host call.
enum class CallRole : std::uint8_t { launch = 0, copy = 1, memset = 2, wait = 3, event = 4, pin = 5, unpin = 6, allocate = 7, free = 8 };

enum class Problem : std::uint8_t {
  /// CUPTI was not found, or is of another version.
  noCupti = 1,
  /// Another tool uses CUPTI.
  otherSubscriber = 2,
  /// A call of CUPTI failed.
  cuptiFailed = 3,
  /// The file could not be written.
  storage = 4,
};

}  // namespace copyscope::record
