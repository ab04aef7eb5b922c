import { createContext } from 'react';

/** How charts are drawn: as SVG, or on a canvas if a content security policy forbids style attributes. */
export const ChartRenderer = createContext<'svg' | 'canvas'>('svg');
