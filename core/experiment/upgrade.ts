/** Brings documents of older format versions to the present one, a step a version. */
import { experimentVersion } from './experiment.ts';

type Document = Readonly<Record<string, unknown>>;

/** upgrades[n] turns version n into n + 1. Version 1 is the first, so there is nothing to do yet. */
const upgrades: Readonly<Record<number, (document: Document) => Document>> = {};

export function upgradeExperiment(document: Document): Document {
  const from = document['version'];
  let current = document;
  for (let version = typeof from === 'number' ? from : experimentVersion; version < experimentVersion; version += 1) {
    const upgrade = upgrades[version];
    if (upgrade === undefined) return current;
    current = { ...upgrade(current), version: version + 1 };
  }
  return current;
}
