/** How charts are drawn: as SVG, or on a canvas if a content security policy forbids style attributes. */
import { createContext } from 'react';

export const ChartRenderer = createContext<'svg' | 'canvas'>('svg');
