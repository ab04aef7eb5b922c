/** The folders that every script works from. */
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');
export const inRoot = (...parts) => join(root, ...parts);
