import './zodSetup.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import './app/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { prepareToOpen } from './app/loading/openRunFile.ts';
import { startNavigation } from './app/navigation.ts';
import { startEditing } from './app/store/editing.ts';
import { connect } from './connection/connect.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');
startEditing();
startNavigation();
connect();
createRoot(root).render(<App />);
setTimeout(prepareToOpen);
