/** A gate's report as JUnit XML: a test case for each limit. */
import type { GateReport, GateResult } from '../report.ts';

export function junitOf({ name, results }: GateReport): string {
  const count = (status: GateResult['status']): number => results.filter((result) => result.status === status).length;
  const counts = `tests="${results.length}" failures="${count('broken')}" errors="0" skipped="${count('untold')}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="copyscope gate" ${counts}>`,
    `  <testsuite name="${escaped(name)}" ${counts}>`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ figure, against, status, message, findings }: GateResult): string[] {
  const head = `    <testcase classname="copyscope.gate.${against}" name="${figure}"`;
  if (status === 'kept') return [`${head}/>`];
  if (status === 'untold') return [`${head}>`, `      <skipped message="${escaped(message)}"/>`, '    </testcase>'];
  const lines = findings.map((finding) => `${finding.message} ${finding.remedy}`);
  return [
    `${head}>`,
    `      <failure type="${figure}" message="${escaped(message)}">${escaped(lines.join('\n'))}</failure>`,
    '    </testcase>',
  ];
}

/** XML 1.0 has no control characters but these three, and no lone surrogates, not even escaped. */
const isAllowed = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff;
};

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string =>
  [...text].map((character) => (isAllowed(character) ? (entities[character] ?? character) : '\ufffd')).join('');
