/** How charts are drawn: as SVG, or on a canvas where a content security policy allows no styles in attributes. */
import { createContext } from 'react';

export const ChartRenderer = createContext<'svg' | 'canvas'>('svg');
