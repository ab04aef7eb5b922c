/** Tools and resources for assistants (Model Context Protocol). Each tool is a command, whose answer is cut to what fits. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { codeLanguages } from '../../core/code/code.ts';
import { CopyscopeError, describeError, toErrorInfo } from '../../core/errors.ts';
import { changeWords } from '../../core/lift/changes/words.ts';
import { describeSource, rules } from '../../core/rules/rules.ts';
import { code } from '../cli/commands/code.ts';
import { compare } from '../cli/commands/compare.ts';
import { keepRun } from '../cli/commands/record.ts';
import { check, explain, predict, type Tools } from '../cli/commands/run.ts';
import { writeWhole } from '../files/files.ts';
import { programVersion } from '../paths.ts';
import { checkProgram } from '../record/ownProgram.ts';
import { recordProgram } from '../record/recordProgram.ts';
import {
  comparedParts,
  explainedParts,
  hazardParts,
  type Item,
  pageOf,
  piecesOf,
  predictedParts,
  remedyItem,
} from './answers.ts';
import { answerOf } from './commandAnswers.ts';
import { AllowedPaths } from './paths.ts';
import { addView, viewData } from './view.ts';

const instructions = `Copyscope explains what host-to-device transfers cost in a training step, predicts what changes gain, and
settles the prediction. The loop: explain_trace on a trace, make the first changes of its plan at the lines that it names,
record the program again, compare the two traces. Gains are shares of the step, with 90 % intervals. "couldNotTell" lists what
a trace doesn't show: never fill such a gap by a guess.`;

const path = z.string().min(1).describe('Path inside the allowed folders, absolute or from the first of them.');
const cursor = z.string().optional().describe('nextCursor of the page before, with the same arguments.');
const steps = z
  .string()
  .regex(/^\d+(\.\.\d+)?$/)
  .optional()
  .describe('Only these steps of the trace, counted from 1: "3..5" or "4".');
const stepMs = z.number().positive().optional().describe("A step's time without a profiler, if it is known.");
const changes = z.array(z.enum(changeWords)).min(1);
const experiment = {
  path: path.optional(),
  experiment: z.record(z.string(), z.unknown()).optional().describe('The experiment itself, instead of a path.'),
};

const readOnly = { readOnlyHint: true, openWorldHint: false } as const;

const spanOf = (text: string | undefined) => {
  const [from = '', to = from] = text?.split('..') ?? [];
  return text === undefined ? undefined : { from: Number(from), to: Number(to) };
};

/** Every failure is an answer that says what happened and what to do. `meta` isn't for the model. */
async function answered(work: () => Promise<Item>, meta?: () => Promise<Item | undefined>): Promise<CallToolResult> {
  try {
    const content = [{ type: 'text' as const, text: JSON.stringify(await work()) }];
    const shown = await meta?.();
    return { content, ...(shown === undefined ? {} : { _meta: shown }) };
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    return {
      isError: true,
      content: [{ type: 'text', text: JSON.stringify({ code: error.code, error: describeError(error) }) }],
    };
  }
}

interface McpOptions {
  readonly folders: readonly string[];
  readonly allowRecord: boolean;
}

/** Throws `usage.folder`. */
function mcpServer(tools: Tools, { folders, allowRecord }: McpOptions): McpServer {
  const allowed = new AllowedPaths(folders);
  const server = new McpServer({ name: 'copyscope', version: programVersion(tools.context.program) }, { instructions });
  addTraceTools(server, tools, allowed);
  addExperimentTools(server, tools, allowed);
  if (allowRecord) addRecord(server, tools, allowed);
  addRules(server);
  return server;
}

function addTraceTools(server: McpServer, tools: Tools, allowed: AllowedPaths): void {
  const explained = (given: string, options: Partial<Parameters<typeof explain>[2]>) =>
    answerOf<Parameters<typeof explainedParts>[0]['value']>(tools, (own) =>
      explain(own, [allowed.existing(given, 'path')], { ...options, json: true }),
    );
  const tool = server.registerTool(
    'explain_trace',
    {
      title: 'Explain a trace',
      description:
        'Says where the time of a training step goes, the plan of changes with predicted gains, and why each copy did or did not overlap, with source lines.',
      inputSchema: { path, steps, step_ms: stepMs, cursor },
      annotations: readOnly,
    },
    (input) => {
      const options = { steps: spanOf(input.steps), stepMs: input.step_ms };
      return answered(
        async () => {
          const { head, items } = explainedParts(await explained(input.path, options));
          return pageOf(head, 'details', items, input.cursor);
        },
        async () =>
          input.cursor === undefined
            ? viewData(server, tools, allowed.existing(input.path, 'path'), options)
            : undefined,
      );
    },
  );
  addView(server, tools, tool);
  server.registerTool(
    'try_changes',
    {
      title: 'Predict the gain of changes',
      description: "Replays a trace with these changes to its program, with the trace's own times.",
      inputSchema: { path, changes, steps, step_ms: stepMs },
      annotations: readOnly,
    },
    (input) =>
      answered(async () => {
        const options = { try: input.changes, steps: spanOf(input.steps), stepMs: input.step_ms };
        const { value, remarks } = await explained(input.path, options);
        return { tried: value.tried ? remedyItem(value.tried) : null, couldNotTell: remarks };
      }),
  );
  server.registerTool(
    'compare',
    {
      title: 'Compare two runs, and settle the prediction',
      description: "Says which parts of the step changed from a to b, and whether the prediction of a's plan held.",
      inputSchema: { a: path, b: path, cursor },
      annotations: { openWorldHint: false },
    },
    (input) =>
      answered(async () => {
        const [a, b] = [allowed.existing(input.a, 'a'), allowed.existing(input.b, 'b')];
        const { head, items } = comparedParts(
          await answerOf(tools, (own) => compare(own, a, b, { all: false, json: true })),
        );
        return pageOf(head, 'parts', items, input.cursor);
      }),
  );
}

function addExperimentTools(server: McpServer, tools: Tools, allowed: AllowedPaths): void {
  server.registerTool(
    'run_experiment',
    {
      title: 'Simulate an experiment',
      description: 'Predicts how long an experiment takes on a simulated GPU, and which copies overlap kernels.',
      inputSchema: { ...experiment, profile: z.string().optional().describe('Device profile, as h200.'), cursor },
      annotations: readOnly,
    },
    (input) =>
      answered(() =>
        withFile(input, allowed, async (file) => {
          const { head, items } = predictedParts(
            await answerOf(tools, (own) => predict(own, file, { profile: input.profile, json: true })),
          );
          return pageOf(head, 'verdicts', items, input.cursor);
        }),
      ),
  );
  server.registerTool(
    'check_experiment',
    {
      title: 'Find hazards in an experiment',
      description: 'Finds races and other hazards of an experiment without running it.',
      inputSchema: { ...experiment, cursor },
      annotations: readOnly,
    },
    (input) =>
      answered(() =>
        withFile(input, allowed, async (file) => {
          const { head, items } = hazardParts(await answerOf(tools, (own) => check(own.context, file, { json: true })));
          return pageOf(head, 'hazards', items, input.cursor);
        }),
      ),
  );
  server.registerTool(
    'code_for',
    {
      title: 'Write an experiment as a program',
      description: 'Writes an experiment in CUDA C++ or PyTorch; with remedy, as the best remedy makes it.',
      inputSchema: { ...experiment, language: z.enum(codeLanguages), remedy: z.boolean().optional(), cursor },
      annotations: readOnly,
    },
    (input) =>
      answered(() =>
        withFile(input, allowed, async (file) => {
          const { language, remedy } = input;
          const { value, remarks } = await answerOf<{ text: string }>(tools, (own) =>
            code(own, file, { language, remedy }),
          );
          return pageOf({ language, couldNotTell: remarks }, 'text', piecesOf(value.text), input.cursor);
        }),
      ),
  );
}

/** Gives `work` the file of an experiment, which is a temporary one if the experiment itself was given. */
async function withFile(
  given: { readonly path?: string | undefined; readonly experiment?: object | undefined },
  allowed: AllowedPaths,
  work: (file: string) => Promise<Item>,
): Promise<Item> {
  if ((given.path === undefined) === (given.experiment === undefined)) {
    throw new CopyscopeError({
      code: 'usage.experiment',
      field: 'path',
      message: 'One of path and experiment must be given.',
      remedy: 'Give the path of an experiment, or the experiment itself.',
    });
  }
  if (given.path !== undefined) return work(allowed.existing(given.path, 'path'));
  const folder = await mkdtemp(join(tmpdir(), 'copyscope-mcp-'));
  try {
    const file = join(folder, 'experiment.json');
    await writeWhole(file, JSON.stringify(given.experiment));
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const longestRecordingMs = 30 * 60_000;

function addRecord(server: McpServer, tools: Tools, allowed: AllowedPaths): void {
  const { environment, signal } = tools.context;
  server.registerTool(
    'record',
    {
      title: 'Record a program on this GPU',
      description:
        'Runs a program to its end with the recorder in it, for at most 30 minutes, and keeps the trace. No shell comes between. The output of the program is not kept.',
      inputSchema: {
        command: z.array(z.string()).min(1).describe('The program and its arguments, as ["python", "train.py"].'),
        folder: path.describe('The folder that the program runs in.'),
        out: path.describe('The trace, as run.arrow.'),
        steps,
        light: z.boolean().optional().describe('Without kernels.'),
      },
      annotations: { destructiveHint: true },
    },
    (input, { signal: cancelled }) =>
      answered(async () => {
        const [file = '', ...rest] = input.command;
        const out = allowed.writable(input.out, 'out');
        const span = spanOf(input.steps);
        const settings = { light: input.light ?? false, lines: true, ...(span === undefined ? {} : { steps: [span] }) };
        const request = {
          command: [file, ...rest] as const,
          folder: allowed.existing(input.folder, 'folder'),
          environment: {},
        };
        const checked = await checkProgram(request, settings, environment);
        const limit = AbortSignal.timeout(longestRecordingMs);
        const exitCode = await recordProgram({
          command: request.command,
          settings,
          environment: checked.environment,
          folder: `${out}.parts`,
          signal: AbortSignal.any([signal, cancelled, limit]),
          own: { folder: checked.folder, onOutput: () => {}, killed: AbortSignal.any([signal]) },
        });
        const remarks: string[] = [];
        const terminal = {
          ...tools.context.terminal,
          err: (lines: string | readonly string[]) => void remarks.push(...[lines].flat()),
        };
        await keepRun({ ...tools.context, terminal }, `${out}.parts`, out);
        return { out: input.out, exitCode, remarks };
      }),
  );
}

function addRules(server: McpServer): void {
  const uri = (id: string): string => `copyscope://rules/${id}`;
  const list = () => ({ resources: rules.map(({ id, title }) => ({ uri: uri(id), name: id, title })) });
  server.registerResource(
    'rules',
    new ResourceTemplate(uri('{id}'), { list }),
    {
      title: 'What CUDA does',
      description: 'The rules that verdicts name, each with its sources.',
      mimeType: 'text/plain',
    },
    (asked, { id }) => {
      const found = rules.find((rule) => rule.id === id);
      if (found === undefined)
        throw new CopyscopeError({ code: 'usage.rule', message: `There is no rule ${String(id)}.` });
      const text = [found.title, '', found.statement, '', ...found.sources.map(describeSource)].join('\n');
      return { contents: [{ uri: asked.href, mimeType: 'text/plain', text }] };
    },
  );
}

const parseError = -32700;

/** `copyscope mcp`: serves assistants over standard input and output, until the client ends it. */
export async function mcp(tools: Tools, folders: readonly string[], allowRecord: boolean): Promise<void> {
  const server = mcpServer(tools, { folders: folders.length === 0 ? [process.cwd()] : folders, allowRecord });
  const transport = new StdioServerTransport();
  // The library drops a line that is no message; JSON-RPC has an answer for it.
  server.server.onerror = ({ message }) => {
    const error = { code: parseError, message: message.slice(0, 500) };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error })}\n`);
  };
  await server.connect(transport);
  const { signal } = tools.context;
  await Promise.race([once(process.stdin, 'end'), signal.aborted ? null : once(signal, 'abort')]);
  await server.close();
}
