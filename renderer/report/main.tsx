/** The page of a report: it reads what stands in its own file, and shows it. Nothing is fetched. */
import '../common/zodSetup.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '../common/global.css';
import './report.css';
import { createRoot } from 'react-dom/client';
import { ReportApp } from './ReportApp.tsx';
import { adoptTheme } from './themeSheet.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('the report has no element with the id "root"');
adoptTheme();
createRoot(root).render(<ReportApp />);
