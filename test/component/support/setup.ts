/** Does once the work of renderer/main.tsx, without the connection and the window. */
import '../../../renderer/common/zodSetup.ts';
import './bridge.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import '@mantine/spotlight/styles.css';
import '../../../renderer/common/global.css';
import { type Locator, locators } from 'vitest/browser';
import { startOpening } from '../../../renderer/files/files.ts';
import { followMakespans } from '../../../renderer/predict/former.ts';
import { startEditing } from '../../../renderer/store/editing/save.ts';
import { startNavigation } from '../../../renderer/store/pages.ts';

const begun = globalThis as typeof globalThis & { begun?: true };
// Test files share one page, and each runs this file again.
if (begun.begun === undefined) {
  begun.begun = true;
  localStorage.clear();
  startEditing();
  followMakespans();
  startOpening();
  startNavigation();
  locators.extend({ css: (selector: string) => selector });
}

declare module 'vitest/browser' {
  interface LocatorSelectors {
    /** Finds elements by a CSS selector, for bars, blocks and marks that have no role or name. */
    css(selector: string): Locator;
  }
}
