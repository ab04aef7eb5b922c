/** Generates native/src/executor/layout.h from the lists of layout.ts. */
import { enums, fields, layout, type TableName } from './layout.ts';

/** Names of the rows of each table. */
const rowNames: Readonly<Record<TableName, string>> = {
  buffers: 'Buffer',
  streams: 'Stream',
  instructions: 'Instruction',
  expectations: 'Expectation',
  multiCopies: 'MultiCopy',
  libraryCalls: 'LibraryCall',
  results: 'Result',
  blocks: 'Block',
};
/** Lists of the copy engine's own. */
const copyEnums: readonly string[] = ['Direction', 'Strategy'];
/** Line width, as elsewhere in native/src. */
const width = 120;

export function layoutHeader(): string {
  const all = Object.entries(enums);
  const own = all.filter(([name]) => !copyEnums.includes(name));
  const copies = all.filter(([name]) => copyEnums.includes(name));
  return `${[
    '// Written by scripts/native-layout.mjs from native/layout.ts. Change it there.',
    '#pragma once',
    '',
    '#include <cstddef>',
    '#include <cstdint>',
    '',
    'namespace copyscope {',
    '',
    '/// Names and numbers of this build; native/layout.ts must give the same text.',
    ...textConstant('layoutText', layout),
    '',
    ...own.flatMap(([name, names]) => [...enumeration(name, names.map(identifier)), '']),
    '/// How many numbers a row has whose fields are a Field, and their names.',
    'template <typename Field>',
    'struct FieldsOf;',
    '',
    ...Object.entries(fields).flatMap(([table, names]) => rowFields(rowNames[table as TableName], names)),
    '}  // namespace copyscope',
    '',
    'namespace copyscope::copy {',
    '',
    ...copies.flatMap(([name, names]) => [...enumeration(name, names.map(identifier)), '']),
    '}  // namespace copyscope::copy',
  ].join('\n')}\n`;
}

/** Returns pinnedWriteCombined for `pinned-write-combined`, memcpyAsync for `cudaMemcpyAsync`, none for no name. */
function identifier(name: string): string {
  if (name === '') return 'none';
  return uncapitalised(name.replace(/^cuda(?=[A-Z])/, '')).replace(/-(\w)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

const uncapitalised = (name: string): string => `${name.charAt(0).toLowerCase()}${name.slice(1)}`;

function enumeration(name: string, names: readonly string[]): string[] {
  return [
    `enum class ${name} : std::uint8_t {`,
    ...filled(names, '  '),
    '};',
    `constexpr int ${uncapitalised(name)}Count = ${names.length};`,
  ];
}

function rowFields(row: string, names: readonly string[]): string[] {
  return [
    `enum class ${row}Field : std::uint8_t {`,
    ...filled(names, '  '),
    '};',
    'template <>',
    `struct FieldsOf<${row}Field> {`,
    `  static constexpr std::size_t count = ${names.length};`,
    '  static constexpr const char* names[] = {',
    ...filled(
      names.map((name) => `"${name}"`),
      '      ',
    ),
    '  };',
    '};',
    '',
  ];
}

/** Returns the words, each followed by a comma, on as few lines as possible. */
function filled(words: readonly string[], indent: string): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length + 2 <= width) lines[lines.length - 1] = `${last} ${word},`;
    else lines.push(`${indent}${word},`);
  }
  return lines;
}

function textConstant(name: string, text: string): string[] {
  const parts = text.match(/.{1,100}/g) ?? [];
  return [`constexpr const char* ${name} =`, ...parts.map((part) => `    "${part}"`)].map((line, index) =>
    index === parts.length ? `${line};` : line,
  );
}
