/** Finds sizes that belong together: both buffers of a copy and the copy itself, and buffers of one kernel. */
import { type Experiment, walkOperations } from '../../experiment/experiment.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import { fieldPath } from '../../shape/path.ts';
import { type FieldPath, numericFields } from './fields.ts';

/** Paths of sizes that must stay equal. */
type Link = readonly string[];

/** Returns the paths of all other sizes that must change together with this one. */
export function linkedSizes(experiment: Experiment, path: FieldPath): string[] {
  const own = fieldPath(path);
  const sizes = new Set(numericFields(experiment).map((field) => fieldPath(field.path)));
  const links = linksOf(experiment);
  const found = new Set([own]);
  const waiting = [own];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const paths of links) {
      if (!paths.includes(next)) continue;
      const fresh = paths.filter((one) => sizes.has(one) && !found.has(one));
      for (const one of fresh) found.add(one);
      waiting.push(...fresh);
    }
  }
  found.delete(own);
  return [...found];
}

/** Returns links of copies between whole buffers of equal size, and of kernels over buffers of equal size. */
function linksOf({ buffers, threads }: Experiment): Link[] {
  const places = new Map(
    buffers.map((buffer, at) => [buffer.id, { path: `buffers[${at}].bytes`, bytes: bufferBytes(buffer) }]),
  );
  const links: Link[] = [];
  for (const [thread, { operations }] of threads.entries()) {
    walkOperations(
      operations,
      (operation, path) => {
        if (operation.op === 'kernel') {
          const touched = [...(operation.reads ?? []), ...(operation.writes ?? [])].flatMap(
            (id) => places.get(id) ?? [],
          );
          links.push(touched.filter(({ bytes }) => bytes === touched[0]?.bytes).map(({ path: size }) => size));
        }
        if (operation.op !== 'copy') return;
        const [src, dst] = [places.get(operation.src), places.get(operation.dst)];
        if (src === undefined || dst === undefined || src.bytes !== dst.bytes) return;
        if (operation.bytes !== undefined && operation.bytes !== src.bytes) return;
        links.push([src.path, dst.path, fieldPath([...path, 'bytes'])]);
      },
      ['threads', thread, 'operations'],
    );
  }
  return links;
}
