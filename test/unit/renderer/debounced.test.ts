import { afterEach, expect, it, vi } from 'vitest';
import { debounced } from '../../../renderer/common/scheduling.ts';

afterEach(() => void vi.useRealTimers());

it('is done once, when nobody has asked again for so long', () => {
  vi.useFakeTimers();
  const action = vi.fn();
  const soon = debounced(action, 100);
  soon();
  vi.advanceTimersByTime(99);
  soon();
  vi.advanceTimersByTime(99);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledTimes(1);
  soon();
  soon.cancel();
  vi.advanceTimersByTime(200);
  expect(action).toHaveBeenCalledTimes(1);
});
