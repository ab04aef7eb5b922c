/** The engine process: started by its supervisor, ended with it. */
import { programFolder, programVersion } from '../paths.ts';
import { engineSet, type NativeEngines } from './engineSet.ts';
import { parentChannel } from './parentChannel.ts';
import { serveEngine } from './serveEngine.ts';

const problem = { code: 'engine.not-built', message: 'The native engines are not part of this build.' };
const native: NativeEngines = {
  report: () => ({
    devices: [],
    driverVersion: null,
    runtimeVersion: null,
    cupti: { found: false, detail: problem.message, version: null },
    engines: [
      { kind: 'cuda', available: false, problem },
      { kind: 'cpu', available: false, problem },
    ],
  }),
  engine: () => {
    throw new Error(problem.message);
  },
};
serveEngine(parentChannel(), engineSet(native, programVersion(programFolder())));
