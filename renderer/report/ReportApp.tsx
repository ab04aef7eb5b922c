/** A report from its first moment: being read, unreadable, or shown, in the theme of the reader's system or another. */
import { MantineProvider, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { describeError, toErrorInfo } from '../../core/errors.ts';
import { ChartRenderer } from '../charts/renderer.ts';
import { cssVariables, theme } from '../common/theme.ts';
import { SchemeContext } from '../common/usePaints.ts';
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
      <Scheme>
        <ChartRenderer value="canvas">
          <Read />
        </ChartRenderer>
      </Scheme>
    </MantineProvider>
  );
}

/** Paper is light, whatever the screen is. */
function Scheme({ children }: { readonly children: ReactNode }) {
  const chosen = useComputedColorScheme('light', { getInitialValueInEffect: false });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const before = (): void => {
      document.documentElement.setAttribute('data-mantine-color-scheme', 'light');
      flushSync(() => setPrinting(true));
    };
    const after = (): void => {
      setPrinting(false);
      setColorScheme(colorScheme);
    };
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [colorScheme, setColorScheme]);
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
