/** The engine process: started by its supervisor, ended with it. */
import { loadNative } from '../../native/index.ts';
import { programFolder, programVersion } from '../paths.ts';
import { engineSet } from './engineSet.ts';
import { parentChannel, serveEngine } from './serveEngine.ts';

serveEngine(parentChannel(), engineSet(loadNative(), programVersion(programFolder())));
