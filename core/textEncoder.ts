/** Core includes neither Node's nor the browser's type library, so this declares the global that it uses. */
const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

export const textEncoder = () => new platform.TextEncoder();
