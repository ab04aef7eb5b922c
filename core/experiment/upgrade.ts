/** Upgrades documents of older format versions, one version at a time. */
import { experimentVersion } from './experiment.ts';
import { withOperationIds } from './operationIds.ts';

type Document = Readonly<Record<string, unknown>>;

/** upgrades[n] turns version n into n + 1. */
const upgrades: Readonly<Record<number, (document: Document) => Document>> = {
  // Version 2 has no relays. It has ids of operations, which are filled in below if they are missing.
  1: (document) => withoutRelays(document) as Document,
};

export function upgradeExperiment(document: Document): Document {
  const from = document['version'];
  let current = document;
  for (let version = typeof from === 'number' ? from : experimentVersion; version < experimentVersion; version += 1) {
    const upgrade = upgrades[version];
    if (upgrade === undefined) return current;
    current = { ...upgrade(current), version: version + 1 };
  }
  return withOperationIds(current);
}

/** Deletes the relays of multi-tensor copies, which went over links of other devices and no longer exist. */
function withoutRelays(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutRelays);
  const { threads, operations, op, options } = value as Document;
  if (Array.isArray(threads)) return { ...value, threads: withoutRelays(threads) };
  if (Array.isArray(operations)) return { ...value, operations: withoutRelays(operations) };
  if (op !== 'multiCopy') return value;
  const { relay: _, ...kept } = value as Document;
  if (typeof options !== 'object' || options === null) return kept;
  const { relayBytes: __, ...known } = options as Document;
  return { ...kept, options: known };
}
