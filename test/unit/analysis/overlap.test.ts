import { describe, expect, it } from 'vitest';
import { overlap } from '../../../core/explain/figures/overlap.ts';
import { iterationOf } from '../../../core/trace/iteration.ts';
import { type DrawnRow, drawTrace } from '../support/draw.ts';

const rows: Record<string, DrawnRow> = {
  U: { kind: 'copy', src: 'pinned', dst: 'device', engine: 'h2d' },
  D: { kind: 'copy', src: 'device', dst: 'pageable', engine: 'd2h' },
  L: { kind: 'copy', src: 'device', dst: 'device', engine: 'compute' },
  K: { kind: 'kernel', engine: 'compute' },
};
const draw = (...lanes: string[]) => overlap(iterationOf(drawTrace({ rows, lanes }), 0));

describe('overlap by direction', () => {
  it('measures unions, so that work running twice at once counts once', () => {
    const result = draw(
      'stream:a  UUUUUUUU..',
      'stream:b  ..KKK.....',
      'stream:c  ...KKKKKK.', // kernels run from 2 to 9, together with the copy from 2 to 8
    );
    expect(result.h2dKernel).toEqual({ timeNs: 6000, shareOfCopy: 6 / 8, shareOfKernel: 6 / 7 });
    expect([result.h2dBusyNs, result.kernelBusyNs, result.d2hBusyNs]).toEqual([8000, 7000, 0]);
  });

  it('keeps directions apart and leaves device-to-device copies out', () => {
    const result = draw(
      'stream:up    UUUU......',
      'stream:down  ..DDDDDD..',
      'stream:main  .....KKKKK',
      'stream:local LLLLLLLLLL',
    );
    expect(result.h2dKernel).toEqual({ timeNs: 0, shareOfCopy: 0, shareOfKernel: 0 });
    expect(result.d2hKernel).toEqual({ timeNs: 3000, shareOfCopy: 3 / 6, shareOfKernel: 3 / 5 });
    expect(result.h2dD2h).toEqual({ timeNs: 2000, shareOfH2d: 2 / 4, shareOfD2h: 2 / 6 });
  });

  it('gives no share of what did not run', () => {
    const result = draw('stream:main  KKK');
    expect(result.h2dKernel).toEqual({ timeNs: 0, shareOfCopy: null, shareOfKernel: 0 });
    expect(result.h2dD2h).toEqual({ timeNs: 0, shareOfH2d: null, shareOfD2h: null });
  });

  it('counts a copy as overlapped only by work of its own device', () => {
    const result = draw('stream:a@gpu0  UUUU', 'stream:b@gpu1  KKKK', 'stream:c@gpu1  .UU.');
    expect(result.h2dKernel).toEqual({ timeNs: 2000, shareOfCopy: 2 / 6, shareOfKernel: 2 / 4 });
  });
});
