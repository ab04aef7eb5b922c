/** `node scripts/native-layout.mjs`: writes native/src/executor/layout.h from native/layout.ts. A test holds that it is current. */
import { writeFileSync } from 'node:fs';
import { runnerImport } from 'vite';
import { inRoot, root } from './lib/paths.mjs';

const { module } = await runnerImport(inRoot('native/layoutHeader.ts'), { root, configFile: false });
writeFileSync(inRoot('native/src/executor/layout.h'), module.layoutHeader());
