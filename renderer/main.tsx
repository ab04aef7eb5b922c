import './zodSetup.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './app/global.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { startNavigation } from './app/navigation.ts';
import { connect } from './connection/connect.ts';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');
startNavigation();
connect();
createRoot(root).render(<App />);
