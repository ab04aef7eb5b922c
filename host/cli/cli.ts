/** The command line: options and commands. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type DocumentKind, documentKinds, documentSchema } from '../../core/apps/jsonSchema.ts';
import { codeLanguages } from '../../core/code/code.ts';
import { CopyscopeError, describeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { exportFormats } from '../../core/export/formats.ts';
import { type ChangeWord, changeWords, isChangeWord } from '../../core/lift/changes/words.ts';
import { engineKinds } from '../../core/program/engineKind.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { Assets } from '../library/assets.ts';
import { dataFolder, ownProfilesFolder, programVersion } from '../paths.ts';
import type { StepSpan } from '../record/recordSettings.ts';
import { runTask } from '../slurm/task.ts';
import { type AttachOptions, attach } from './commands/attach.ts';
import { type BenchOptions, bench } from './commands/bench.ts';
import { type ExportOptions, exportBundle, importBundle } from './commands/bundle.ts';
import { type CalibrateOptions, calibrateMachine } from './commands/calibrate.ts';
import { printCaptured } from './commands/captured.ts';
import { check } from './commands/check.ts';
import { type CodeOptions, code } from './commands/code.ts';
import { type CompareOptions, compare } from './commands/compare.ts';
import { type ConnectCommandOptions, connectHost, connectThere, connectTo } from './commands/connect.ts';
import { devices } from './commands/devices.ts';
import { type ExportRunOptions, exportFile } from './commands/export.ts';
import { type GateCommandOptions, gateCommand, gateFormats, gateLimit } from './commands/gate.ts';
import { type LiftCommandOptions, lift } from './commands/lift.ts';
import { type RecordOptions, record } from './commands/record.ts';
import { type ReportCommandOptions, report } from './commands/report.ts';
import { type ExplainOptions, explain, type PredictOptions, predict, type RunOptions, run } from './commands/run.ts';
import { type ServeOptions, serve } from './commands/serve.ts';
import { asJob, type SlurmSetOptions, setSlurm, showSlurm } from './commands/slurm.ts';
import { type SweepOptions, sweep } from './commands/sweep.ts';
import { exitCodeHelp, exitCodeOf, exitCodes } from './exitCodes.ts';
import { refuseUnused } from './inputFile.ts';
import type { Context } from './io.ts';

/** `copyscope schema`: the JSON Schema of a document, for editors and other programs. */
async function printSchema({ terminal }: Context, kind: DocumentKind): Promise<void> {
  await terminal.json(documentSchema(kind));
}

/** Runs one command to its end. Returns our exit code, or a recorded program's. Never rejects. */
export async function runCli(args: readonly string[], context: Context): Promise<number> {
  const { terminal } = context;
  const engine = new EngineSupervisor({ spawn: context.spawnEngine, cancelGraceMs: context.cancelGraceMs });
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : undefined);
  let exitCode: number = exitCodes.ok;
  const ended = (code: number): void => {
    exitCode = code;
  };
  try {
    const ofJob = [...own.filter((word) => word !== '--slurm'), ...args.slice(own.length)];
    const cli = commands(context, engine, ofJob, ended);
    const [first = ''] = args;
    // A file alone opens in the window.
    const isFile = !first.startsWith('-') && !cli.commands.some((one) => one.name() === first) && existsSync(first);
    await cli.parseAsync(isFile ? ['serve', '--open', ...args] : args, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    const error = thrown instanceof CommanderError ? usageError(thrown) : toErrorInfo(thrown);
    terminal.err(own.includes('--json') ? JSON.stringify({ error }) : describeForPeople(error, context));
    return exitCodeOf(error);
  } finally {
    engine.close();
  }
}

/** `ofJob` is the command line without --slurm, which a job of Slurm runs. */
export function commands(
  context: Context,
  engine: EngineSupervisor,
  ofJob: readonly string[],
  ended: (exitCode: number) => void,
): Command {
  const { terminal, program, environment } = context;
  const tools = {
    context,
    engine,
    assets: new Assets(join(program, 'assets'), ownProfilesFolder(dataFolder(environment))),
  };
  const cli = new Command('copyscope')
    .description('Runs CUDA transfer experiments on a real or simulated GPU, and shows what overlapped and why.')
    .version(programVersion(program))
    .addHelpText('after', exitCodeHelp)
    .showHelpAfterError('(copyscope --help shows what can be typed)')
    .exitOverride()
    // runCli prints errors of use, once.
    .configureOutput({ writeOut: terminal.write, writeErr: () => {} });

  cli
    .command('devices')
    .description('the GPUs of this machine, and which engines can run')
    .addOption(json('print the report as JSON'))
    .action((options: { json: boolean }) => devices(context, engine, options.json));

  cli
    .command('run')
    .description('execute an experiment, draw its lanes, and say what overlapped and why')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run whose experiment is executed again'))
    .addOption(new Option('--engine <engine>', 'default: cuda where there is a GPU, else sim').choices(engineKinds))
    .option('--profile <name>', 'device profile for the simulator (see assets/profiles)')
    .option('--iterations <n>', 'recorded iterations, instead of those the experiment asks for', count(1, 1000))
    .option('--out <run.arrow>', 'keep the run as an Arrow file')
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: RunOptions) => run(tools, file, options));

  cli
    .command('predict')
    .description('simulate an experiment, draw the lanes it would have, and say what would overlap and why')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run whose experiment is simulated'))
    .option('--profile <name>', 'device profile (see assets/profiles)')
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: PredictOptions) => predict(tools, file, options));

  cli
    .command('check')
    .description('find races and other hazards in an experiment, without running it')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run, which shows what its data check found'))
    .addOption(json('print the hazards as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: { json: boolean }) => check(context, file, options));

  cli
    .command('gate')
    .description('hold a trace or an experiment against limits, for CI: exit code 6 where one is broken')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace of the PyTorch profiler, or experiment, which is simulated'),
    )
    .option('--rules <file.json>', 'limits, what a baseline is compared in, and what is allowed')
    .option('--limit <figure=amount>', 'a limit, as pageableBytes=1MiB; may be given again', gateLimit, new Map())
    .option('--baseline <file>', 'a run, trace or experiment that this one is compared with')
    .addOption(stepsOption())
    .option('--profile <name>', 'device profile for what is simulated')
    .addOption(new Option('--format <format>', 'what is printed').choices(gateFormats).default('text'))
    .option('--out <file>', 'also write .sarif, .xml (JUnit) or .json there; may be given again', several, [])
    .addOption(json('print the report as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: GateCommandOptions) => gateCommand(tools, file, options));

  cli
    .command('explain')
    .description('explain a run; an experiment is simulated first')
    .addArgument(
      new Argument(
        '<file...>',
        'run (Arrow), trace of the PyTorch profiler (JSON, JSON.gz) or of Nsight Systems (SQLite), or experiment (JSON); of a job the trace of each rank, or the folder that holds them',
      ),
    )
    .option('--profile <name>', 'device profile: for an experiment, or for what a trace does not tell')
    .addOption(stepsOption())
    .option(
      '--try <changes>',
      `what these changes to a trace's program gain, comma-separated: ${changeWords.join(', ')}`,
      words,
    )
    .option('--step-ms <ms>', "a step of the trace's program without the profiler, where you know it", positive)
    .addOption(
      new Option(
        '--captured',
        'print nothing but how the programs of an Nsight Systems export were started: may hold secrets',
      ),
    )
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((files: string[], { captured, ...options }: ExplainOptions & { captured?: boolean }) => {
      if (captured !== true) return explain(tools, files, options);
      refuseUnused({ '--captured': files.length > 1 ? captured : undefined }, 'one file');
      return printCaptured(tools.context, files[0] ?? '', options.json);
    });

  cli
    .command('record')
    .description("record what a program's own run does on the GPU, without a change to it")
    .addArgument(new Argument('[program...]', 'the program and its arguments, behind --: -- python train.py'))
    .option('--light', 'without kernels, which cost the most: copies, waits, memory and lines', false)
    .option('--no-lines', 'without the Python stack of each copy and waiting call')
    .option('--delay <s>', 'seconds from the initialisation of CUDA to the start', positive)
    .option('--duration <s>', 'seconds to record', positive)
    .addOption(spansOption())
    .option('--step-range <name>', 'with --steps: the NVTX range that is a step')
    .option('--slurm', 'as a job of Slurm', false)
    .option('--parts <folder>', 'start no program: make the run of what an interrupted recording left there')
    .option('--out <run.arrow>', 'where the run goes (default: recording.arrow, or the next name that is free)')
    .addHelpText('after', exitCodeHelp)
    .action(async (program: string[], { slurm, ...options }: RecordOptions & { slurm: boolean }) =>
      ended(await (slurm ? asJob(context, ofJob, 'cuda', false) : record(context, program, options))),
    );

  cli
    .command('attach')
    .description('record a Python program that runs already, and explain what was recorded')
    .addArgument(
      new Argument('<pid>', 'its process, which has called copyscope.on_signal()').argParser(count(1, 2 ** 31 - 1)),
    )
    .option('--steps <n>', 'this many steps; without it a stretch of time', count(1, 10_000))
    .option('--duration <s>', 'record for this many seconds (default: 10)', positive)
    .option('--light', 'without kernels, which cost the most', false)
    .option('--open', 'open the run in the browser instead of printing what it says', false)
    .option('--out <run.arrow>', 'where the run goes (default: recording.arrow, or the next name that is free)')
    .addHelpText('after', exitCodeHelp)
    .action((pid: number, options: AttachOptions) => attach(tools, pid, options));

  cli
    .command('mcp')
    .description('tools for an assistant, which starts this and talks over standard input and output (MCP)')
    .addArgument(new Argument('[folders...]', 'folders that it may read and write in (default: this one)'))
    .option('--allow-record', 'let it run programs, to record them', false)
    .action(async (folders: string[], { allowRecord }: { allowRecord: boolean }) => {
      // Loaded only if it is used: it is a large part of the program.
      const { mcp } = await import('./commands/mcp.ts');
      await mcp(tools, folders, allowRecord);
    });

  cli
    .command('lift')
    .description("make an experiment of a real program's trace")
    .addArgument(new Argument('<trace>', 'trace of the PyTorch profiler (JSON, JSON.gz) or of Nsight Systems (SQLite)'))
    .requiredOption('--out <file.json>', 'keep the experiment there; never over a file that is there')
    .addOption(stepsOption())
    .option('--try <changes>', 'with these changes made', words)
    .option('--profile <name>', 'device profile for what the trace does not tell')
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: LiftCommandOptions) => lift(tools, file, options));

  cli
    .command('export')
    .description('a run or trace in the format of another viewer, Perfetto or the PyTorch profiler, or as a CSV table')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace of the PyTorch profiler, or experiment, which is simulated first'),
    )
    .addOption(new Option('--format <format>', 'what to write').choices(exportFormats).makeOptionMandatory())
    .option('--out <file>', 'write this file; by default one in this folder, named after the run; never over a file')
    .option('--iteration <n>', 'this iteration alone, counted from 0', count(0, 2 ** 31 - 1))
    .option('--profile <name>', 'device profile, for an experiment')
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: ExportRunOptions) => exportFile(tools, file, options));

  cli
    .command('report')
    .description('a run, two compared, or a sweep as one HTML file that opens anywhere, with its lanes')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace, experiment, which is simulated, or sweep, whose points are run'),
    )
    .argument('[other]', 'another run, trace or experiment, which is compared with the first')
    .option(
      '--out <file.html>',
      'write this file; by default one in this folder, named after its title; never over a file',
    )
    .option(
      '--with-paths',
      'keep paths, names of users and hosts, environment variables and options of commands',
      false,
    )
    .addOption(stepsOption())
    .option('--try <changes>', "lanes before and after these changes to a trace's program", words)
    .option('--profile <name>', 'device profile for what is simulated, or for what a trace does not tell')
    .addOption(
      new Option('--engine <engine>', 'for a sweep; default: cuda where there is a GPU, else sim').choices(engineKinds),
    )
    .option('--iterations <n>', 'for a sweep: recorded iterations of each point', count(1, 1000))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, other: string | undefined, options: ReportCommandOptions) =>
      report(tools, file, other, options),
    );

  cli
    .command('compare')
    .description('compare two runs: differences, and whether they exceed the spread of iterations')
    .addArgument(
      new Argument(
        '<a>',
        'run (Arrow), trace of the PyTorch profiler or Nsight Systems, or experiment, which is simulated',
      ),
    )
    .addArgument(new Argument('[b]', "another; left out, what is simulated for a's experiment"))
    .option('--profile <name>', 'device profile for what is simulated')
    .option('--all', 'every operation, not only those that differ most', false)
    .addOption(json('print the comparison as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((a: string, b: string | undefined, options: CompareOptions) => compare(tools, a, b, options));

  cli
    .command('code')
    .description('write an experiment as a program that does the same, in CUDA C++ or PyTorch')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run, whose experiment is written'))
    .addOption(new Option('--language <language>', 'of the program').choices(codeLanguages).makeOptionMandatory())
    .option('--remedy', 'as the remedy makes it that gains most; comments mark what it adds and changes')
    .option('--out <file>', 'write it there instead of to stdout; never over a file that is there')
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: CodeOptions) => code(tools, file, options));

  cli
    .command('sweep')
    .description('run an experiment or a template with one or two of its numbers varied')
    .addArgument(new Argument('<file>', 'sweep (JSON): what is varied, and over which values'))
    .addOption(new Option('--engine <engine>', 'default: cuda where there is a GPU, else sim').choices(engineKinds))
    .option('--profile <name>', 'device profile for the simulator (see assets/profiles)')
    .option('--iterations <n>', 'recorded iterations of each point', count(1, 1000))
    .option('--slurm', 'run as Slurm jobs', false)
    .option('--points-per-job <n>', 'with --slurm: how many points each job runs (default: 1)', count(1, 1000))
    .option('--again', 'with --slurm: also points that failed by themselves', false)
    .option('--out <folder>', 'keep the run of each point as an Arrow file in this folder')
    .addOption(json('print the figures as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((file: string, options: SweepOptions) => sweep(tools, file, options));

  cli
    .command('bench')
    .description("measure this machine's copies, launches and kernels as calibrate does, and print the figures")
    .option('--quick', 'fewer iterations and no copies above 16 MiB', false)
    .addOption(json('print the figures as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action((options: BenchOptions) => bench(tools, options));

  cli
    .command('calibrate')
    .description('measure this machine and write a device profile for the simulator: a few minutes')
    .addOption(
      new Option('--engine <engine>', 'sim writes what a profile already says, to try this out')
        .choices(['cuda', 'sim'])
        .default('cuda'),
    )
    .option('--profile <name>', 'device profile for the simulator, where that is the engine')
    .option('--name <name>', 'name of the new profile; made of the name of the device where left out')
    .option('--base <name>', 'profile that has what no experiment tells', 'h200')
    .option('--out <file.json>', 'write it there instead of among your profiles')
    .option('--blocks <file.json>', 'measure copies of blocks instead, and write the fastest strategies there')
    .option('--slurm', 'as a job of Slurm', false)
    .option('--quick', 'fewer iterations and no copies above 16 MiB', false)
    .addOption(json('print the profile as JSON, and nothing else on stdout'))
    .addHelpText('after', exitCodeHelp)
    .action(async ({ slurm, ...options }: CalibrateOptions & { slurm: boolean }) => {
      if (slurm) ended(await asJob(context, ofJob, options.engine, !options.json));
      else await calibrateMachine(tools, options);
    });

  cli
    .command('schema')
    .description('print the JSON Schema of a document, by which editors complete and check')
    .addArgument(new Argument('[document]', 'which one').choices(documentKinds).default('experiment'))
    .action((kind: DocumentKind) => printSchema(context, kind));

  const bundle = cli.command('bundle').description('experiments, sweeps and runs with their notes, as one file');
  bundle
    .command('export')
    .description('pack all of your own experiments, runs and sweeps, or those that are named')
    .addArgument(new Argument('<file.copyscope>', 'file to write; never over one that is there'))
    .option('--experiment <id>', 'an experiment of the library; may be given again', several, [])
    .option('--run <id>', 'a run of the library; may be given again', several, [])
    .option('--sweep <id>', 'a sweep of the library with the runs of its points; may be given again', several, [])
    .addOption(json('print what was packed as JSON'))
    .action((file: string, options: ExportOptions) => exportBundle(context, file, options));
  bundle
    .command('import')
    .description('add what is in a bundle to the library: all of it but sweeps that are damaged, or nothing')
    .addArgument(new Argument('<file>', 'a bundle; a run, an experiment or a trace is added as well'))
    .addOption(json('print the new ids as JSON'))
    .action((file: string, options: { json: boolean }) => importBundle(context, file, options));

  const slurm = cli
    .command('slurm')
    .description('what sweep, calibrate and record --slurm submit jobs with, on a login node of the cluster');
  slurm
    .command('set')
    .description('keep what jobs are submitted with; what is not named stays, "" removes it')
    .option('--partition <name>', 'as sbatch takes it')
    .option('--account <name>', 'as sbatch takes it')
    .option('--gpus <gpus>', 'what a job needs, as 1, h200 or h200:2 (default: 1)')
    .option('--time <time>', 'limit of a job, in minutes or as sbatch takes it')
    .option('--at-once <n>', 'limit of jobs of an array that run at once', count(1, 100_000))
    .option(
      '--line <command>',
      'of the shell, before the program, as "module load cuda"; may be given again',
      several,
      [],
    )
    .option('--option <option>', 'another of sbatch, as --option=--qos=short; may be given again', several, [])
    .action((options: SlurmSetOptions) => setSlurm(context, options));
  slurm
    .command('show')
    .description('how jobs are submitted')
    .addOption(json('print what is kept as JSON'))
    .action((options: { json: boolean }) => showSlurm(context, options.json));
  cli
    .command('serve')
    .description('the window, for a browser on this machine; prints the address to open')
    .addArgument(new Argument('[files...]', 'runs, experiments, bundles or traces to open'))
    .option('--port <n>', 'port of 127.0.0.1; where left out, the last one again, or any free one', count(1, 65_535))
    .option('--open', 'open it in the browser', false)
    .action((files: string[], options: ServeOptions) => serve(context, files, options));

  cli
    .command('connect')
    .description(
      'the window of a remote host, through ssh: starts Copyscope there, and opens its library in your browser',
    )
    .addArgument(new Argument('<host>', 'as ssh knows it: of your configuration, or user@address'))
    .option('--yes', 'agree to what is said, without a question', false)
    .option('--no-open', 'print the address, and start no browser')
    .option('--node <file>', 'a Node for that system, which is copied with the program')
    .option('--remove', 'end the host there, and delete the program', false)
    .addHelpText('after', exitCodeHelp)
    .action((host: string, options: ConnectCommandOptions) => connectTo(context, host, options));
  cli
    .command('connect-there <ticket> <name>', { hidden: true })
    .action((ticket: string, name: string) => connectThere(context, ticket, name));
  cli
    .command('slurm-task <folder> <submission> <task>', { hidden: true })
    .action(async (folder: string, submission: string, task: string) => {
      const numbers = { submission: Number(submission), task: Number(task) };
      const runWords = (own: readonly string[], node: string): Promise<number> =>
        runCli(own, { ...context, environment: { ...context.environment, COPYSCOPE_NODE: node } });
      const { assets } = tools;
      ended(await runTask({ folder, ...numbers, context, assets, signal: context.signal, runWords }));
    });
  cli.command('connect-host <name>', { hidden: true }).action((name: string) => connectHost(context, name));
  return cli;
}

const several = (id: string, ids: readonly string[]): readonly string[] => [...ids, id];

const json = (description: string): Option => new Option('--json', description).default(false);

const count =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

function stepSpan(text: string): StepSpan {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(text);
  if (match === null) throw new InvalidArgumentError('Steps are as 3..5, or 4.');
  return { from: Number(match[1]), to: Number(match[2] ?? match[1]) };
}

const stepsOption = (): Option =>
  new Option('--steps <from..to>', "of a trace's steps only these, counted from 1").argParser(stepSpan);

const spansOption = (): Option =>
  new Option(
    '--steps <from..to,...>',
    'record only these steps, counted from 1: outermost NVTX ranges of the default domain. Some steps around them are timed, so that the run says what recording cost',
  ).argParser((text): StepSpan[] => {
    const spans = text.split(',').map(stepSpan);
    const isInOrder = spans.every(({ from, to }, index) => from > (spans[index - 1]?.to ?? 0) && to >= from);
    if (!isInOrder) throw new InvalidArgumentError('Steps are counted from 1 and named in order, as 20..25,40..45.');
    return spans;
  });

/** Accepts spaces in place of hyphens. */
function words(text: string): ChangeWord[] {
  const list = text.split(',').map((one) => one.trim().replaceAll(' ', '-'));
  const unknown = list.find((one) => !isChangeWord(one));
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is not one of: ${changeWords.join(', ')}.`);
  return list.filter(isChangeWord);
}

function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

const usageError = ({ message }: CommanderError): ErrorInfo =>
  new CopyscopeError({
    code: 'usage.invalid',
    // Some of commander's messages end with a full stop, some don't.
    message: message.replace(/^error: /, '').replace(/[^.?!)]$/, '$&.'),
    remedy: 'copyscope --help shows what can be typed.',
  }).toInfo();

function describeForPeople(error: ErrorInfo, { terminal }: Context): string {
  return `${terminal.colors.red('Error:')} ${describeError(error)}`;
}
