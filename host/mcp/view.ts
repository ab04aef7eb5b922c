/**
 * The lanes of a trace, for clients that show interfaces (MCP Apps, 2026-01-26): the page of reports. It has no data of its own;
 * they are in the answer of explain_trace, in the part that no model reads, and the client hands them to the page.
 */
import type { McpServer, RegisteredTool } from '@modelcontextprotocol/sdk/server/mcp.js';
import { type ReportCommandOptions, readPage, reportData } from '../cli/commands/report.ts';
import type { Tools } from '../cli/commands/run.ts';
import type { Item } from './answers.ts';
import { answerOf } from './commandAnswers.ts';

const uri = 'ui://copyscope/report';
const mimeType = 'text/html;profile=mcp-app';
/** Longer data are left out: a client keeps answers in its conversation. */
const mostCharacters = 4 << 20;

function showsInterfaces(server: McpServer): boolean {
  const extension = server.server.getClientCapabilities()?.extensions?.['io.modelcontextprotocol/ui'];
  const types = (extension as { readonly mimeTypes?: unknown } | undefined)?.mimeTypes;
  return Array.isArray(types) && types.includes(mimeType);
}

/** Gives `tool` the page, if the client shows interfaces. */
export function addView(server: McpServer, { context: { program } }: Tools, tool: RegisteredTool): void {
  server.server.oninitialized = () => {
    if (!showsInterfaces(server)) return;
    tool.update({ _meta: { ui: { resourceUri: uri } } });
    const about = { title: 'Lanes of a trace', mimeType };
    server.registerResource('report', uri, about, async () => {
      const text = (await readPage(program)).replace('%TITLE%', 'Copyscope');
      return { contents: [{ uri, mimeType, text, _meta: { ui: { prefersBorder: true } } }] };
    });
  };
}

/** Returns what the page shows of a file; undefined if the client has no page, or the file no report that fits. */
export async function viewData(
  server: McpServer,
  tools: Tools,
  file: string,
  options: Pick<ReportCommandOptions, 'steps' | 'stepMs'>,
): Promise<Item | undefined> {
  if (!showsInterfaces(server)) return undefined;
  const made = answerOf<{ readonly text: string }>(tools, async (own) =>
    own.context.terminal.write(await reportData(own, file, { ...options, withPaths: false }, mostCharacters)),
  );
  // The answer is there already, and counts without lanes too.
  const { text } = (await made.catch(() => null))?.value ?? { text: '' };
  return text === '' ? undefined : { 'copyscope/report': text };
}
