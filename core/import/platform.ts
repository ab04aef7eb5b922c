/** Globals of Node and browsers that reading needs. Core includes the type libraries of neither. */

interface TextDecoderLike {
  decode(bytes: Uint8Array): string;
}

interface Platform {
  readonly TextDecoder: new () => TextDecoderLike;
}

const platform = globalThis as unknown as Platform;

export const newTextDecoder = (): TextDecoderLike => new platform.TextDecoder();
