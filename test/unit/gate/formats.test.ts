/** The formats of a gate's report for other programs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import Ajv from 'ajv';
import { describe, expect, it } from 'vitest';
import { githubOf, junitOf } from '../../../core/apps/gate/formats/ci.ts';
import { sarifOf } from '../../../core/apps/gate/formats/sarif.ts';
import { type GateInput, gate } from '../../../core/apps/gate/gate.ts';
import { noRules } from '../../../core/apps/gate/parse.ts';
import type { GateFinding, GateReport } from '../../../core/apps/gate/report.ts';
import { read } from '../import/support.ts';
import { Random } from '../support/random.ts';
import { randomTrace } from './traces.ts';

const schemaFile = join(import.meta.dirname, '../../fixtures/sarif/sarif-2.1.0-rtm.5.json.gz');

/** Returns a validator by the published schema, without its name and id, which differ between draft 4 and ajv. */
function sarifValidator() {
  const { $schema: _, id: __, ...schema } = JSON.parse(gunzipSync(readFileSync(schemaFile)).toString());
  return new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);
}
const isSarif = sarifValidator();

const broken = async (seed: number): Promise<GateReport> => {
  const input: GateInput = { run: await read(randomTrace(new Random(seed)).text), file: null };
  const limits = new Map([
    ['pageableCopies', 0],
    ['waitingCalls', 0],
    ['exposedCopyNs', 0],
    ['idleShare', 0],
    ['stepNs', 1e12],
  ] as const);
  return gate(input, { ...noRules, limits, allow: [{ line: 'nowhere.py', reason: 'none' }] }, null);
};

function withPlace(report: GateReport, place: Partial<GateFinding['place']>, message: string): GateReport {
  const [first] = report.results;
  const whole = { file: 'a.py', line: 3, name: 'step', path: null, ...place };
  const finding = { place: whole, times: 1, amount: 1, message, because: null, remedy: 'Pin it.' };
  if (first === undefined) throw new Error('a report has results');
  return { ...report, results: [{ ...first, status: 'broken', findings: [finding] }], notes: [] };
}

interface SarifResult {
  readonly ruleId: string;
  readonly locations?: readonly { readonly physicalLocation?: unknown }[];
}
const resultsIn = (sarif: string): SarifResult[] => JSON.parse(sarif).runs[0].results;

describe('SARIF', () => {
  it.each([1, 2, 3, 4, 5])('SARIF of program %i is valid, and has a file and a line for each place', async (seed) => {
    const report = await broken(seed);
    const text = sarifOf(report, '1.2.3');
    expect({ valid: isSarif(JSON.parse(text)), errors: isSarif.errors }).toEqual({ valid: true, errors: null });
    const places = report.results.flatMap(({ findings }) => findings.map(({ place }) => place));
    const found = resultsIn(text).flatMap(({ locations }) => locations ?? []);
    expect(found.map(({ physicalLocation }) => physicalLocation)).toEqual(
      places.map(({ file, line }) => ({
        artifactLocation: { uri: file, uriBaseId: '%SRCROOT%' },
        region: { startLine: line },
      })),
    );
    expect(resultsIn(text).map(({ ruleId }) => ruleId)).toContain('idleShare');
  });

  it.each([
    ['dir with space/a#1.py', 'dir%20with%20space/a%231.py'],
    ['.\\sub\\train.py', 'sub/train.py'],
    ['/home/a/train.py', 'file:///home/a/train.py'],
    ['C:\\a\\train.py', 'file:///C:/a/train.py'],
  ])('writes the file %s as the reference %s', async (file, uri) => {
    const sarif = sarifOf(withPlace(await broken(1), { file }, 'm'), '1');
    expect(resultsIn(sarif)[0]).toMatchObject({ locations: [{ physicalLocation: { artifactLocation: { uri } } }] });
  });

  it('names the operation where no file is known', async () => {
    const place = { file: null, line: null, path: 'threads[0].operations[1]' };
    const sarif = sarifOf(withPlace(await broken(1), place, 'm'), '1');
    expect(isSarif(JSON.parse(sarif))).toBe(true);
    expect(resultsIn(sarif)[0]?.locations).toEqual([
      { logicalLocations: [{ name: 'step', fullyQualifiedName: 'threads[0].operations[1]' }] },
    ]);
  });
});

describe('JUnit', () => {
  it('has a case for each limit and counts the broken ones', async () => {
    const report = await broken(1);
    const text = junitOf(report);
    const failures = report.results.filter(({ status }) => status === 'broken').length;
    expect(text).toContain(`<testsuite name="test" tests="5" failures="${failures}" errors="0" skipped="0">`);
    expect(text.match(/<testcase /g)).toHaveLength(5);
    expect(text.match(/<failure /g)).toHaveLength(failures);
    expect(text).toContain('name="stepNs"/>');
  });

  it('escapes what XML may not hold', async () => {
    const text = junitOf(withPlace({ ...(await broken(1)), name: 'a"<&>\u0000\ud800' }, {}, 'x <y> & "z"\u0007'));
    expect(text).toContain('<testsuite name="a&quot;&lt;&amp;&gt;␀\ufffd"');
    expect(text).toContain('x &lt;y&gt; &amp; &quot;z&quot;␇ Pin it.');
  });
});

describe("GitHub's annotations", () => {
  it('name file and line', async () => {
    const text = githubOf(withPlace(await broken(1), { file: './a,b.py', line: 3 }, '100 %\nmore: x'));
    expect(text).toBe('::error file=a%2Cb.py,line=3,title=copyscope gate%3A pageableCopies::100 %25␊more: x Pin it.\n');
  });

  it('annotations are one line each, whatever the message', async () => {
    const report = await broken(2);
    const lines = githubOf(report).trimEnd().split('\n');
    expect(lines.every((line) => /^::(error|notice) /.test(line))).toBe(true);
    expect(lines.at(-1)).toContain('nowhere.py');
  });
});
