/** What is said between this machine and another one: what an engine process answers, and what was kept there. */
import type { EngineProcessFunctions } from '../engine/protocol.ts';

/** A run that goes on, or whose result nobody has fetched. */
export interface Job {
  readonly id: string;
  /** Of its experiment. */
  readonly name: string;
  readonly engine: string;
  readonly startedAt: string;
  readonly status: 'running' | 'done';
  /** Of what can be fetched. */
  readonly bytes: number;
}

export interface KeeperFunctions extends EngineProcessFunctions {
  jobs(): Promise<readonly Job[]>;
  /** The run's file. */
  job(id: string): Promise<Uint8Array>;
  dropJob(id: string): Promise<void>;
}

/** How the program there ends where it could not connect. Above what shells and sysexits.h use. */
export const endings = { notSetUp: 93, noSession: 94 } as const;

/** What the program there says before the first frame: all that came earlier is a login script's. */
export const greeting = 'copyscope-machine 1\n';
