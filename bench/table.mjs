/**
 * Writes the figures of bench/results into the tables of its README.md: node bench/table.mjs. Each table stands between
 * two comments, and shows the newest result of each figure with the range of all results.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
export const page = join(root, 'bench/results/README.md');

/** Returns the table of all results of `kind`, performance or accuracy. */
function tableOf(kind) {
  const folder = join(root, 'bench/results');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const ids = files.map((file) => basename(file, '.json'));
  const all = ids
    .sort()
    .map((id) => ({ id, ...JSON.parse(readFileSync(join(folder, `${id}.json`), 'utf8')) }))
    .filter((result) => result.page === kind)
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
  const from = `[${newest.id}](${newest.id}.json)`;
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

/** Returns the text of the page with its tables replaced. */
export const withTables = (text) =>
  text.replace(
    /(<!-- (\w+): node bench\/table.mjs -->\n)[\s\S]*?(?=<!-- end -->)/g,
    (_, begin, kind) => `${begin}\n${tableOf(kind)}\n\n`,
  );

if (process.argv[1] === import.meta.filename) writeFileSync(page, withTables(readFileSync(page, 'utf8')));
