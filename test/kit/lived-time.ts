/**
 * How long work took in the time that this process really had: a machine that gives it no core for a second adds a few
 * milliseconds. A limit of waiting is judged by it; a clock on the wall would judge whatever else runs there.
 */
const TICK_MS = 5;
/** The most that one tick counts: what is above was somebody else's. */
const MOST_MS = 25;

export function livedTime(): () => number {
  let lived = 0;
  let last = performance.now();
  const look = (): void => {
    const now = performance.now();
    lived += Math.min(MOST_MS, now - last);
    last = now;
  };
  const timer = setInterval(look, TICK_MS).unref();
  return () => {
    clearInterval(timer);
    look();
    return lived;
  };
}
