/**
 * Reuses the last port if it is free: a browser's storage (drafts, panels, theme) belongs to an address with its port,
 * and a window that lost the host finds the next one by itself.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { toErrorInfo } from '../../core/errors.ts';
import { privately, readBoundedText, writeWhole } from '../service/files.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';

const rememberedSchema = z.object({ port: z.number().int().min(1).max(65_535) });
const fileIn = (dataFolder: string): string => join(dataFolder, 'serve.json');

/** Starts on `options.port`, or else on the last port, or else on any free one. Rejects as startServer() does. */
export async function startOnUsualPort(options: ServerOptions, dataFolder: string): Promise<RunningServer> {
  if (options.port !== undefined) return startServer(options);
  const last = await rememberedPort(dataFolder);
  const server = await startServer({ ...options, port: last }).catch((thrown: unknown) => {
    if (last === undefined || toErrorInfo(thrown).code !== 'server.port-taken') throw thrown;
    return startServer(options);
  });
  // Another running Copyscope keeps its own port. In a folder that can't be written, the port is not remembered.
  if (last === undefined)
    await writeWhole(fileIn(dataFolder), `${JSON.stringify({ port: server.port })}\n`, privately).catch(() => {});
  return server;
}

async function rememberedPort(dataFolder: string): Promise<number | undefined> {
  try {
    return rememberedSchema.parse(JSON.parse(await readBoundedText(fileIn(dataFolder), 1024))).port;
  } catch {
    return undefined;
  }
}
