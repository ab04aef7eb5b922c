/** Upgrades profiles from version 1 to 2: parameters are renamed, and many are dropped. */
import { type ParameterName, parameterNames, parameterOf } from './registry.ts';

type Draft = Readonly<Record<string, unknown>>;

/** Names in version 1 of parameters that version 2 renamed. */
const formerly: Partial<Record<ParameterName, string>> = {
  'copies.h2d.pinned': 'copies.h2d.pinned.device',
  'copies.d2h.pinned': 'copies.d2h.pinned.device',
  'copies.h2d.pageable': 'copies.h2d.pageable.call',
  'copies.d2h.pageable': 'copies.d2h.pageable.call',
  'copies.d2d': 'copies.d2d.device',
  'copies.peer': 'peer.access.device',
  'copies.peerViaHost': 'peer.viaHost.device',
  'calls.copyNs': 'copies.h2d.pinned.call',
  'calls.shortNs': 'calls.synchronizeNs',
  'kernel.l2Bytes': 'device.l2Bytes',
  'kernel.mappedBytesPerSecond': 'kernel.mappedReadBytesPerSecond',
  'hostFunction.startNs': 'hostFunction.behindWorkNs',
  'graph.instantiate': 'graph.instantiate.kernels',
  'graph.upload': 'graph.upload.kernels',
  'memory.pin': 'memory.hostAlloc',
  'memory.unpin': 'memory.hostFree',
  'link.bytesPerSecond': 'link.h2dBytesPerSecond',
  'link.besideNs': 'link.h2dBesideNs',
  'host.cachedBytes': 'host.cached.bytes',
  'host.cachedBytesPerSecond': 'host.cached.bytesPerSecond',
  'recorder.firstNs': 'recorder.coldFirstNs',
  'recorder.newPart': 'recorder.coldNewPart',
};

/** Upgrades an object that claims to be a profile of version 1. Nothing else about it is checked. */
export function upgraded(former: Draft): Draft {
  const { format, version: _version, name, source, basis, machines, measurements, ...sections } = former;
  const parameters: Record<string, unknown> = {};
  for (const parameter of parameterNames) {
    const path = formerly[parameter] ?? parameter;
    const value = converted(valueAt(sections, path), parameter);
    if (value !== undefined) parameters[parameter] = value;
  }
  const device = isDraft(sections['device']) ? sections['device'] : {};
  const { source: _source, l2Bytes: _l2Bytes, ...facts } = device;
  const mallocSynchronizes = valueAt(sections, 'memory.mallocSynchronizes');
  return {
    ...{ format, version: 2, name, source },
    ...(basis === undefined ? {} : { basis }),
    ...(machines === undefined ? {} : { machines }),
    ...(measurements === undefined ? {} : { measurements }),
    device: { ...facts, ...(mallocSynchronizes === undefined ? {} : { mallocSynchronizes }) },
    parameters,
    sources: sourcesOf(sections),
  };
}

/** Returns the value of a version 1 point, such as { bytes: 4096, ns: 900 }, whatever the field is called. */
function converted(value: unknown, parameter: ParameterName): unknown {
  if (!Array.isArray(value)) return value;
  const points = value.map((point: unknown) => (isDraft(point) ? Object.values(point) : point));
  if (parameterOf(parameter).by !== undefined) return points;
  const [first] = points;
  return Array.isArray(first) ? first[1] : undefined;
}

function sourcesOf(sections: Draft): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (value: unknown, path: string): void => {
    if (!isDraft(value)) return;
    if (typeof value['source'] === 'string' && path !== 'device') found[path] = value['source'];
    for (const [key, inner] of Object.entries(value)) look(inner, path === '' ? key : `${path}.${key}`);
  };
  look(sections, '');
  return found;
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function valueAt(draft: Draft, path: string): unknown {
  let place: unknown = draft;
  for (const step of path.split('.')) place = isDraft(place) && Object.hasOwn(place, step) ? place[step] : undefined;
  return place;
}
