/** Settings kept between visits. If storage is missing or full, they are lost without a message. */
const prefix = 'copyscope:';

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // Private windows refuse storage.
  }
}

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function forget(name: string): void {
  try {
    localStorage.removeItem(prefix + name);
  } catch {
    // Without storage there is nothing to remove.
  }
}

/** Storage for react-resizable-panels. */
export const panelStorage = {
  getItem: (key: string): string | null => recall(key),
  setItem: (key: string, value: string): void => remember(key, value),
};
