/** What lanes are called where they stand in one list: of names that several devices have each is told with its device. */

interface Named {
  readonly name: string;
  /** Empty for a host thread. */
  readonly device: string;
}

export function laneTitles(lanes: readonly Named[]): string[] {
  const devices = new Map<string, Set<string>>();
  for (const { name, device } of lanes) {
    if (device !== '') devices.set(name, (devices.get(name) ?? new Set()).add(device));
  }
  return lanes.map(({ name, device }) =>
    device !== '' && (devices.get(name)?.size ?? 0) > 1 ? `${name} of ${device}` : name,
  );
}
