/** Writes a gate's report for CI: as JUnit XML and as workflow commands of GitHub Actions. */
import { githubMessage, githubProperty, xmlText } from '../../../media.ts';
import { relativeFile } from '../places.ts';
import type { GateFinding, GateReport, GateResult } from '../report.ts';

/** Returns a test case for each limit. */
export function junitOf({ name, results }: GateReport): string {
  const count = (status: GateResult['status']): number => results.filter((result) => result.status === status).length;
  const counts = `tests="${results.length}" failures="${count('broken')}" errors="0" skipped="${count('undecided')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="copyscope gate" ${counts}>`,
    `  <testsuite name="${xmlText(name)}" ${counts}>`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ figure, against, status, message, findings }: GateResult): string[] {
  const head = `    <testcase classname="copyscope.gate.${against}" name="${figure}"`;
  if (status === 'kept') return [`${head}/>`];
  if (status === 'undecided') return [`${head}>`, `      <skipped message="${xmlText(message)}"/>`, '    </testcase>'];
  const lines = findings.map((finding) => `${finding.message} ${finding.remedy}`);
  return [
    `${head}>`,
    `      <failure type="${figure}" message="${xmlText(message)}">${lines.map(xmlText).join('\n')}</failure>`,
    '    </testcase>',
  ];
}

/** Limit of findings: GitHub shows at most ten errors of a step. */
const mostFindings = 10;

/** Returns commands that appear at the lines of a pull request. */
export function githubOf({ results, notes }: GateReport): string {
  const lines = [
    ...results.filter(({ status }) => status === 'broken').flatMap(errors),
    ...results
      .filter(({ status }) => status === 'undecided')
      .map(({ figure, message }) => command('warning', title(figure), message)),
    ...notes.map((note) => command('notice', { title: 'copyscope gate' }, note)),
  ];
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const title = (figure: string): Record<string, string> => ({ title: `copyscope gate: ${figure}` });

function errors({ figure, message, findings }: GateResult): string[] {
  if (findings.length === 0) return [command('error', title(figure), message)];
  const shown = findings.slice(0, mostFindings).map((finding) => {
    return command('error', { ...placed(finding), ...title(figure) }, `${finding.message} ${finding.remedy}`);
  });
  return findings.length > mostFindings ? [...shown, command('error', title(figure), message)] : shown;
}

function placed({ place }: GateFinding): Record<string, string> {
  return place.file === null ? {} : { file: relativeFile(place.file), line: String(place.line) };
}

function command(kind: string, properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${githubProperty(value)}`);
  return `::${kind} ${list.join(',')}::${githubMessage(message)}`;
}
