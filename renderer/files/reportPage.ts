import { CopyscopeError } from '../../core/errors.ts';

/** The page of reports without data, which is built beside the window. Rejects with `report.no-page`. */
export async function fetchReportPage(address: string): Promise<string> {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok === true) return answer.text();
  throw new CopyscopeError({
    code: 'report.no-page',
    message: 'The page of reports could not be read from the host.',
    remedy: 'Build the window again with npm run build, or load this page anew.',
  });
}
