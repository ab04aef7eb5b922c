/** Writes a gate's report as GitHub Actions workflow commands, which appear at the lines of a pull request. */
import { githubMessage, githubProperty } from '../../../media.ts';
import { relativeFile } from '../places.ts';
import type { GateFinding, GateReport, GateResult } from '../report.ts';

/** Limit of findings: GitHub shows at most ten errors of a step. */
const mostFindings = 10;

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
