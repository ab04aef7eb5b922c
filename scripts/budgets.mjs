/**
 * `npm run budgets`: counts lines, short files, words of documents, and comments, titles and texts that aren't plain.
 * Exits 1 if a number is above the one in budgets.json. With --lower it writes the numbers that fell; it never raises
 * one. Works in the current folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseSync } from 'vite';
import { runMain } from './lib/paths.mjs';

const budgetsFile = 'budgets.json';
const linesOfShortFile = 40;
const placesShown = 5;

const badStart = /^(what|of|whoever|who|where|as|so many|which|those that)\b(?! (well|soon|long|far) as\b)/i;
const badWords =
  /\b(untold|told|taken for|by halves|beside|meanwhile|so far as|so many|whoever)\b|(?<!\bthere )\b(is|are|was|were) none\b/i;
const badConditions =
  /(\b(null|undefined|none|nothing|empty)|-1) where\b|\bwhere (none|there (is|are|was|were) (no|none))\b/i;

/** Returns the first words of `text` that break a rule of plain words, or null. Quoted names and code don't count. */
function unclearPart(text, isSentence) {
  const plain = text
    .replace(/`[^`]*`|"[^"]*"/g, '_')
    .replace(/\s+/g, ' ')
    .trim();
  const word = badWords.exec(plain) ?? badConditions.exec(plain);
  if (word !== null) return word[0];
  const sentence = plain
    .split(/(?<=[.!?:]) (?=[A-Z])/)
    .find((one) => badStart.test(one) && !one.endsWith('?') && isSentence(one));
  return sentence === undefined ? null : sentence.slice(0, 40);
}

/** Adds a comment, or joins it to the one before if both are whole lines without a line between them. */
function addComment(comments, source, { text, start, end, isLine }) {
  const last = comments.at(-1);
  if (isLine && last?.isLine && /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(last.end, start))) {
    last.text += ` ${text}`;
    last.end = end;
  } else comments.push({ text, start, end, isLine });
}

function textOf(node) {
  if (node?.type === 'TemplateLiteral') return node.quasis.map((part) => part.value.cooked).join('_');
  if (node?.type === 'JSXText') return node.value;
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

/** Returns the name that a chain of calls and members begins with: `it` for it.each(rows)(title). */
function firstName(callee) {
  if (callee.type === 'CallExpression') return firstName(callee.callee);
  return callee.type === 'MemberExpression' ? firstName(callee.object) : callee.name;
}

/** Returns comments, test titles and other texts of TypeScript or JavaScript. */
function readScript(path, source) {
  const { program, comments, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}. Correct it, then count again.`);
  const found = { comments: [], titles: [], texts: [] };
  for (const { type, value, start, end } of comments) {
    const text = value.replace(/^\s*\*+/gm, '');
    addComment(found.comments, source, { text, start, end, isLine: type === 'Line' });
  }
  const walk = (node) => {
    if (node === null || typeof node !== 'object') return;
    const text = textOf(node);
    if (text !== null) found.texts.push({ text, start: node.start });
    const title = node.type === 'CallExpression' ? textOf(node.arguments[0]) : null;
    if (title !== null && /^(it|test|describe)/.test(firstName(node.callee)))
      found.titles.push({ text: title, start: node.start });
    for (const part of Array.isArray(node) ? node : Object.values(node)) walk(part);
  };
  walk(program);
  return found;
}

const cTokens = /\/\/.*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'/g;
const pythonTokens = /#.*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** Returns the same of C++ and Python, whose test titles stand in TEST("..."). */
function readTokens(path, source) {
  const found = { comments: [], titles: [], texts: [] };
  for (const { 0: token, index: start } of source.matchAll(path.endsWith('.py') ? pythonTokens : cTokens)) {
    const text = token.replace(/^(\/\/+|\/\*+|#+|"""|"|')|(\*\/|"""|"|')$/g, '').replace(/^\s*\*+/gm, '');
    if (!/^("(?!"")|')/.test(token))
      addComment(found.comments, source, { text, start, end: start + token.length, isLine: /^(\/\/|#)/.test(token) });
    else found[source.slice(0, start).endsWith('TEST(') ? 'titles' : 'texts'].push({ text, start });
  }
  return found;
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');

/** Returns all numbers by name; each has its value and the places it comes from. */
function count() {
  const numbers = new Map();
  const add = (name, value, place) => {
    const number = numbers.get(name) ?? { value: 0, places: [] };
    numbers.set(name, number);
    number.value += value;
    number.places.push(place);
  };
  for (const path of git('ls-files', '-co', '--exclude-standard').filter((one) => one !== '' && existsSync(one)))
    countFile(path, add);
  return numbers;
}

function countFile(path, add) {
  const [top, second, third] = path.split('/');
  const isPage = top === 'docs' && path.endsWith('.md');
  const isSource = second !== undefined && /\.(tsx?|[mc]?js|py|sh|cpp|h|cu)$/.test(path);
  if (!isPage && (!isSource || (top === 'test' && second === 'fixtures'))) return;
  const source = readFileSync(path, 'utf8');
  if (isPage) return add(`words: ${path}`, source.split(/\s+/).filter(Boolean).length, { path, text: path });

  const lines = source.split('\n').length - 1;
  const isNativeTest = top === 'native' && second === 'tests';
  const isTest = top === 'test' || isNativeTest;
  const folder = isNativeTest ? 'native/tests' : top;
  const size = { path, text: `${path} has ${lines} lines` };
  add(`lines: ${folder}`, lines, size);
  if ((top === 'core' || top === 'renderer') && third !== undefined) add(`lines: ${top}/${second}`, lines, size);
  if (!isTest && top !== 'bench' && lines < linesOfShortFile) add(`files under ${linesOfShortFile} lines`, 1, size);
  if (path.endsWith('.sh')) return;

  const read = /\.(py|cpp|h|cu)$/.test(path) ? readTokens : readScript;
  const { comments, titles, texts } = read(path, source);
  const check = (kind, found, isSentence) => {
    for (const { text, start } of found) {
      const part = unclearPart(text, isSentence);
      const line = source.slice(0, start).split('\n').length;
      if (part !== null) add(`${kind}: ${folder}`, 1, { path, text: `${path}:${line} "${part}"` });
    }
  };
  check('comments', comments, () => true);
  if (isTest) check('titles', titles, () => true);
  else {
    const sentences = texts.filter(({ text }) => /\S\s+\S+\s+\S/.test(text));
    check('texts', sentences, (one) => /^[A-Z].*[.!:;]$/.test(one));
  }
}

/** Returns by how many lines each file grew since the last commit that changed the budgets, as far as git knows. */
function growthOfFiles() {
  const [base] = git('log', '-1', '--format=%H', '--', budgetsFile);
  const growth = new Map(git('ls-files', '-o', '--exclude-standard').map((path) => [path, 1]));
  for (const row of base === '' ? [] : git('diff', '--numstat', '--no-renames', base)) {
    const [added, removed, path] = row.split('\t');
    growth.set(path, Number(added) - Number(removed));
  }
  return growth;
}

function readBudgets() {
  const budgets = JSON.parse(readFileSync(budgetsFile, 'utf8'));
  for (const [name, value] of Object.entries(budgets))
    if (!Number.isInteger(value)) throw new Error(`${budgetsFile}: "${name}" is ${value}. Write a whole number.`);
  return budgets;
}

function tell(name, { value, places }, budget, growth) {
  const growthOf = ({ path }) => growth.get(path) ?? 0;
  const first = places.toSorted((a, b) => growthOf(b) - growthOf(a)).slice(0, placesShown);
  const budgeted =
    budget === undefined
      ? `has no budget. If files moved there, add "${name}" to ${budgetsFile} and lower the number of the folder they left`
      : `was ${budget}`;
  console.error(`${name} is ${value} and ${budgeted}:\n${first.map(({ text }) => `  ${text}\n`).join('')}`);
}

await runMain(() => {
  const budgets = readBudgets();
  const numbers = count();
  const grown = [...numbers].filter(([name, { value }]) => value > (budgets[name] ?? 0));
  const growth = grown.length === 0 ? new Map() : growthOfFiles();
  for (const [name, number] of grown) tell(name, number, budgets[name], growth);
  if (process.argv.includes('--lower')) {
    const known = Object.keys(budgets).filter((name) => numbers.has(name));
    const lower = known.sort().map((name) => [name, Math.min(budgets[name], numbers.get(name).value)]);
    writeFileSync(budgetsFile, `${JSON.stringify(Object.fromEntries(lower), null, 2)}\n`);
  }
  if (grown.length === 0) return 0;
  console.error(`Let these numbers fall again, or raise them in ${budgetsFile} and give the reason in the commit.`);
  return 1;
});
