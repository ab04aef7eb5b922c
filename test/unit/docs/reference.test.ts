/** docs/reference is made of the code that it describes. `npx vitest run test/unit/docs -u` writes the pages anew. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../../host/cli/cli.ts';
import type { Context } from '../../../host/cli/io.ts';
import type { EngineSupervisor } from '../../../host/engine/supervisor.ts';
import { commandsText, fieldsText, operationsText, parametersText, rulesText, summaryText } from './reference.ts';

const root = join(import.meta.dirname, '../../..');

/** No command is run, so nothing is asked of the engine. */
function commandLine() {
  const terminal = { write: () => {} } as unknown as Context['terminal'];
  const context = { terminal, program: root, environment: {} } as unknown as Context;
  return commands(context, {} as EngineSupervisor, [], () => {});
}

const parts: Readonly<Record<string, () => string>> = {
  rules: rulesText,
  parameters: parametersText,
  commands: () => commandsText(commandLine()),
  fields: fieldsText,
  operations: operationsText,
  summary: summaryText,
};

it.each(['command-line', 'experiment-format', 'profile', 'rules', 'summary'])(
  'docs/reference/%s.md says what the code says',
  async (page) => {
    const path = join(root, `docs/reference/${page}.md`);
    const text = readFileSync(path, 'utf8').replace(
      /(<!-- (\w+): .* -->\n)[\s\S]*?(?=<!-- end -->)/g,
      (_, begin: string, name: string) => `${begin}\n${parts[name]?.()}\n\n`,
    );
    await expect(text).toMatchFileSnapshot(path);
  },
);
