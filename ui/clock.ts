/** The time at the server, where all times that a page shows come from. */

/** How far the clock of the server is ahead of this browser's, milliseconds. */
let ahead = 0;

export function serverNow(): number {
  return Date.now() + ahead;
}

export function setServerNow(now: number): void {
  ahead = now - Date.now();
}
