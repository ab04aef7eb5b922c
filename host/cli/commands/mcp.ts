/** `copyscope mcp`: the server for assistants, over standard input and output, until its client ends it. */
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { mcpServer } from '../../mcp/server.ts';
import type { Tools } from './run.ts';

const parseError = -32700;

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
