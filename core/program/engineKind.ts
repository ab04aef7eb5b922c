/** The engines there are. Apart from engine.ts, which needs the run's type, while a run names its engine. */
export const engineKinds = ['cuda', 'cpu', 'sim'] as const;
export type EngineKind = (typeof engineKinds)[number];
