import { join } from 'node:path';
import { createHost, type Host, type HostOptions } from '../../../../host/service/host.ts';

/** Returns a host of this data folder with what ships, and without an engine. */
export const hostOf = (dataFolder: string, changes: Partial<HostOptions> = {}): Host =>
  createHost({
    about: { version: '1.2.3', shell: 'browser', platform: 'linux', dataFolder },
    assetsFolder: join(import.meta.dirname, '../../../../assets'),
    spawnEngine: () => {
      throw new Error('no engine is needed');
    },
    ...changes,
  });
