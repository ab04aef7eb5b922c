/** Makes the parts of docs/reference that follow from the code: rules, parameters, commands, fields of documents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command, Option } from 'commander';
import { parseSync } from 'vite';
import { documentSchema, type JsonSchema } from '../../../core/apps/jsonSchema.ts';
import { changeWords } from '../../../core/lift/changes/words.ts';
import { parameterNames, parameterOf } from '../../../core/machine/profile/registry.ts';
import { engineKinds } from '../../../core/program/engineKind.ts';
import { describeSource, type Rule, rules } from '../../../core/rules/rules.ts';
import { sourceLink } from '../../../core/rules/sourceLinks.ts';

const root = join(import.meta.dirname, '../../..');

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`.replace(/[^.?!:]$/, '$&.');
const code = (text: string): string => `\`${text}\``;

/** Short names of documents that rules cite often. */
const shortNames: readonly (readonly [long: string, short: string])[] = [
  ['CUDA C++ Programming Guide: ', 'Guide: '],
  ['CUDA Runtime API: API ', 'API: '],
  ['CUDA Runtime API: ', 'API: '],
  ['PyTorch documentation: ', ''],
  ['PyTorch source: aten/src/', ''],
  ['PyTorch notes: CUDA semantics: ', 'Semantics: '],
  ['measured on an NVIDIA H200, CUDA 13.0: ', 'measured: '],
  ['PyTorch tutorials: A guide on good usage of non_blocking and pin_memory()', 'Tutorial'],
];

export const rulesText = (): string => rules.map(ruleText).join('\n\n');

function ruleText({ id, title, statement, sources }: Rule): string {
  const documents = sources.filter(({ kind }) => kind === 'documentation');
  // A figure is shown if no document says the rule.
  const from = (documents.length === 0 ? sources : documents).slice(0, 1).map((source) => {
    const name = describeSource(source);
    const link = sourceLink(name);
    const short = shortNames.reduce((text, [long, other]) => text.replace(long, other), name);
    return link === null ? short : `[${short}](${link})`;
  });
  return `### ${id}\n\n**${title}.** ${statement} (${from.join('; ')})`;
}

export function parametersText(): string {
  return parameterNames
    .map((name) => {
      const { by, without, what, probe } = parameterOf(name);
      const mark = without === undefined ? '' : without === null ? '?' : `=${without}`;
      return `- ${code(`${name}${mark}`)}${probe === null ? '\\*' : ''}${by === undefined ? '' : ` (${by})`}: ${what}`;
    })
    .join('\n');
}

/** Options and arguments that the page explains once, for all commands. */
const commonOptions = /^--(json|profile <name>|engine <engine>|steps <from\.\.to>|slurm)$/;
const commonArgument = /^(run \(Arrow\),|experiment \(JSON\), or a run)/;

/** Returns each command with its arguments and options, in the words of --help. */
export const commandsText = (program: Command): string => innerTexts(program, []).join('\n\n');

const innerTexts = (command: Command, parents: readonly string[]): string[] =>
  (command.createHelp().visibleCommands(command) as Command[]).flatMap((inner) =>
    inner.name() === 'help' ? [] : commandText(inner, parents),
  );

function commandText(command: Command, parents: readonly string[]): string[] {
  const names = [...parents, command.name()];
  if (command.commands.length > 0) return innerTexts(command, names);
  const typed = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const isCommon = ({ flags, argChoices }: Option): boolean =>
    commonOptions.test(flags) && (argChoices === undefined || argChoices.length === engineKinds.length);
  const common = command.options.filter(isCommon).map(({ long }) => `[${long}]`);
  const lines = [
    ...command.registeredArguments.flatMap(({ description }, index) =>
      commonArgument.test(description) ? [] : [`- ${code(typed[index] ?? '')}: ${sentence(description)}`],
    ),
    ...command.options
      .filter((option) => !option.hidden && !isCommon(option))
      .map(({ flags, description, argChoices }) => {
        const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
        return `- ${code(flags)}${choices}: ${sentence(withoutChanges(description))}`;
      }),
  ];
  const usage = code([...names, ...typed, ...common].join(' '));
  const head = `### ${usage}\n\n${sentence(command.description())}`;
  return [lines.length === 0 ? head : `${head}\n\n${lines.join('\n')}`];
}

const withoutChanges = (text: string): string =>
  text.replace(changeWords.join(', '), '[words of changes](../guide/traces.md#the-changes)');

const sharedId = '  - `id`: Name by which the document refers to it.';

/**
 * Returns the fields of a document, object by object, as `name`, `name?` if it may be left out, and `name=value` with
 * its default; a|b are possible values. Fields of which several operations have the same text are described once.
 */
export function fieldsText(): string {
  const schema = documentSchema('experiment');
  const top = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = typeof field.items === 'object' ? field.items : field;
    const fields = Object.entries(inner.properties ?? {});
    const line = `- ${signature(schema, name, field)}: ${field.description}`;
    const lines = fields.map(
      ([key, one]) => `  - ${signature(inner, key, one)}: ${one.description}${choicesText(one, '    ')}`,
    );
    return [line, ...lines.filter((text) => text !== sharedId)];
  });
  return top.join('\n');
}

export function operationsText(): string {
  const { $defs = {}, properties } = documentSchema('experiment');
  const buffers = properties?.['buffers']?.items;
  const pattern = typeof buffers === 'object' ? buffers.properties?.['pattern'] : undefined;
  const isPattern = ({ oneOf }: JsonSchema): boolean =>
    oneOf !== undefined && isDeepStrictEqual(kindsOf(oneOf), kindsOf(pattern?.oneOf ?? []));
  const operations = Object.values($defs).flatMap(({ oneOf = [] }) => oneOf);
  const fieldsOf = (operation: JsonSchema) =>
    Object.entries(operation.properties ?? {}).filter(([name]) => name !== 'op');
  const textOf = ([name, { description }]: readonly [string, JsonSchema]): string => `${code(name)}: ${description}`;
  const texts = operations.flatMap(fieldsOf).map(textOf);
  const shared = new Set(texts.filter((text, place) => texts.indexOf(text) !== place));
  const isInAll = (name: string): boolean => operations.every((one) => one.properties?.[name] !== undefined);
  const lines = operations.map((operation) => {
    const fields = fieldsOf(operation).filter(([name]) => !isInAll(name) && name !== 'recorded');
    const isShared = (field: readonly [string, JsonSchema]): boolean => shared.has(textOf(field));
    // Fields with kinds come last, since their kinds are lines of their own.
    const order = fields.sort(([, a], [, b]) => Number(a.oneOf !== undefined) - Number(b.oneOf !== undefined));
    const texts = order.map((field) => {
      const text = isShared(field)
        ? ''
        : `: ${field[1].description}${isPattern(field[1]) ? '' : choicesText(field[1])}`;
      return ` ${signature(operation, ...field)}${text}`;
    });
    return `- **${operation.properties?.['op']?.const}**${texts.join('')}`;
  });
  return [...[...shared].map((text) => `- ${text}`), '\nEach operation with its fields:\n', ...lines].join('\n');
}

const kindsOf = (choices: readonly JsonSchema[]): unknown[] =>
  choices.map(({ properties }) => properties?.['kind']?.const);

/** Returns what each kind of a field holds, for fields that have kinds. */
function choicesText({ oneOf = [], properties }: JsonSchema, indent = '  '): string {
  const seen = new Set<string | undefined>();
  const isNew = ({ description }: JsonSchema): boolean => !seen.has(description) && seen.add(description) !== undefined;
  const kinds = oneOf.map((choice) => {
    const fields = Object.entries(choice.properties ?? {}).filter(([name]) => name !== 'kind');
    const texts = fields.map(
      ([name, field]) => `${signature(choice, name, field)}${isNew(field) ? ` ${field.description}` : ''}`,
    );
    return `\n${indent}- ${code(String(choice.properties?.['kind']?.const))}${texts.length === 0 ? '' : `: ${texts.join(' ')}`}`;
  });
  const inner = Object.entries(properties ?? {}).map(([name, field]) => `${code(name)}: ${field.description}`);
  return [...kinds, ...(inner.length === 0 ? [] : [` ${inner.join(' ')}`])].join('');
}

function signature(holder: JsonSchema, name: string, field: JsonSchema): string {
  const { default: standard } = field as { readonly default?: unknown };
  const values = field.enum?.map(String) ?? [];
  const isSimple = ['string', 'number', 'boolean'].includes(typeof standard) && standard !== '';
  const given = isSimple ? [String(standard), ...values.filter((value) => value !== standard)] : values;
  const mark = isSimple ? '=' : holder.required?.includes(name) === true ? '' : '?';
  const list = given.join('|');
  return code(`${name}${mark}${given.length === 0 ? '' : isSimple ? list : `:${list}`}`);
}

const figures = (file: string, name: string) => [`core/explain/figures/${file}.ts`, name] as const;
const summary = (name: string) => ['core/explain/summary/summaryDocument.ts', name] as const;
const answers = (name: string) => ['core/lift/answers.ts', name] as const;
type Interface = readonly [path: string, name: string];

// Objects in a summary, by the field that holds them.
const summaryObjects: readonly (readonly [title: string, ...interfaces: Interface[]])[] = [
  ['Top level', summary('SummaryDocument'), ['core/explain/summary/predictedIntervals.ts', 'PredictedIntervals']],
  ['iterations', summary('IterationSummary')],
  ['overlap', figures('overlap', 'Overlap'), figures('overlap', 'CopyKernelOverlap')],
  ['engines and link', figures('engines', 'EngineUse'), figures('engines', 'Use')],
  ['host', figures('hostTime', 'HostTime')],
  ['temporal', figures('temporal', 'TemporalBreakdown')],
  ['calls', figures('calls', 'CallTime')],
  ['launches', figures('launches', 'LaunchStatistics')],
  ['queues', figures('queue', 'QueueUse')],
  ['idle', figures('idle', 'StreamIdle')],
  ['bandwidth', figures('copyBandwidth', 'BandwidthUse')],
  ['criticalPath.parts', figures('criticalPath', 'PathPart')],
  ['operations', figures('operations', 'OperationRow')],
  ['verdicts', ['core/explain/verdicts/verdict.ts', 'Verdict']],
  ['remedies', ['core/explain/remedies/remedy.ts', 'Remedy']],
  ['plan of an experiment', ['core/explain/remedies/plan.ts', 'PlannedChanges']],
  ['Of a real program', answers('TraceAnswers')],
  ['steps', answers('StepsAnswer')],
  ['plan', ['core/lift/plan.ts', 'Remedy'], answers('RemedyAnswer')],
  ['planSteps', ['core/lift/planSteps.ts', 'PlanStep']],
  ['ranks', ['core/lift/ranks.ts', 'RankAnswer']],
];

export function summaryText(): string {
  seen.clear();
  const objects = summaryObjects.map(([title, ...interfaces]) => `## ${title}\n\n${interfacesText(...interfaces)}`);
  return [...objects, `## Causes of verdicts\n\n${listText('core/explain/verdicts/verdict.ts', 'causes')}`].join(
    '\n\n',
  );
}

/** Texts of fields that the page has. */
const seen = new Set<string>();

/** Returns the fields of interfaces with their comments. Neighbours without a comment, or with a known one, share a line. */
function interfacesText(...interfaces: readonly Interface[]): string {
  const lines: string[] = [];
  let plain: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) lines.push(`- ${plain.join(', ')}`);
    plain = [];
  };
  for (const { name, text } of interfaces.flatMap(([path, one]) => membersOf(path, one))) {
    const line = `- ${code(name)}: ${text}`;
    if (text === '' || seen.has(line)) plain.push(code(name));
    else {
      flush();
      lines.push(line);
      seen.add(line);
    }
  }
  flush();
  return lines.join('\n');
}

function membersOf(path: string, interfaceName: string): { readonly name: string; readonly text: string }[] {
  const { program, textBefore } = parsed(path);
  const declarations = program.body.map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node));
  const members = declarations.flatMap((node) =>
    node?.type === 'TSInterfaceDeclaration' && node.id.name === interfaceName ? node.body.body : [],
  );
  if (members.length === 0) throw new Error(`${path} has no interface ${interfaceName}.`);
  return members.flatMap((member) =>
    member.type === 'TSPropertySignature' && member.key.type === 'Identifier'
      ? [{ name: member.key.name, text: withoutKnown(textBefore(member.start)) }]
      : [],
  );
}

/** Leaves out what the page says once: when a value is null, and how lanes are named. */
const withoutKnown = (text: string): string =>
  text
    .replace(/(^|;|(?<=\.)) ?null\b[^.;]*\.?$/i, '')
    .replace(
      /^(Lane id( of the (stream|host thread)|, (as|such as) '.*')|For example '.*')\.$|(^|; )-1 (where|if) .*/,
      '',
    )
    .replace(/(\w)$/, '$1.');

/** Returns the strings of a list with the comment before each. */
function listText(path: string, listName: string): string {
  const { program, source, textBefore } = parsed(path);
  const list = program.body.flatMap((node) => {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    return declaration?.type === 'VariableDeclaration' ? declaration.declarations : [];
  });
  const value = list.find(({ id }) => id.type === 'Identifier' && id.name === listName)?.init;
  const array = value?.type === 'TSAsExpression' ? value.expression : value;
  if (array?.type !== 'ArrayExpression') throw new Error(`${path} has no list ${listName}.`);
  const lines: { readonly names: string[]; readonly text: string }[] = [];
  for (const item of array.elements) {
    if (item === null) continue;
    const name = code(source.slice(item.start, item.end).replaceAll("'", ''));
    const text = textBefore(item.start);
    // One without a comment has that of the item before it.
    if (text === '') lines.at(-1)?.names.push(name);
    else lines.push({ names: [name], text });
  }
  return lines.map(({ names, text }) => `- ${names.join(', ')}: ${text}`).join('\n');
}

function parsed(path: string) {
  const source = readFileSync(join(root, path), 'utf8');
  const { program, comments } = parseSync(path, source);
  /** Returns the comment that ends right before a place, without its stars and line ends. */
  const textBefore = (place: number): string => {
    const comment = comments.findLast(({ end }) => end <= place && /^\s*$/.test(source.slice(end, place)));
    return (comment?.value ?? '')
      .replace(/^\s*\*+/gm, '')
      .replace(/\s+/g, ' ')
      .trim();
  };
  return { source, program, textBefore };
}
