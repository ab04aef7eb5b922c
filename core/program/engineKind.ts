/** Kinds of engine. Separate from engine.ts, which imports the run's type, while a run names its engine. */
export const engineKinds = ['cuda', 'cpu', 'sim'] as const;
export type EngineKind = (typeof engineKinds)[number];
