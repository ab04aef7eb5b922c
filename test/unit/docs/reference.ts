/** Makes the parts of docs/reference that follow from the code: rules, parameters, commands, fields of documents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Command, Option } from 'commander';
import { parseSync } from 'vite';
import { documentSchema, type JsonSchema } from '../../../core/apps/jsonSchema.ts';
import { groupBy } from '../../../core/groupBy.ts';
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
  ['CUDA C++ Programming Guide: ', ''],
  ['CUDA Runtime API: API synchronization behavior', 'API: synchronization'],
  ['CUDA Runtime API: Stream synchronization behavior', 'API: stream synchronization'],
  ['CUDA Runtime API: ', 'API: '],
  ['API: Stream management: ', 'API: '],
  ['API: Graph management: ', 'API: '],
  ['PyTorch notes: CUDA semantics: ', 'Semantics: '],
  ['PyTorch tutorials: A guide on good usage of non_blocking and pin_memory()', 'Tutorial'],
];

export const rulesText = (): string => rules.map(ruleText).join('\n\n');

function ruleText({ id, title, statement, sources }: Rule): string {
  const documents = sources.filter(({ kind }) => kind === 'documentation');
  const from = (documents.length === 0 ? sources : documents).slice(0, 1).map((source) => {
    if (source.kind === 'measurement') return 'Measured';
    const name = describeSource(source);
    const link = sourceLink(name);
    const short = shortNames.reduce((text, [long, other]) => text.replace(long, other), name);
    return link === null ? short : `[${short}](${link})`;
  });
  return `**${title}** (${code(id)}). ${statement} ${from.join('; ')}.`;
}

/** Returns the parameters, those with the same text in one line. */
export function parametersText(): string {
  const entries = parameterNames.map((parameter) => {
    const { by, without, what, probe } = parameterOf(parameter);
    const mark = without === undefined ? '' : without === null ? '?' : `=${without}`;
    const measured = probe === null ? '\\*' : '';
    return { name: `${code(`${parameter}${mark}`)}${measured}${by === undefined ? '' : ` (${by})`}`, text: what };
  });
  return sharedLines(entries).join('\n');
}

/** Options and arguments that the page explains once, for all commands. */
const commonOptions = /^--(json|profile <name>|engine <engine>|steps <from\.\.to>|slurm)$/;
const commonArgument = /^(run \(Arrow\),|experiment \(JSON\), or a run)/;

/** Returns each command with its arguments and options, in the words of --help. */
export const commandsText = (program: Command): string => innerTexts(program, [], new Set()).join('\n\n');

const innerTexts = (command: Command, parents: readonly string[], known: Set<string>): string[] =>
  (command.createHelp().visibleCommands(command) as Command[]).flatMap((inner) =>
    inner.name() === 'help' ? [] : commandText(inner, parents, known),
  );

/** Options whose texts are known from an earlier command stand in its heading. */
function commandText(command: Command, parents: readonly string[], known: Set<string>): string[] {
  const names = [...parents, command.name()];
  if (command.commands.length > 0) return innerTexts(command, names, known);
  const typed = command.registeredArguments.map((one) => {
    const name = `${one.name()}${one.variadic ? '...' : ''}`;
    return one.required ? `<${name}>` : `[${name}]`;
  });
  const isCommon = ({ flags, argChoices }: Option): boolean =>
    commonOptions.test(flags) && (argChoices === undefined || argChoices.length === engineKinds.length);
  const options = command.options.filter(({ hidden }) => !hidden);
  const isKnown = (option: Option): boolean => known.has(Object.values(optionText(option)).join());
  const brief = options.filter((option) => isCommon(option) || isKnown(option));
  const own = options.filter((option) => !brief.includes(option)).map(optionText);
  for (const entry of own) known.add(Object.values(entry).join());
  const entries = [
    ...command.registeredArguments.flatMap(({ description }, index) =>
      commonArgument.test(description) ? [] : [{ name: code(typed[index] ?? ''), text: sentence(description) }],
    ),
    ...own,
  ];
  const lines = sharedLines(entries);
  const usage = code([...names, ...typed, ...brief.map(({ long }) => `[${long}]`)].join(' '));
  const head = `### ${usage}\n\n${sentence(command.description())}`;
  return [lines.length === 0 ? head : `${head}\n\n${lines.join('\n')}`];
}

interface Entry {
  readonly name: string;
  readonly text: string;
}

/** Returns a line for each text, with all names that have it, and one for the names without a text. */
const sharedLines = (entries: readonly Entry[]): string[] =>
  [...groupBy(entries, ({ text }) => text)].map(
    ([text, same]) => `- ${same.map(({ name }) => name).join(', ')}${text === '' ? '' : `: ${text}`}`,
  );

function optionText({ flags, description, argChoices }: Option): Entry {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const text = choices !== '' && / of the /.test(description) ? '' : sentence(withoutChanges(description));
  // A value may follow a space or an equals sign.
  return { name: `${code(flags.replace(' ', '='))}${choices}`, text };
}

const withoutChanges = (text: string): string =>
  text.replace(changeWords.join(', '), '[words](../guide/traces.md#the-changes)');

/**
 * Returns the fields of a document, object by object, as `name`, `name?` if it may be left out, and `name=value` with
 * its default; a|b are possible values. Fields of which several operations have the same text are described once.
 */
export function fieldsText(): string {
  const schema = documentSchema('experiment');
  const known = new Set<string>();
  const top = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = typeof field.items === 'object' ? field.items : field;
    const fields = Object.entries(inner.properties ?? {});
    const line = `- ${signature(schema, name, field)}: ${field.description}`;
    const lines = fields
      .filter(([key]) => key !== 'id')
      .map(([key, one]) => `  - ${signature(inner, key, one)}: ${one.description}${choicesText(one, '    ')}`);
    const fresh = lines.filter((text) => !known.has(text));
    const plain = lines.filter((text) => known.has(text)).map((text) => text.replace(/^ {2}- |: .*/g, ''));
    for (const text of lines) known.add(text);
    return [line, ...(plain.length === 0 ? [] : [`  - ${plain.join(', ')}`]), ...fresh];
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
  const brief = operations.flatMap(fieldsOf).filter(([name, { description = '' }]) => repeatsName(name, description));
  const isBrief = (text: string): boolean => brief.some((field) => textOf(field) === text);
  const shared = new Set(texts.filter((text, place) => texts.indexOf(text) !== place));
  const isInAll = (name: string): boolean => operations.every((one) => one.properties?.[name] !== undefined);
  const lines = operations.map((operation) => {
    const fields = fieldsOf(operation).filter(([name]) => !isInAll(name) && name !== 'recorded');
    const isShared = (field: readonly [string, JsonSchema]): boolean => shared.has(textOf(field));
    // Fields with kinds come last, since their kinds are lines of their own.
    const order = fields.sort(([, a], [, b]) => Number(a.oneOf !== undefined) - Number(b.oneOf !== undefined));
    const texts = order.map((field) => {
      const [name, { description = '' }] = field;
      const isAsSource = name.startsWith('dst') && name !== 'dst';
      const own = isAsSource || isShared(field) || repeatsName(name, description) ? '' : `: ${description}`;
      return ` ${signature(operation, ...field)}${own}${isPattern(field[1]) ? '' : choicesText(field[1])}`;
    });
    return { op: `**${operation.properties?.['op']?.const}**`, texts: texts.join('') };
  });
  // Operations with the same fields share a line.
  const grouped = lines.filter(({ texts }, place) => lines.findIndex((one) => one.texts === texts) === place);
  const namesOf = (text: string): string => lines.flatMap(({ op, texts }) => (texts === text ? [op] : [])).join(', ');
  return [
    ...[...shared].filter((text) => !isBrief(text)).map((text) => `- ${text}`),
    '\nEach operation with its fields:\n',
    ...grouped.map(({ texts }) => `- ${namesOf(texts)}${texts}`),
  ].join('\n');
}

/** Returns whether a text says nothing that the name of its field doesn't say. */
const repeatsName = (name: string, text: string): boolean =>
  new RegExp(`^((number|share|type|id|name) of (an? |the )?\\w+|${name.replace(/Ns$/, '')})\\.$`, 'i').test(text);

const kindsOf = (choices: readonly JsonSchema[]): unknown[] =>
  choices.map(({ properties }) => properties?.['kind']?.const);

/** Returns the fields of each kind, for fields that have kinds. Kinds with the same fields share a line. */
function choicesText({ oneOf = [], properties }: JsonSchema, indent = '  '): string {
  const kinds = oneOf.map((choice) => {
    const fields = Object.entries(choice.properties ?? {}).filter(([name]) => name !== 'kind');
    const texts = fields.map(([name, field]) => {
      const { description = '' } = field;
      return `${signature(choice, name, field)}${repeatsName(name, description) ? '' : ` ${description}`}`;
    });
    return { kind: code(String(choice.properties?.['kind']?.const)), fields: texts.join(' ') };
  });
  const lines = [...groupBy(kinds, ({ fields }) => fields)].map(
    ([fields, same]) => `\n${indent}- ${same.map(({ kind }) => kind).join(', ')}${fields === '' ? '' : `: ${fields}`}`,
  );
  const inner = Object.entries(properties ?? {}).map(
    ([name, { description = '' }]) => `${code(name)}${repeatsName(name, description) ? '' : `: ${description}`}`,
  );
  return [...lines, ...(inner.length === 0 ? [] : [` ${inner.join(' ')}`])].join('');
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

/** Returns the fields of interfaces with their comments. Fields without one, or with a known one, come first, in a line. */
function interfacesText(...interfaces: readonly Interface[]): string {
  const fields = interfaces.flatMap(([path, one]) => membersOf(path, one));
  const plain = fields.filter(({ name, text }) => text === '' || seen.has(`${name}: ${text}`));
  const lines = fields.filter((field) => !plain.includes(field)).map(({ name, text }) => `- ${code(name)}: ${text}`);
  for (const { name, text } of fields) seen.add(`${name}: ${text}`);
  return [...(plain.length === 0 ? [] : [`- ${plain.map(({ name }) => code(name)).join(', ')}`]), ...lines].join('\n');
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

/** Leaves out what the page says once: when a value is null, how lanes are named, and the divisors of shares and rates. */
const withoutKnown = (text: string): string =>
  text
    .replace(/(^|;|(?<=\.)) ?null\b[^.;]*\.?$/i, '')
    .replace(/^\w+ divided by .*/, '')
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
  const entries = array.elements.flatMap((item) =>
    item === null
      ? []
      : [{ name: code(source.slice(item.start, item.end).replaceAll("'", '')), text: textBefore(item.start) }],
  );
  return sharedLines(entries).join('\n');
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
