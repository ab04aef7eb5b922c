/**
 * Writes the figures of bench/results into the tables of docs/performance.md and docs/accuracy.md: node bench/table.mjs.
 * Each table stands between two comments, and shows the newest result of each figure beside the range of all results.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [begin, end] = ['<!-- node bench/table.mjs -->', '<!-- end of the table -->'];

/** Returns the table of all results of `page`, performance or accuracy. */
function tableOf(page) {
  const folder = join(root, 'bench/results');
  const ids = readdirSync(folder).map((file) => basename(file, '.json'));
  const all = ids
    .sort()
    .map((id) => ({ id, ...JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) }))
    .filter((result) => result.page === page)
    .flatMap(({ id, figures }) => figures.map((figure) => ({ id, ...figure })));
  const names = [...new Set(all.map(({ name }) => name))];
  const rows = names.map((name) => row(all.filter((figure) => figure.name === name)));
  const head = ['Figure', 'Limit', 'Newest result', 'All results', 'From'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function row(results) {
  const newest = results.at(-1);
  const lows = results.map(({ value, low }) => value ?? low);
  const highs = results.map(({ value, high }) => value ?? high);
  const met = limitOf(newest) === '' ? [] : [`${results.filter(isMet).length} of ${results.length} met`];
  const range = results.length === 1 ? [] : [`${number(Math.min(...lows))} to ${number(Math.max(...highs))}`];
  const from = `[${newest.id}](../bench/results/${newest.id}.json)`;
  return [newest.name, limitOf(newest), measured(newest), [...range, ...met].join('; '), from];
}

const number = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 3 });

function measured({ value, of, low, high, unit = '' }) {
  const range = low === undefined ? '' : `${number(low)} to ${number(high)}`;
  if (value === undefined) return `${range} ${unit}`.trim();
  const part = of === undefined ? unit : `of ${number(of)}`;
  return `${number(value)} ${part}${range === '' ? '' : ` (${range})`}`.trim();
}

/** Returns the limit in words. The limit of a count is a share of all. */
function limitOf({ atLeast, atMost, of, unit = '' }) {
  const words = (name, limit) =>
    limit === undefined
      ? []
      : [of === undefined || limit === 0 ? `${name} ${number(limit)} ${unit}`.trim() : `${name} ${100 * limit} %`];
  return [...words('at least', atLeast), ...words('at most', atMost)].join(', ');
}

function isMet({ value, low, high, of = 1, atLeast = -Infinity, atMost = Infinity }) {
  return (value ?? low) / of >= atLeast && (value ?? high) / of <= atMost;
}

/** Returns the text of a page with its table replaced. */
export function withTable(page, text) {
  const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
  if (before < begin.length || after < 0)
    throw new Error(`docs/${page}.md: write "${begin}" and "${end}" around a table.`);
  return `${text.slice(0, before)}\n\n${tableOf(page)}\n\n${text.slice(after)}`;
}

if (process.argv[1] === import.meta.filename) {
  for (const page of ['performance', 'accuracy']) {
    const file = join(root, `docs/${page}.md`);
    writeFileSync(file, withTable(page, readFileSync(file, 'utf8')));
  }
}
