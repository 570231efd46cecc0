/** Lengths of time in words, the same at both faces. */

/** `45 s`, `3 min`, `5 h`, `12 d`. */
export function span(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** `3 min ago`, `in 20 s`. Both times are epoch ms. */
export function ago(ms: number, now: number): string {
  const seconds = Math.round((now - ms) / 1_000);
  return seconds >= 0 ? `${span(seconds)} ago` : `in ${span(-seconds)}`;
}
