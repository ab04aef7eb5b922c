/** Payloads that the benchmarks share with pytorch_copies.py, which computes the same sizes. */

/**
 * 528 tensors of about 150 KB in all: 16 samples of 33 tensors, as the annotations of driving scenes are. Each of six
 * cameras sees 22 to 60 objects, and has their boxes (16 bytes each), class numbers (8), velocities (8), depths (4) and
 * visibilities (1); each sample has six camera matrices in one tensor, a pose and a time stamp.
 */
export function sceneSizes(): number[] {
  const sizes: number[] = [];
  let state = 12_345;
  for (let sample = 0; sample < 16; sample += 1) {
    for (let camera = 0; camera < 6; camera += 1) {
      // The minimal standard generator: exact in doubles, and the same in Python.
      state = (state * 16_807) % 2_147_483_647;
      const objects = 22 + (state % 39);
      sizes.push(objects * 16, objects * 8, objects * 8, objects * 4, objects);
    }
    sizes.push(6 * 64, 64, 8);
  }
  return sizes;
}

/** Small payloads by name: bytes of each tensor. */
export const smallPayloads: Readonly<Record<string, readonly number[]>> = {
  '528 tensors of scenes': sceneSizes(),
  '1000 x 4000 B': Array<number>(1000).fill(4000),
};
