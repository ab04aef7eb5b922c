/** docs/calibrate.md lists every parameter of a profile as the registry has it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Parameter, parameterNames, parameterOf } from '../../../core/profile/registry.ts';

const unitOf = ({ unit, by }: Parameter): string => (by === undefined ? unit : `${unit} by ${by}`);
const defaultOf = ({ without }: Parameter): string =>
  without === undefined ? 'none' : without === null ? 'not known' : `${without}`;

const row = (name: (typeof parameterNames)[number]): string => {
  const parameter = parameterOf(name);
  const cells = [unitOf(parameter), defaultOf(parameter), parameter.probe ?? 'the base', parameter.what];
  return `| \`${name}\` | ${cells.join(' | ')} |`;
};

it('docs/calibrate.md has the registry as a table', () => {
  const rows = readFileSync('docs/calibrate.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(parameterNames.map(row));
});
