/** The whole plan of a calibration. */
import { addCallProbes } from './callProbes.ts';
import { addCopyProbes } from './copyProbes.ts';
import { addGraphProbes } from './graphProbes.ts';
import { addHostFunctionProbes, addKernelProbes } from './kernelProbes.ts';
import { addLibraryProbes } from './libraryProbes.ts';
import { addHostProbes, addMemoryProbes } from './memoryProbes.ts';
import { type Plan, PlanBuilder, type PlanOptions } from './plan.ts';
import { addTensorProbes } from './tensorProbes.ts';

export const standardOptions: PlanOptions = { devices: 1, largestBytes: 256 * 2 ** 20, iterations: 15 };

export function calibrationPlan(options: PlanOptions): Plan {
  const builder = new PlanBuilder(options);
  addCopyProbes(builder);
  addCallProbes(builder);
  addKernelProbes(builder);
  addHostFunctionProbes(builder);
  addLibraryProbes(builder);
  addGraphProbes(builder);
  addMemoryProbes(builder);
  addHostProbes(builder);
  addTensorProbes(builder);
  return builder.plan;
}
