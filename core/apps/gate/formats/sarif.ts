/** Writes a gate's report as SARIF 2.1.0, which GitHub's code scanning and editors read. */
import { sarifText } from '../../../media.ts';
import { figureFacts, gateFigures } from '../figures.ts';
import { type GatePlace, relativeFile } from '../places.ts';
import type { GateFinding, GateReport, GateResult } from '../report.ts';

const schema = 'https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json';

/** Returns SARIF with one result for each place, or one for the figure if it has no places. */
export function sarifOf({ results, steps, notes }: GateReport, version: string): string {
  const broken = results.filter(({ status }) => status === 'broken');
  const log = {
    $schema: schema,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Copyscope',
            version,
            rules: gateFigures.map((figure) => ({
              id: figure,
              shortDescription: { text: figureFacts[figure].title },
              help: { text: figureFacts[figure].remedy },
              defaultConfiguration: { level: 'error' },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: notes.map((text) => ({ level: 'note', message: { text: sarifText(text) } })),
          },
        ],
        properties: { steps: steps.count, stepsFoundBy: steps.rule },
        results: broken.flatMap(resultsOf),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultsOf(result: GateResult): object[] {
  const common = { ruleId: result.figure, ruleIndex: gateFigures.indexOf(result.figure), level: 'error' };
  if (result.findings.length === 0) return [{ ...common, message: { text: sarifText(result.message) } }];
  return result.findings.map((finding) => ({
    ...common,
    message: { text: sarifText(`${findingText(finding)} In all: ${result.message}`) },
    ...locationsOf(finding.place),
  }));
}

const findingText = ({ message, because, remedy }: GateFinding): string =>
  [message, ...(because === null ? [] : [`${because}.`.replace('..', '.')]), remedy].join(' ');

function locationsOf({ file, line, name, path }: GatePlace): object {
  const logical = { logicalLocations: [{ name, ...(path === null ? {} : { fullyQualifiedName: path }) }] };
  if (file === null || line === null) return { locations: [logical] };
  const artifactLocation = { uri: uriOf(file), ...(isAbsolute(file) ? {} : { uriBaseId: '%SRCROOT%' }) };
  return { locations: [{ physicalLocation: { artifactLocation, region: { startLine: line } }, ...logical }] };
}

const isAbsolute = (file: string): boolean => /^([A-Za-z]:)?[\\/]/.test(file);

/** Returns a relative reference for a relative path, and a file URI for an absolute one. */
function uriOf(file: string): string {
  const path = relativeFile(file);
  const encoded = path.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':');
  if (!isAbsolute(file)) return encoded;
  return path.startsWith('/') ? `file://${encoded}` : `file:///${encoded}`;
}
