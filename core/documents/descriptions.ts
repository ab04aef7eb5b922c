/**
 * What the fields of a document mean, for the hints of editors. A field is found by the object that it stands in: for an
 * operation, that is its name; for what has kinds, its kind; else the field that holds it.
 */
import { isParameterName, parameterOf } from '../profile/registry.ts';
import type { DocumentKind, JsonSchema } from './jsonSchema.ts';

/** 'object.field'; '*.field' is of all objects that have no text of their own. */
const texts: Readonly<Record<string, string>> = {
  '*.$schema': 'Where this schema lies. Editors read it, Copyscope does not.',
  '*.format': 'Says what the document is.',
  '*.version': 'Version of the format. Older ones are read and brought up to date.',
  '*.id': 'Name by which the rest of the document refers to it.',
  'operation.id': 'Name that the operation keeps for life; one is given where left out.',
  '*.op': 'Which operation it is.',
  '*.kind': 'Which of these it is.',
  '*.label': 'What it is called in the lanes.',
  '*.stream': 'A declared stream, or one of default, legacy and per-thread.',
  '*.buffer': 'Id of a buffer.',
  '*.event': 'Id of an event.',
  '*.signal': 'Id of a signal.',
  '*.graph': 'Name of a graph: captured once, launched as often as wanted.',
  '*.offset': 'Where in the buffer it begins, in bytes.',
  '*.bytes': 'Bytes; all that fits where left out.',
  '*.durationNs': 'How long it takes, in nanoseconds.',
  '*.device': 'Id of a device; the first one that is declared where left out.',
  '*.operations': 'What is done inside of it, in order.',
  '*.recorded': 'What the operation took in the trace that the experiment was made of.',
  '*.pattern': 'The data, as little-endian 32-bit words.',
  '*.src': 'Id of the buffer that is read.',
  '*.dst': 'Id of the buffer that is written.',
  '*.name': 'What it is called.',
  '*.seed': 'Another number gives other data.',

  'experiment.description': 'What it shows, in some sentences.',
  'experiment.environment': 'What is set for the whole program.',
  'experiment.devices': 'GPUs that it uses; one, called gpu, where left out.',
  'experiment.buffers': 'Memory that it uses, on the host and on devices.',
  'experiment.streams': 'Streams beside those that always exist: default, legacy and per-thread.',
  'experiment.events': 'CUDA events.',
  'experiment.signals': 'Counting signals between host threads.',
  'experiment.threads': 'Host threads, which run at once, each with its operations in order.',
  'environment.defaultStream': 'What the stream "default" is: the legacy one, or one for each thread.',
  'environment.launchBlocking': 'CUDA_LAUNCH_BLOCKING=1: each call returns when its work is complete.',
  'environment.visibleDevices': 'CUDA_VISIBLE_DEVICES; all where left out.',
  'environment.peerAccess': 'Whether devices may reach each other’s memory.',
  'environment.iterations': 'How often the program is executed and recorded.',
  'environment.warmups': 'Executions before any is recorded.',
  'devices.index': 'Position among the visible devices, as in cuda:0.',
  'buffers.memory': 'What memory it is, in CUDA’s terms.',
  'buffers.device': 'Only of device memory: on which one; the first where left out.',
  'buffers.bytes': 'Size in bytes; else dtype and shape together.',
  'buffers.dtype': 'Type of an element, with PyTorch’s names; together with shape.',
  'buffers.shape': 'Elements in each dimension; together with dtype.',
  'buffers.pattern': 'What it holds before each iteration.',
  'buffers.allocated': 'Whether it is there from the start, or made by an allocate operation.',
  'streams.flags': 'blocking streams synchronise with the legacy default stream, others do not.',
  'streams.priority': 'Lower is more urgent, as in CUDA.',
  'events.timing': 'false is cudaEventDisableTiming.',
  'signals.capacity': 'So many may be pending; who signals then waits, as at a bounded queue.',
  'threads.operations': 'What the thread does, in order.',
  'constant.value': 'The value of each word.',
  'write.pattern': 'What is written.',
  'read.expect': 'What should be there; what the program would have put there where left out.',
  'allocate.allocator': 'cudaMalloc, the stream-ordered pool, or PyTorch’s caching allocator.',
  'copy.mode':
    'async: cudaMemcpyAsync. blocking-to: the same, then a stream synchronise, as Tensor.to(). blocking-memcpy: cudaMemcpy.',
  'copy.srcOffset': 'Where it begins in the source, in bytes.',
  'copy.dstOffset': 'Where it begins in the destination, in bytes.',
  'copy.bytes': 'Bytes to copy; all that fits in both where left out.',
  'memset.value': 'The value of each byte.',
  'kernel.kernel': 'What the kernel does.',
  'kernel.reads': 'Ids of buffers that it reads.',
  'kernel.writes': 'Ids of buffers that it writes.',
  'kernel.smShare': 'Part of the multiprocessors that it may fill.',
  'stream.passes': 'How often it goes over all of its data.',
  'arithmetic.flops': 'Floating-point operations.',
  'matmul.m': 'Rows of the first factor and of the product.',
  'matmul.n': 'Columns of the second factor and of the product.',
  'matmul.k': 'Columns of the first factor, and rows of the second.',
  'matmul.dtype': 'What the numbers of all three matrices are.',
  'matmul.tf32': 'Whether float32 may be multiplied in TF32, as torch.backends.cuda.matmul.allow_tf32 says.',
  'matmul.workspace':
    'When cuBLAS gets its handle and work space: before the program begins, or in each iteration by the first product of a stream.',
  'fft.size': 'Complex numbers in a transform.',
  'fft.batch': 'How many transforms, one behind another.',
  'fft.plan':
    'When cuFFT makes its plan: before the program begins, or in each iteration by the first such transform of a stream.',
  'multiCopy.direction': 'From where to where.',
  'multiCopy.payload': 'The tensors that are copied.',
  'multiCopy.strategy': 'How they are copied.',
  'multiCopy.options': 'Options of the strategy, by their names.',
  'payload.tensors': 'How many there are.',
  'payload.bytes': 'Bytes of each; or a list, which is repeated to the number of tensors.',
  'payload.memory': 'What host memory they lie in.',
  'elapsedTime.start': 'Id of the first event.',
  'elapsedTime.end': 'Id of the second event.',
  'repeat.count': 'How often.',
  'range.name': 'What stands over its rows, as an NVTX range.',
  'range.folded': 'Whether the score shows it as one block; left out, it stands open.',
  'recorded.callNs': 'Time of the host’s call, in nanoseconds.',
  'recorded.deviceNs': 'Time of its work on the device, in nanoseconds.',
  'recorded.bytes': 'The bytes that this was so of.',
  'recorded.memory': 'The host memory that this was so of.',

  'sweep.description': 'What it asks, in some sentences.',
  'sweep.base': 'What is run: a template with its parameters, or an experiment.',
  'sweep.axes': 'One or two things that vary.',
  'base.template': 'Name of a template.',
  'base.parameters':
    'Parameters of the template that are not its standard: a number in base units, or a text as "64 MiB".',
  'base.experiment': 'A whole experiment.',
  'axes.label': 'What the axis is called.',
  'axes.parameter': 'A parameter of the template.',
  'axes.fields': 'Paths of numbers of the experiment, as buffers[0].bytes: all get the same value.',
  'axes.values': 'The values; else from, to and points.',
  'axes.from': 'First value of a range.',
  'axes.to': 'Last value of a range.',
  'axes.points': 'How many values, both ends included.',
  'axes.scale': 'linear: equal steps. geometric: equal factors.',

  'gate-rules.limits': 'At most so much of each figure. A number is in base units; a text has its unit, as "1 MiB".',
  'gate-rules.ignoreCopiesBelow': 'Copies of fewer bytes are not counted as copies of pageable memory.',
  'gate-rules.steps': 'Of a trace’s steps only these; all where left out.',
  'gate-rules.baseline': 'What must not be more than in the trace behind --baseline.',
  'gate-rules.allow': 'What is let pass, each with its reason.',
  'steps.from': 'The first step, counted from 1.',
  'steps.to': 'The last step, counted from 1.',
  'baseline.figures': 'What is compared.',
  'baseline.leastShare': 'A difference below this part of the baseline’s value is none.',
  'allow.line':
    'A source line as "train.py:44", a line of one function as "train.py:44 in step", or a file; else operation.',
  'allow.operation': 'An operation of an experiment: its label, or its place as "threads[0].operations[2]".',
  'allow.figures': 'For which figures; all where left out.',
  'allow.reason': 'Why. It is printed with what it let pass.',

  'profile.source': 'Where its numbers come from.',
  'profile.basis': 'Whether they were measured, or are published figures.',
  'profile.machines': 'Machines that the numbers are of; one where left out.',
  'profile.host': 'The machine that was measured, as its user calls it; left out where that was this one.',
  'profile.device': 'The GPU.',
  'profile.parameters': 'What the simulator counts with; docs/reference/profile.md lists them.',
  'profile.sources': 'Where some parameters come from, by the first part of their names.',
  'profile.measurements': 'What a calibration measured.',
  'device.computeCapability': 'As 9.0.',
  'device.multiprocessors': 'Streaming multiprocessors.',
  'device.asyncEngineCount': 'Copy engines: with one, both directions share it.',
  'device.memoryBytes': 'Memory of the GPU, in bytes.',
  'device.linkGeneration': 'Of PCI Express; null where it is not known.',
  'device.linkWidth': 'Lanes of PCI Express; null where it is not known.',
  'device.mallocSynchronizes': 'Whether cudaMalloc waits for all work of the device.',
  'measurements.parameter': 'Which parameter, with the place in its table.',
  'measurements.median': 'Median of the samples.',
  'measurements.least': 'Least of the samples.',
  'measurements.most': 'Most of the samples.',
  'measurements.samples': 'How many there were.',
  'measurements.probe': 'What was run to read it.',
};

/** Writes the texts into a schema of JSON. */
export function addDescriptions(kind: DocumentKind, schema: JsonSchema): void {
  describe(schema, kind);
  for (const [name, definition] of Object.entries(schema.$defs ?? {})) describe(definition, name);
}

function describe(schema: JsonSchema, holder: string): void {
  const own = schema.properties?.['op']?.const ?? schema.properties?.['kind']?.const ?? holder;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isOperationId = name === 'id' && schema.properties?.['op'] !== undefined;
    const text = describing(isOperationId ? 'operation' : String(own), name);
    if (text !== undefined) property.description = text;
    describe(property, name);
  }
  if (typeof schema.items === 'object') describe(schema.items, holder);
  for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) describe(part, holder);
}

function describing(holder: string, name: string): string | undefined {
  if (holder === 'parameters' && isParameterName(name)) {
    const { what, unit, by } = parameterOf(name);
    return `${what} (${by === undefined ? unit : `${unit} by ${by}`})`;
  }
  return texts[`${holder}.${name}`] ?? texts[`*.${name}`];
}
