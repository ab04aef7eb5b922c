/**
 * The scripts of a report, made of the chunks that Vite has built. Its page is opened from disk and allows scripts by their
 * hashes only, so a chunk can't be imported: each becomes a script that puts what it exports where the others find it.
 */
import { basename } from 'node:path';
import { Script } from 'node:vm';

/** The entry's script is called so. */
const entryName = 'program';

/** Returns each script's text by its name, the entry's first, and the names to run at the start: the entry is the last of them. */
export function scriptsOf(chunks) {
  const names = new Map(chunks.map((chunk) => [basename(chunk.fileName), nameOf(chunk)]));
  const byName = new Map(chunks.map((chunk) => [nameOf(chunk), chunk]));
  const importsOf = (name) => byName.get(name).imports.map((file) => names.get(basename(file)));
  const needsOf = (name) => [...new Set([...importsOf(name).flatMap(needsOf), name])];
  const first = needsOf(entryName);
  // The chunks that the entry imports have run before anything is loaded.
  const needs = (name) => needsOf(name).filter((one) => !first.includes(one));
  const loadOf = (name) =>
    `reportParts.load(${needs(name)
      .map((one) => JSON.stringify(one))
      .join(',')})`;
  const text = (chunk) => asScript(chunk, names, loadOf);
  const scripts = new Map(
    [...byName].sort(([a], [b]) => order(a) - order(b)).map(([name, chunk]) => [name, text(chunk)]),
  );
  return { scripts, first };
}

const nameOf = ({ name, isEntry }) => (isEntry ? entryName : `script-${name.toLowerCase()}`);
const order = (name) => (name === entryName ? 0 : 1);

function asScript({ code, fileName }, names, loadOf) {
  const exported = (file) => `reportParts.exports[${JSON.stringify(names.get(file))}]`;
  const bindings = (list) => list.replaceAll(/([\w$]+) as ([\w$]+)/g, '$1:$2');
  const own = basename(fileName);
  const linked = code
    .replaceAll(/\bimport\{([^{}]*)\}from(["'`])\.\/([^"'`]+)\2;?/g, (_, list, __, file) => {
      return `const{${bindings(list)}}=${exported(file)};`;
    })
    .replaceAll(/\bimport\((["'`])\.\/([^"'`]+)\1\)/g, (_, __, file) => loadOf(names.get(file)))
    .replace(/\bexport\{([^{}]*)\};?\s*$/, (_, list) => {
      const values = list.replaceAll(/([\w$]+) as ([\w$]+)/g, '$2:$1');
      return `${exported(own)}={${values}};`;
    });
  const text = ascii(`(()=>{"use strict";${linked}})();`);
  // Throws where something of a module is left.
  new Script(text, { filename: fileName });
  return text;
}

/** Browsers keep and read a text without other letters in half the space. */
const ascii = (text) =>
  text.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
