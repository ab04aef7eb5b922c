/** When Chromium presented what a page drew, from its own trace (categories devtools.timeline, toplevel, blink.user_timing). */

const markOf = (events, name) => events.find((event) => event.cat === 'blink.user_timing' && event.name === name);

/**
 * Returns for each edit, in milliseconds from the page's mark `key N`: until the lanes were drawn (`lanes N`), until
 * the first frame with them was presented, until the first with the score (`score N`) was, the processor time of the
 * page's thread for the lanes, and the longest task of that thread until the next key. `lags` are the milliseconds from
 * the key event's own time stamp to its mark.
 */
export function frameTimes(events, lags) {
  const sorted = events.filter(({ ts }) => ts > 0).sort((a, b) => a.ts - b.ts);
  const frames = pageFrames(sorted);
  return lags.map((lagMs, edit) => {
    const [key, lanes, score] = ['key', 'lanes', 'score'].map((name) => markOf(sorted, `${name} ${edit}`));
    if (key === undefined || lanes === undefined || score === undefined)
      throw new Error(`edit ${edit} is not in the trace`);
    // A frame contains everything drawn before its work on the page ended.
    const [frame, scoreFrame] = [lanes, score].map(({ ts }) => frames.find(({ end }) => end >= ts));
    if (frame === undefined || scoreFrame === undefined) throw new Error(`no frame was presented after edit ${edit}`);
    return {
      handledMs: lagMs,
      drawnMs: (lanes.ts - key.ts) / 1000 + lagMs,
      presentedMs: (frame.presented - key.ts) / 1000 + lagMs,
      scoreMs: (scoreFrame.presented - key.ts) / 1000 + lagMs,
      processorMs: processorUs(sorted, key, frame.end) / 1000,
      longestMs: longestUs(sorted, key, markOf(sorted, `key ${edit + 1}`)?.ts ?? Number.POSITIVE_INFINITY) / 1000,
    };
  });
}

/** The page's frames by the end of their work on its thread, and when each was presented. A flow joins both moments. */
function pageFrames(events) {
  const own = events.filter(({ name }) => name === 'AnimationFrame');
  const presented = new Map(own.filter(({ ph }) => ph === 'f').map(({ id, ts }) => [id, ts]));
  const flows = new Map(own.filter(({ ph }) => ph === 's').map(({ id, ts }) => [ts, id]));
  const frames = [];
  let begin = null;
  for (const { ph, ts } of own) {
    if (ph === 'b') begin = ts;
    if (ph !== 'e' || begin === null) continue;
    const shown = presented.get(flows.get(begin));
    // Some frames are drawn over by the next one before they come to the screen.
    if (shown !== undefined && shown >= ts) frames.push({ end: ts, presented: shown });
    begin = null;
  }
  return frames;
}

/** Returns the processor time of tasks on the key's thread between the key and a time. */
const processorUs = (events, key, until) => tasks(events, key, until).reduce((sum, { tdur }) => sum + tdur, 0);

const longestUs = (events, key, until) => tasks(events, key, until).reduce((most, { dur }) => Math.max(most, dur), 0);

function tasks(events, key, until) {
  return events.filter(
    ({ name, ph, pid, tid, ts, dur }) =>
      ph === 'X' && name.endsWith('RunTask') && pid === key.pid && tid === key.tid && ts + dur > key.ts && ts < until,
  );
}
