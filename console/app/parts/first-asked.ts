/** What screens that people open by a link cannot say anything without. */
const SHOWN = 12;

/** The newest events of the first screen. */
export const NEWEST = { path: `/api/events?since=24h&limit=${SHOWN}`, shown: SHOWN };

export const FIRST_ASKED: Readonly<Record<string, readonly string[]>> = {
  '/': ['/api/now', NEWEST.path],
  '/dead': ['/api/dead'],
};
