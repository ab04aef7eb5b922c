/** The folders that every script works from. */
import { join } from 'node:path';

/** Runs a script's main function. Prints an error's message without our own stack, which wouldn't help. */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

export const root = join(import.meta.dirname, '../..');
export const inRoot = (...parts) => join(root, ...parts);
