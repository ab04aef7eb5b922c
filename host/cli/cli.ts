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
import { type CodeOptions, code } from './commands/code.ts';
import { type CompareOptions, compare } from './commands/compare.ts';
import { type ConnectCommandOptions, connectHost, connectThere, connectTo } from './commands/connect.ts';
import { devices } from './commands/devices.ts';
import { type ExportRunOptions, exportFile } from './commands/export.ts';
import { type GateCommandOptions, gateCommand, gateFormats, gateLimit } from './commands/gate.ts';
import { type LiftCommandOptions, lift } from './commands/lift.ts';
import { type RecordOptions, record } from './commands/record.ts';
import { type ReportCommandOptions, report } from './commands/report.ts';
import {
  check,
  type ExplainOptions,
  explain,
  type PredictOptions,
  predict,
  printCaptured,
  type RunOptions,
  run,
} from './commands/run.ts';
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
    const isNoCommand = !first.startsWith('-') && !cli.commands.some((one) => one.name() === first);
    const isFile = isNoCommand && existsSync(first);
    if (isNoCommand && !isFile && /[./]/.test(first))
      throw new CopyscopeError({ code: 'file.not-found', message: `There is no ${first}.`, remedy: 'Check the path.' });
    const words = isFile ? ['serve', '--open', ...args] : args;
    await cli.parseAsync(words.length === 0 ? ['--help'] : words, { from: 'user' });
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
    .addHelpText('afterAll', exitCodeHelp)
    .showHelpAfterError('(copyscope --help lists commands and options)')
    .exitOverride()
    // runCli prints errors of use, once.
    .configureOutput({ writeOut: terminal.write, writeErr: () => {} });

  cli
    .command('devices')
    .description('list the GPUs of this machine, and the engines that can run')
    .addOption(json('print the report as JSON'))
    .action((options: { json: boolean }) => devices(context, engine, options.json));

  cli
    .command('run')
    .description('execute an experiment, draw its lanes, and say what overlapped and why')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run whose experiment is executed again'))
    .addOption(new Option('--engine <engine>', 'default: cuda if there is a GPU, else sim').choices(engineKinds))
    .option('--profile <name>', 'device profile for the simulator (see assets/profiles)')
    .option('--iterations <n>', 'recorded iterations', count(1, 1000))
    .option('--out <run.arrow>', 'keep the run')
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .action((file: string, options: RunOptions) => run(tools, file, options));

  cli
    .command('predict')
    .description('simulate an experiment, and say what would overlap and why')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run whose experiment is simulated'))
    .option('--profile <name>', 'device profile (see assets/profiles)')
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .action((file: string, options: PredictOptions) => predict(tools, file, options));

  cli
    .command('check')
    .description('find races and other hazards in an experiment')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run, which shows what its data check found'))
    .addOption(json('print the hazards as JSON, and nothing else on stdout'))
    .action((file: string, options: { json: boolean }) => check(context, file, options));

  cli
    .command('gate')
    .description('check a trace or experiment against limits')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace of the PyTorch profiler, or experiment, which is simulated'),
    )
    .option('--rules <file.json>', 'limits, baseline figures and allowed findings')
    .option('--limit <figure=amount>', 'such as pageableBytes=1MiB; repeatable', gateLimit, new Map())
    .option('--baseline <file>', 'run, trace or experiment to compare with')
    .addOption(stepsOption())
    .option('--profile <name>', 'device profile for what is simulated')
    .addOption(new Option('--format <format>', 'format of the output').choices(gateFormats).default('text'))
    .option('--out <file>', 'also write .sarif, .xml (JUnit) or .json; repeatable', several, [])
    .addOption(json('print the report as JSON, and nothing else on stdout'))
    .action((file: string, options: GateCommandOptions) => gateCommand(tools, file, options));

  cli
    .command('explain')
    .description('explain a run or trace')
    .addArgument(
      new Argument(
        '<file...>',
        'run (Arrow), trace of the PyTorch profiler (JSON, JSON.gz) or of Nsight Systems (SQLite), or experiment (JSON); of a job the trace of each rank, or the folder that holds them',
      ),
    )
    .option('--profile <name>', 'device profile: for an experiment, or for what a trace lacks')
    .addOption(stepsOption())
    .option(
      '--try <changes>',
      `predict these changes to a trace's program, comma-separated: ${changeWords.join(', ')}`,
      words,
    )
    .option('--step-ms <ms>', 'step time without the profiler, if known', positive)
    .addOption(
      new Option('--captured', 'print only how an Nsight Systems export’s programs were started; may show secrets'),
    )
    .addOption(json('print the summary as JSON, and nothing else on stdout'))
    .action((files: string[], { captured, ...options }: ExplainOptions & { captured?: boolean }) => {
      if (captured !== true) return explain(tools, files, options);
      refuseUnused({ '--captured': files.length > 1 ? captured : undefined }, 'one file');
      return printCaptured(tools.context, files[0] ?? '', options.json);
    });

  cli
    .command('record')
    .description('record an unchanged program')
    .addArgument(new Argument('[program...]', 'program, such as -- python train.py'))
    .option('--light', 'leave out kernels, which cost most', false)
    .option('--no-lines', 'leave out Python stacks')
    .option('--delay <s>', 'start these seconds after CUDA does', positive)
    .option('--duration <s>', 'seconds to record', positive)
    .addOption(spansOption())
    .option('--step-range <name>', 'NVTX range that is a step')
    .option('--slurm', 'run as a Slurm job', false)
    .option('--parts <folder>', 'finish an interrupted recording instead')
    .option('--out <run.arrow>', 'new file (default: recording.arrow, or a free name)')
    .action(async (program: string[], { slurm, ...options }: RecordOptions & { slurm: boolean }) =>
      ended(await (slurm ? asJob(context, ofJob, 'cuda', false) : record(context, program, options))),
    );

  cli
    .command('attach')
    .description('record a running Python program, and explain it')
    .addArgument(
      new Argument('<pid>', 'process that has called copyscope.on_signal()').argParser(count(1, 2 ** 31 - 1)),
    )
    .option('--steps <n>', 'steps to record', count(1, 10_000))
    .option('--duration <s>', 'or seconds (default: 10)', positive)
    .option('--light', 'leave out kernels, which cost most', false)
    .option('--open', 'open it in the browser instead of printing', false)
    .option('--out <run.arrow>', 'new file (default: recording.arrow, or a free name)')
    .action((pid: number, options: AttachOptions) => attach(tools, pid, options));

  cli
    .command('mcp')
    .description('serve tools to an assistant over stdin and stdout (MCP)')
    .addArgument(new Argument('[folders...]', 'folders it may use (default: this one)'))
    .option('--allow-record', 'let it record programs', false)
    .action(async (folders: string[], { allowRecord }: { allowRecord: boolean }) => {
      // Loaded only if it is used: it is a large part of the program.
      const { mcp } = await import('../mcp/server.ts');
      await mcp(tools, folders, allowRecord);
    });

  cli
    .command('lift')
    .description('make an experiment of a trace')
    .addArgument(new Argument('<trace>', 'trace of PyTorch or Nsight Systems'))
    .requiredOption('--out <file.json>', 'new file')
    .addOption(stepsOption())
    .option('--try <changes>', 'make these changes', words)
    .option('--profile <name>', 'device profile for what the trace lacks')
    .action((file: string, options: LiftCommandOptions) => lift(tools, file, options));

  cli
    .command('export')
    .description('convert a run or trace for Perfetto or PyTorch viewers, or to CSV')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace of the PyTorch profiler, or experiment, which is simulated first'),
    )
    .addOption(new Option('--format <format>', 'format of the file').choices(exportFormats).makeOptionMandatory())
    .option('--out <file>', 'new file (default: named after the run)')
    .option('--iteration <n>', 'only this iteration, counted from 0', count(0, 2 ** 31 - 1))
    .option('--profile <name>', 'device profile, for an experiment')
    .action((file: string, options: ExportRunOptions) => exportFile(tools, file, options));

  cli
    .command('report')
    .description('write a run, a comparison or a sweep as one HTML file')
    .addArgument(
      new Argument('<file>', 'run (Arrow), trace, experiment, which is simulated, or sweep, whose points are run'),
    )
    .argument('[other]', 'run, trace or experiment to compare with')
    .option('--out <file.html>', 'new file (default: named after its title)')
    .option('--with-paths', 'keep paths, names, environment, options of commands', false)
    .addOption(stepsOption())
    .option('--try <changes>', 'show lanes before and after changes', words)
    .option('--profile <name>', 'device profile for what is simulated, or what a trace lacks')
    .addOption(
      new Option('--engine <engine>', 'for a sweep; default: cuda if there is a GPU, else sim').choices(engineKinds),
    )
    .option('--iterations <n>', 'for a sweep: iterations of each point', count(1, 1000))
    .action((file: string, other: string | undefined, options: ReportCommandOptions) =>
      report(tools, file, other, options),
    );

  cli
    .command('compare')
    .description('compare two runs, and say which differences exceed the spread of iterations')
    .addArgument(
      new Argument(
        '<a>',
        'run (Arrow), trace of the PyTorch profiler or Nsight Systems, or experiment, which is simulated',
      ),
    )
    .addArgument(new Argument('[b]', 'default: the experiment of a, simulated'))
    .option('--profile <name>', 'device profile for what is simulated')
    .option('--all', 'list all operations', false)
    .addOption(json('print the comparison as JSON, and nothing else on stdout'))
    .action((a: string, b: string | undefined, options: CompareOptions) => compare(tools, a, b, options));

  cli
    .command('code')
    .description('write an experiment as a CUDA C++ or PyTorch program')
    .addArgument(new Argument('<file>', 'experiment (JSON), or a run, whose experiment is written'))
    .addOption(
      new Option('--language <language>', 'language of the program').choices(codeLanguages).makeOptionMandatory(),
    )
    .option('--remedy', 'with the remedy that gains most, marked in comments')
    .option('--out <file>', 'new file, instead of stdout')
    .action((file: string, options: CodeOptions) => code(tools, file, options));

  cli
    .command('sweep')
    .description('run an experiment with one or two numbers varied')
    .addArgument(new Argument('<file>', 'sweep (JSON)'))
    .addOption(new Option('--engine <engine>', 'default: cuda if there is a GPU, else sim').choices(engineKinds))
    .option('--profile <name>', 'device profile for the simulator (see assets/profiles)')
    .option('--iterations <n>', 'iterations of each point', count(1, 1000))
    .option('--slurm', 'run as a Slurm job', false)
    .option('--points-per-job <n>', 'with --slurm: points in each job (default: 1)', count(1, 1000))
    .option('--again', 'with --slurm: repeat points that failed', false)
    .option('--out <folder>', 'folder for the runs')
    .addOption(json('print the figures as JSON, and nothing else on stdout'))
    .action((file: string, options: SweepOptions) => sweep(tools, file, options));

  cli
    .command('bench')
    .description("measure this machine's copies, launches and kernels")
    .option('--quick', 'fewer iterations, no copies above 16 MiB', false)
    .addOption(json('print the figures as JSON, and nothing else on stdout'))
    .action((options: BenchOptions) => bench(tools, options));

  cli
    .command('calibrate')
    .description('measure this machine, and write a device profile')
    .addOption(
      new Option('--engine <engine>', 'sim writes the figures of --profile').choices(['cuda', 'sim']).default('cuda'),
    )
    .option('--profile <name>', 'device profile for the engine sim')
    .option('--name <name>', 'name of the profile (default: named after the device)')
    .option('--base <name>', 'profile for what isn’t measured', 'h200')
    .option('--out <file.json>', 'new file, instead of your profiles')
    .option('--blocks <file.json>', 'measure strategies of block copies instead')
    .option('--slurm', 'run as a Slurm job', false)
    .option('--quick', 'fewer iterations, no copies above 16 MiB', false)
    .addOption(json('print the profile as JSON, and nothing else on stdout'))
    .action(async ({ slurm, ...options }: CalibrateOptions & { slurm: boolean }) => {
      if (slurm) ended(await asJob(context, ofJob, options.engine, !options.json));
      else await calibrateMachine(tools, options);
    });

  cli
    .command('schema')
    .description('print the JSON Schema of a document')
    .addArgument(new Argument('[document]', 'kind of document').choices(documentKinds).default('experiment'))
    .action((kind: DocumentKind) => printSchema(context, kind));

  const bundle = cli.command('bundle').description('experiments, sweeps and runs with their notes, as one file');
  bundle
    .command('export')
    .description('pack the library, sweeps with their runs')
    .addArgument(new Argument('<file.copyscope>', 'new file'))
    .option('--experiment <id>', 'only these; repeatable', several, [])
    .option('--run <id>', 'only these; repeatable', several, [])
    .option('--sweep <id>', 'only these; repeatable', several, [])
    .addOption(json('print the packed items as JSON'))
    .action((file: string, options: ExportOptions) => exportBundle(context, file, options));
  bundle
    .command('import')
    .description('add a bundle to the library, without damaged sweeps')
    .addArgument(new Argument('<file>', 'bundle, run, experiment or trace'))
    .addOption(json('print the new ids as JSON'))
    .action((file: string, options: { json: boolean }) => importBundle(context, file, options));

  const slurm = cli.command('slurm').description('settings with which sweep, calibrate and record --slurm submit jobs');
  slurm
    .command('set')
    .description('change how jobs are submitted; "" removes a setting')
    .option('--partition <name>', 'as for sbatch')
    .option('--account <name>', 'as for sbatch')
    .option('--gpus <gpus>', 'GPUs of a job, such as h200:2 (default: 1)')
    .option('--time <time>', 'as for sbatch')
    .option('--at-once <n>', 'jobs that may run at once', count(1, 100_000))
    .option('--line <command>', 'shell command to run first; repeatable', several)
    .option('--option <option>', 'another, such as --option=--qos=short; repeatable', several)
    .action((options: SlurmSetOptions) => setSlurm(context, options));
  slurm
    .command('show')
    .description('show how jobs are submitted')
    .addOption(json('print the settings as JSON'))
    .action((options: { json: boolean }) => showSlurm(context, options.json));
  cli
    .command('serve')
    .description('serve the window to a browser on this machine')
    .addArgument(new Argument('[files...]', 'files to open'))
    .option('--port <n>', 'port of 127.0.0.1 (default: the last, or a free one)', count(1, 65_535))
    .option('--open', 'open it in the browser', false)
    .action((files: string[], options: ServeOptions) => serve(context, files, options));

  cli
    .command('connect')
    .description('start Copyscope on a remote host, and open its window here')
    .addArgument(new Argument('<host>', 'as for ssh'))
    .option('--yes', 'agree to all questions', false)
    .option('--no-open', 'print the address instead')
    .option('--node <file>', 'Node for that system, to copy there')
    .option('--remove', 'end it there, and delete the program', false)
    .action((host: string, options: ConnectCommandOptions) => connectTo(context, host, options));
  cli
    .command('connect-there <ticket> <name>', { hidden: true })
    .action((ticket: string, name: string) => connectThere(context, ticket, name));
  cli
    .command('slurm-task <folder> <submission> <task>', { hidden: true })
    .action(async (folder: string, submission: string, task: string) => {
      const numbers = { submission: Number(submission), task: Number(task) };
      await runTask({ folder, ...numbers, context, assets: tools.assets, signal: context.signal });
    });
  cli.command('connect-host <name>', { hidden: true }).action((name: string) => connectHost(context, name));
  return cli;
}

const several = (id: string, ids: readonly string[] = []): readonly string[] => [...ids, id];

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
  if (match === null) throw new InvalidArgumentError('Write steps as 3..5, or 4.');
  return { from: Number(match[1]), to: Number(match[2] ?? match[1]) };
}

const stepsOption = (): Option =>
  new Option('--steps <from..to>', 'only these steps of a trace, counted from 1').argParser(stepSpan);

const spansOption = (): Option =>
  new Option('--steps <from..to,...>', 'only these outermost NVTX ranges, counted from 1').argParser(
    (text): StepSpan[] => {
      const spans = text.split(',').map(stepSpan);
      const isInOrder = spans.every(({ from, to }, index) => from > (spans[index - 1]?.to ?? 0) && to >= from);
      if (!isInOrder) throw new InvalidArgumentError('Count steps from 1 and name them in order, as 20..25,40..45.');
      return spans;
    },
  );

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
    remedy: 'Run copyscope --help for commands and options.',
  }).toInfo();

function describeForPeople(error: ErrorInfo, { terminal }: Context): string {
  return `${terminal.colors.red('Error:')} ${describeError(error)}`;
}
