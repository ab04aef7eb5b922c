import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/native/**/*.test.ts', 'test/electron/**/*.test.ts'],
    // Workers share two cores with the native engine's own threads.
    maxWorkers: 2,
    testTimeout: 20_000,
  },
});
