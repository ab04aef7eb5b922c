/** The report while it is read, unreadable, or shown, in the theme of the reader's system or another. */
import { MantineProvider, useComputedColorScheme } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { describeError, toErrorInfo } from '../../core/errors.ts';
import { ChartRenderer } from '../charts/Drawing.tsx';
import { SchemeContext } from '../common/hooks.ts';
import { cssVariables, theme } from '../common/theme.ts';
import { usePrinting } from './PaperLanes.tsx';
import { ReportPage } from './ReportPage.tsx';
import { type OpenedReport, readReport } from './readReport.ts';

type Reading =
  | { readonly status: 'reading' }
  | { readonly status: 'failed'; readonly why: string }
  | { readonly status: 'ready'; readonly report: OpenedReport };

export function ReportApp() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      // Both are style elements, which the policy refuses: see themeSheet.ts.
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <Notifications position="bottom-right" limit={3} />
      <Scheme>
        <ChartRenderer value="canvas">
          <Read />
        </ChartRenderer>
      </Scheme>
    </MantineProvider>
  );
}

/** Uses the light theme on paper, whatever the screen shows. */
function Scheme({ children }: { readonly children: ReactNode }) {
  const chosen = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const printing = usePrinting();
  // The library sets this attribute itself if another theme is chosen.
  useLayoutEffect(() => {
    document.documentElement.setAttribute('data-mantine-color-scheme', printing ? 'light' : chosen);
  }, [printing, chosen]);
  return <SchemeContext value={printing ? 'light' : chosen}>{children}</SchemeContext>;
}

function Read() {
  const [reading, setReading] = useState<Reading>({ status: 'reading' });
  useEffect(() => {
    readReport().then(
      (report) => setReading({ status: 'ready', report }),
      (thrown: unknown) => setReading({ status: 'failed', why: describeError(toErrorInfo(thrown)) }),
    );
  }, []);
  if (reading.status === 'ready') return <ReportPage report={reading.report} />;
  return (
    <p className="report-wait" role={reading.status === 'failed' ? 'alert' : 'status'}>
      {reading.status === 'failed' ? `This report can’t be read: ${reading.why}` : 'Reading the report…'}
    </p>
  );
}
