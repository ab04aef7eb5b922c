/** Classifies rows by the name conventions of PyTorch, Kineto, CUPTI and ROCm. */
import { isCallStackName } from '../trace/callStack.ts';
import { isFrameName, isOsRuntimeName } from '../trace/rangeNames.ts';

/** Kernels of NCCL, RCCL, oneCCL, MSCCL and NVSHMEM, and of frameworks that reduce across devices. */
const communication =
  /(^|[^a-z])(nccl|rccl|msccl|mscclpp|oneccl|nvshmem|deep_ep)|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce/i;
export const isCommunication = (kernel: string): boolean => communication.test(kernel);

/** Gloo has no kernels: its collectives are ranges of host threads. */
export const isHostCommunication = (range: string): boolean => range.startsWith('gloo:');

/** torch.profiler's range around a loader's next batch, and functions of loaders, datasets and their collation. */
const loader = /DataLoader|\bdata_?load(er|ing)\b|torch\/utils\/data\/|: (__getitem__|__getitems__|_next_data)$/i;
/** Classes of PyTorch, and of Python's own library such as `os.environ`, have functions of these names too. */
const noLoader = /torch\/(nn|_)|^Optimizer\.|^<frozen |^(os|collections\/\w+|weakref|enum|typing)\.py/;
export const isLoader = (range: string): boolean => loader.test(range) && !noLoader.test(range);

/** Returns whether the main thread waits for other processes in this range. */
export const waitsForWorkers = (range: string): boolean => range.includes('_MultiProcessingDataLoaderIter');

/** Operators of any library that registers with the framework, and nodes of the backward pass. */
const operator = /^[A-Za-z_]\w*::|Backward\d*$/;
export const isOperator = (range: string): boolean =>
  operator.test(range) && !isFrameName(range) && !isCallStackName(range) && !isOsRuntimeName(range);

/** Calls that allocate or free memory, on the device or page-locked. */
const allocation =
  /^(cuda|cu|hip)(Malloc|Free(?!Array)|Host(Alloc|Free|Malloc|Register|Unregister)|Mem(Alloc|Free|Create|Release|Map|Unmap|SetAccess|AddressReserve|AddressFree|Host(Alloc|Register|Unregister)))/;
/** Operators that copy a tensor into page-locked memory. */
export const isPinning = (operator: string): boolean => operator.includes('pin_memory');
export const isAllocation = (call: string): boolean => allocation.test(call);

/** Calls that make a context or load code, or need these: each takes long the first time. */
const initialisation =
  /^(cuda|cu|hip)(Init|Ctx(Create|Set|Get)|DevicePrimaryCtx|Module(Load|GetFunction|GetGlobal)|Library|Kernel(GetFunction|SetAttribute)|Func(GetAttributes|SetAttribute|Load)|Device(Get|Set|CanAccess)|GetDevice|SetDevice|GetDriver|DriverGet|RuntimeGet|Get(ProcAddress|ExportTable)|StreamCreate|EventCreate|Occupancy|StreamGetPriority)/;
export const isInitialisation = (call: string): boolean => initialisation.test(call);
export const isGraphLaunch = (call: string): boolean => /^(cuda|cu|hip)GraphLaunch/.test(call);
