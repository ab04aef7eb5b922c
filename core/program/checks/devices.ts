/** Checks devices: those that the program sees, and events that belong to one of them. */
import type { Instruction, InstructionOf } from '../program.ts';
import type { Report, UncheckedProgram } from './report.ts';

export function checkDevices(program: UncheckedProgram, report: Report): void {
  checkMask(program, report);
  checkIndices(program, report);
  checkEvents(program, report);
}

function checkMask({ visibleDevices }: UncheckedProgram, report: Report): void {
  const seen = new Set<number>();
  for (const [place, device] of (visibleDevices ?? []).entries()) {
    if (seen.has(device)) {
      const remedy = 'Delete one: CUDA hides all devices from a repeated one on.';
      report(['environment', 'visibleDevices', place], `device ${device} is named twice.`, remedy);
    }
    seen.add(device);
  }
}

function checkIndices({ devices, visibleDevices }: UncheckedProgram, report: Report): void {
  const owners = new Map<number, string>();
  for (const [place, { id, index }] of devices.entries()) {
    const path = ['devices', place, 'index'];
    if (visibleDevices !== null && index >= visibleDevices.length) {
      const message = `only ${visibleDevices.length} devices are visible, so there is no cuda:${index}.`;
      report(path, message, 'Use a lower index, or show more devices in environment.visibleDevices.');
    }
    const owner = owners.get(index);
    if (owner !== undefined) {
      report(path, `"${owner}" is cuda:${index} already.`, 'Give each device an index of its own, or delete one.');
    }
    owners.set(index, id);
  }
}

/** cudaEventRecord and cudaEventElapsedTime require events and streams of one device. */
function checkEvents(program: UncheckedProgram, report: Report): void {
  const { threads, events } = program;
  const homes = program.devices.length > 1 ? eventHomes(program, report) : new Map<number, number>();
  for (const { start, end, op } of instructionsOf('elapsedTime', threads)) {
    for (const event of [start, end]) checkTiming(events[event], op, report);
    const [first, second] = [homes.get(start), homes.get(end)];
    if (first !== undefined && second !== undefined && first !== second) {
      const message = "the two events belong to different devices, whose clocks can't be compared.";
      report(op, message, 'Measure between two events of one device.');
    }
  }
}

/** Returns the device that each event belongs to. */
function eventHomes({ threads, streams, events }: UncheckedProgram, report: Report): ReadonlyMap<number, number> {
  const homes = new Map<number, number>();
  for (const { event, stream, op } of instructionsOf('recordEvent', threads)) {
    const device = streams[stream]?.device ?? 0;
    const home = homes.get(event);
    if (home !== undefined && home !== device) {
      const message = `event "${events[event]?.id}" is recorded in streams of two devices, and can belong to one only.`;
      report(op, message, 'Use an event for each device.');
    }
    homes.set(event, home ?? device);
  }
  return homes;
}

const instructionsOf = <Code extends Instruction['code']>(
  code: Code,
  threads: UncheckedProgram['threads'],
): InstructionOf<Code>[] =>
  threads.flatMap(({ instructions }) =>
    instructions.filter((instruction): instruction is InstructionOf<Code> => instruction.code === code),
  );

function checkTiming(event: UncheckedProgram['events'][number] | undefined, op: number, report: Report): void {
  if (event === undefined || event.timing) return;
  report(op, `event "${event.id}" is declared without timing.`, 'Declare it with "timing": true.');
}
