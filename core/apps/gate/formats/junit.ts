/** Writes a gate's report as JUnit XML, with a test case for each limit. */
import { xmlText } from '../../../media.ts';
import type { GateReport, GateResult } from '../report.ts';

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
