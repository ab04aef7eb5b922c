// Written by scripts/native-layout.mjs from native/layout.ts. Change it there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace copyscope {

/// Names and numbers of this build; native/layout.ts must give the same text.
constexpr const char* layoutText =
    "6;Code work,write,read,copy,spin,stream,recordEvent,waitEvent,synchronizeStream,synchronizeEvent,syn"
    "chronizeDevice,queryStream,queryEvent,repeat,endRepeat,beginRange,endRange,arithmetic,memset,hostFun"
    "ction,pin,allocate,free,recordStream,signal,waitSignal,beginCapture,endCapture,launchGraph,elapsedTi"
    "me,item,multiCopy,matmul,fft,makePlan,blockCopy,packBlocks,prefetch,advise;Memory none,pageable,pinn"
    "ed,pinned-write-combined,mapped,registered,device,unknown,managed;Allocator cuda-malloc,pool,caching"
    ";StreamKind legacy-default,per-thread-default,blocking,non-blocking;PatternKind none,random,index,co"
    "nstant,float32,float16,bfloat16;LibraryType float32,float16,bfloat16,complex64;RowKind host-call,hos"
    "t-sync,host-work,host-read,host-write,host-range,copy,kernel,memset,host-function,event-record,event"
    "-wait;CallName ,cudaMemcpyAsync,cudaMemcpy,cudaLaunchKernel,cudaEventRecord,cudaStreamWaitEvent,cuda"
    "StreamSynchronize,cudaEventSynchronize,cudaDeviceSynchronize,cudaStreamQuery,cudaEventQuery,cudaMems"
    "etAsync,cudaLaunchHostFunc,cudaStreamBeginCapture,cudaStreamEndCapture,cudaGraphInstantiate,cudaGrap"
    "hUpload,cudaGraphLaunch,cudaEventElapsedTime,cudaMalloc,cudaFree,cudaMallocAsync,cudaFreeAsync,cudaH"
    "ostAlloc,cudaFreeHost,cudaMemcpyPeerAsync,cublasGemmEx,cublasCreate,cufftExecC2C,cufftMakePlanMany,c"
    "udaMemcpyBatchAsync,cudaMemcpy2DAsync,cudaMallocManaged,cudaMemPrefetchAsync,cudaMemAdvise;ChannelTy"
    "pe unknown,compute,async-memcpy,decompress;AllocatorKind caching,caching-host,pool;BlockState alloca"
    "ted,pending-free,inactive;Phase preparing,warming-up,timing,recording,verifying;EngineKind cpu,cuda;"
    "Direction h2d,d2h,d2d,h2h;Strategy blocking-loop,non-blocking-loop,pin-then-copy,pin-then-copy-non-b"
    "locking,threaded-pinning,packed,pipelined;buffers memory,bytes,patternKind,patternValue,written,devi"
    "ce,byOperation;streams kind,thread,device,priority;instructions code,op,stream,event,src,srcOffset,d"
    "st,dstOffset,bytes,amount,jump,patternKind,patternValue,patternOffset,multiplier,blocking,index,shar"
    "e;expectations buffer,offset,bytes,patternKind,patternValue,patternOffset,multiplier;multiCopies dir"
    "ection,pinned,strategy,usePinnedStaging,packCpuTensors,useBackgroundThread,minPackedAlignmentBytes,m"
    "axPackedChunkBytes,threads,slotsPerThread,slotBytes,chunkBytes;libraryCalls dtype,m,n,k,tf32,firstUs"
    "e,other;results call,buffer,patternKind,patternValue,patternOffset,otherKind,otherValue,otherOffset;"
    "blocks segment,offset,bytes,requestedBytes,stream,state";

enum class Code : std::uint8_t {
  work, write, read, copy, spin, stream, recordEvent, waitEvent, synchronizeStream, synchronizeEvent, synchronizeDevice,
  queryStream, queryEvent, repeat, endRepeat, beginRange, endRange, arithmetic, memset, hostFunction, pin, allocate,
  free, recordStream, signal, waitSignal, beginCapture, endCapture, launchGraph, elapsedTime, item, multiCopy, matmul,
  fft, makePlan, blockCopy, packBlocks, prefetch, advise,
};
constexpr int codeCount = 39;

enum class Memory : std::uint8_t {
  none, pageable, pinned, pinnedWriteCombined, mapped, registered, device, unknown, managed,
};
constexpr int memoryCount = 9;

enum class Allocator : std::uint8_t {
  cudaMalloc, pool, caching,
};
constexpr int allocatorCount = 3;

enum class StreamKind : std::uint8_t {
  legacyDefault, perThreadDefault, blocking, nonBlocking,
};
constexpr int streamKindCount = 4;

enum class PatternKind : std::uint8_t {
  none, random, index, constant, float32, float16, bfloat16,
};
constexpr int patternKindCount = 7;

enum class LibraryType : std::uint8_t {
  float32, float16, bfloat16, complex64,
};
constexpr int libraryTypeCount = 4;

enum class RowKind : std::uint8_t {
  hostCall, hostSync, hostWork, hostRead, hostWrite, hostRange, copy, kernel, memset, hostFunction, eventRecord,
  eventWait,
};
constexpr int rowKindCount = 12;

enum class CallName : std::uint8_t {
  none, memcpyAsync, memcpy, launchKernel, eventRecord, streamWaitEvent, streamSynchronize, eventSynchronize,
  deviceSynchronize, streamQuery, eventQuery, memsetAsync, launchHostFunc, streamBeginCapture, streamEndCapture,
  graphInstantiate, graphUpload, graphLaunch, eventElapsedTime, malloc, free, mallocAsync, freeAsync, hostAlloc,
  freeHost, memcpyPeerAsync, cublasGemmEx, cublasCreate, cufftExecC2C, cufftMakePlanMany, memcpyBatchAsync,
  memcpy2DAsync, mallocManaged, memPrefetchAsync, memAdvise,
};
constexpr int callNameCount = 35;

enum class ChannelType : std::uint8_t {
  unknown, compute, asyncMemcpy, decompress,
};
constexpr int channelTypeCount = 4;

enum class AllocatorKind : std::uint8_t {
  caching, cachingHost, pool,
};
constexpr int allocatorKindCount = 3;

enum class BlockState : std::uint8_t {
  allocated, pendingFree, inactive,
};
constexpr int blockStateCount = 3;

enum class Phase : std::uint8_t {
  preparing, warmingUp, timing, recording, verifying,
};
constexpr int phaseCount = 5;

enum class EngineKind : std::uint8_t {
  cpu, cuda,
};
constexpr int engineKindCount = 2;

/// How many numbers a row has whose fields are a Field, and their names.
template <typename Field>
struct FieldsOf;

enum class BufferField : std::uint8_t {
  memory, bytes, patternKind, patternValue, written, device, byOperation,
};
template <>
struct FieldsOf<BufferField> {
  static constexpr std::size_t count = 7;
  static constexpr const char* names[] = {
      "memory", "bytes", "patternKind", "patternValue", "written", "device", "byOperation",
  };
};

enum class StreamField : std::uint8_t {
  kind, thread, device, priority,
};
template <>
struct FieldsOf<StreamField> {
  static constexpr std::size_t count = 4;
  static constexpr const char* names[] = {
      "kind", "thread", "device", "priority",
  };
};

enum class InstructionField : std::uint8_t {
  code, op, stream, event, src, srcOffset, dst, dstOffset, bytes, amount, jump, patternKind, patternValue,
  patternOffset, multiplier, blocking, index, share,
};
template <>
struct FieldsOf<InstructionField> {
  static constexpr std::size_t count = 18;
  static constexpr const char* names[] = {
      "code", "op", "stream", "event", "src", "srcOffset", "dst", "dstOffset", "bytes", "amount", "jump", "patternKind",
      "patternValue", "patternOffset", "multiplier", "blocking", "index", "share",
  };
};

enum class ExpectationField : std::uint8_t {
  buffer, offset, bytes, patternKind, patternValue, patternOffset, multiplier,
};
template <>
struct FieldsOf<ExpectationField> {
  static constexpr std::size_t count = 7;
  static constexpr const char* names[] = {
      "buffer", "offset", "bytes", "patternKind", "patternValue", "patternOffset", "multiplier",
  };
};

enum class MultiCopyField : std::uint8_t {
  direction, pinned, strategy, usePinnedStaging, packCpuTensors, useBackgroundThread, minPackedAlignmentBytes,
  maxPackedChunkBytes, threads, slotsPerThread, slotBytes, chunkBytes,
};
template <>
struct FieldsOf<MultiCopyField> {
  static constexpr std::size_t count = 12;
  static constexpr const char* names[] = {
      "direction", "pinned", "strategy", "usePinnedStaging", "packCpuTensors", "useBackgroundThread",
      "minPackedAlignmentBytes", "maxPackedChunkBytes", "threads", "slotsPerThread", "slotBytes", "chunkBytes",
  };
};

enum class LibraryCallField : std::uint8_t {
  dtype, m, n, k, tf32, firstUse, other,
};
template <>
struct FieldsOf<LibraryCallField> {
  static constexpr std::size_t count = 7;
  static constexpr const char* names[] = {
      "dtype", "m", "n", "k", "tf32", "firstUse", "other",
  };
};

enum class ResultField : std::uint8_t {
  call, buffer, patternKind, patternValue, patternOffset, otherKind, otherValue, otherOffset,
};
template <>
struct FieldsOf<ResultField> {
  static constexpr std::size_t count = 8;
  static constexpr const char* names[] = {
      "call", "buffer", "patternKind", "patternValue", "patternOffset", "otherKind", "otherValue", "otherOffset",
  };
};

enum class BlockField : std::uint8_t {
  segment, offset, bytes, requestedBytes, stream, state,
};
template <>
struct FieldsOf<BlockField> {
  static constexpr std::size_t count = 6;
  static constexpr const char* names[] = {
      "segment", "offset", "bytes", "requestedBytes", "stream", "state",
  };
};

}  // namespace copyscope

namespace copyscope::copy {

enum class Direction : std::uint8_t {
  h2d, d2h, d2d, h2h,
};
constexpr int directionCount = 4;

enum class Strategy : std::uint8_t {
  blockingLoop, nonBlockingLoop, pinThenCopy, pinThenCopyNonBlocking, threadedPinning, packed, pipelined,
};
constexpr int strategyCount = 7;

}  // namespace copyscope::copy
