/** `copyscope gate`: checks a trace or an experiment against limits, for CI. */
import { extname, isAbsolute, relative } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { figureFacts, type GateFigure, gateFigures } from '../../../core/apps/gate/figures.ts';
import { githubOf, junitOf } from '../../../core/apps/gate/formats/ci.ts';
import { sarifOf } from '../../../core/apps/gate/formats/sarif.ts';
import { type GateInput, gate } from '../../../core/apps/gate/gate.ts';
import { amountExample, noRules, parseGateRules, parseLimit } from '../../../core/apps/gate/parse.ts';
import type { GateFinding, GateReport, GateResult, GateStatus } from '../../../core/apps/gate/report.ts';
import type { GateRules } from '../../../core/apps/gate/rules.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { maxExperimentCharacters } from '../../../core/experiment/parse.ts';
import { readBoundedText, writeWhole } from '../../files/files.ts';
import { programVersion } from '../../paths.ts';
import { readInputFile } from '../inputFile.ts';
import type { Colors, Context } from '../io.ts';
import { limited, wrap } from '../render/text.ts';
import type { StepsOption } from '../traceAnswers.ts';
import { simulated, type Tools } from './run.ts';

/** Returns a gate's report as text: each limit, what breaks it, where, and the remedy. */
function drawGate(report: GateReport, columns: number, colors: Colors): string[] {
  const { name, origin, passed, steps, baseline, results, allowed, notes } = report;
  const against = baseline === null ? '' : `; baseline: ${baseline.name}, ${baseline.steps} steps, ${baseline.origin}`;
  return [
    `${colors.bold(name)}: ${steps.count} ${steps.count === 1 ? 'step' : 'steps'} (${steps.rule}), ${origin}${against}`,
    ...results.flatMap((result) => drawResult(result, columns, colors)),
    ...allowed.flatMap(({ what, reason, times }) => wrap(`Allowed ${times}×: ${what} (${reason})`, columns, '')),
    ...notes.flatMap((note) => wrap(`Note: ${note}`, columns, '')),
    passed ? colors.green('Passed: no limit is broken.') : colors.red('Failed.'),
  ];
}

const marks: Readonly<Record<GateStatus, string>> = { kept: '[kept]', broken: '[broken]', undecided: '[undecided]' };

function drawResult({ figure, status, message, findings }: GateResult, columns: number, colors: Colors): string[] {
  const color = { kept: colors.green, broken: colors.red, undecided: colors.yellow }[status];
  const [first = '', ...rest] = wrap(`${marks[status]} ${figure}: ${message}`, columns, '  ');
  return [color(first.slice(2)), ...rest, ...limited(findings.flatMap((finding) => drawFinding(finding, columns)))];
}

const drawFinding = ({ message, because, remedy }: GateFinding, columns: number): string[] => [
  ...wrap(message, columns, '  '),
  ...wrap(because === null ? remedy : `${because.replace(/\.?$/, '.')} ${remedy}`, columns, '    '),
];

export const gateFormats = ['text', 'json', 'sarif', 'junit', 'github'] as const;
type GateFormat = (typeof gateFormats)[number];
type FileFormat = Exclude<GateFormat, 'text'>;

export interface GateCommandOptions {
  readonly rules?: string | undefined;
  readonly limit: ReadonlyMap<GateFigure, number>;
  readonly baseline?: string | undefined;
  readonly steps?: StepsOption | undefined;
  readonly profile?: string | undefined;
  readonly format: GateFormat;
  readonly out: readonly string[];
  readonly json: boolean;
}

const mostRulesBytes = 4 * 1024 * 1024;

/** Rejects, after printing, with `gate.broken` if a limit is broken, and with `gate.undecided` if one can't be judged. */
export async function gateCommand(tools: Tools, file: string, options: GateCommandOptions): Promise<void> {
  const { context } = tools;
  context.leaveAtOnce();
  const written = options.out.map((path) => ({ path, format: formatOf(path) }));
  const rules = await rulesOf(options);
  const input = await readInput(tools, file, options.profile);
  const baseline = options.baseline === undefined ? null : await readInput(tools, options.baseline, options.profile);
  const report = gate(input, rules, baseline);
  for (const { path, format } of written) await writeWhole(path, reportText(report, format, context));
  const format = options.json ? 'json' : options.format;
  if (format === 'json') await context.terminal.json(report);
  else if (format === 'text') context.terminal.out(drawGate(report, context.terminal.columns, context.terminal.colors));
  else context.terminal.write(reportText(report, format, context));
  requireKept(report);
  requireJudged(report, rules);
  // Limits may hold only in the readable part of a damaged trace.
  const { error } = input.run.info;
  if (error !== undefined) throw new CopyscopeError(error);
}

/** Parses --limit. */
export function gateLimit(text: string, limits: ReadonlyMap<GateFigure, number>): ReadonlyMap<GateFigure, number> {
  const found = parseLimit(text);
  if (found !== null) return new Map([...limits, found]);
  const figure = gateFigures.find((one) => text.startsWith(`${one}=`));
  throw new InvalidArgumentError(
    figure === undefined
      ? `It must be a figure and an amount, as waitingCalls=1. Figures are ${gateFigures.join(', ')}.`
      : `${figure} must be ${amountExample[figureFacts[figure].unit]}.`,
  );
}

/** Flags take precedence over the file. */
async function rulesOf({ rules: path, limit, steps }: GateCommandOptions): Promise<GateRules> {
  const rules = path === undefined ? noRules : parseGateRules(await readBoundedText(path, mostRulesBytes));
  return { ...rules, limits: new Map([...rules.limits, ...limit]), steps: steps ?? rules.steps };
}

async function readInput(tools: Tools, file: string, profile: string | undefined): Promise<GateInput> {
  const input = await readInputFile(file, tools.context);
  if (input.kind === 'run') return { run: input.run, file: null, nameOfFile: fromHere };
  const text = await readBoundedText(file, 4 * maxExperimentCharacters);
  return { run: await simulated(tools, input.experiment, profile), file: { name: fromHere(file), text } };
}

/** Returns the path relative to the working folder if it is below it, as CI names files. */
function fromHere(file: string): string {
  if (!isAbsolute(file)) return file;
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

const formatsByEnding: Readonly<Record<string, FileFormat>> = { '.sarif': 'sarif', '.xml': 'junit', '.json': 'json' };

function formatOf(path: string): FileFormat {
  const format = formatsByEnding[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new CopyscopeError({
    code: 'usage.invalid',
    field: '--out',
    message: `${path} has no ending of a known format.`,
    remedy: 'End it in .sarif, .xml (JUnit) or .json.',
  });
}

function reportText(report: GateReport, format: FileFormat, { program }: Context): string {
  switch (format) {
    case 'sarif':
      return sarifOf(report, programVersion(program));
    case 'junit':
      return junitOf(report);
    case 'github':
      return githubOf(report);
    default:
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}

function requireKept({ results }: GateReport): void {
  const broken = results.filter(({ status }) => status === 'broken');
  const [first] = broken;
  if (first === undefined) return;
  throw new CopyscopeError({
    code: 'gate.broken',
    field: first.figure,
    message: broken.length === 1 ? '1 limit is broken.' : `${broken.length} limits are broken.`,
    remedy: first.findings[0]?.remedy ?? figureFacts[first.figure].remedy,
  });
}

/** Requires a judgement of all figures in the rules' baseline. Without one, other figures are only reported. */
function requireJudged({ results }: GateReport, { baseline }: GateRules): void {
  const undecided = results.find(({ status, figure }) => status === 'undecided' && baseline?.figures.includes(figure));
  if (undecided === undefined) return;
  throw new CopyscopeError({
    code: 'gate.undecided',
    field: undecided.figure,
    message: undecided.message,
    remedy: 'Record at least 4 steps of both, or take the figure out of the rules’ baseline.',
  });
}
