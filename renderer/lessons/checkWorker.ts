/** Simulates and checks a lesson's step away from the window's thread. */
import '../common/zodSetup.ts';
import { evaluateStep } from '../../core/apps/lessons/evaluate.ts';
import { serveCalls } from '../common/workerCalls.ts';

const calls = { evaluateStep };
export type CheckCalls = typeof calls;

serveCalls(calls);
