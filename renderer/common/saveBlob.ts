/** Saves a file with the browser's download or the desktop's dialog. */
export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The download has begun by then. Some browsers need the address for a while.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
