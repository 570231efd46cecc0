const LONG_URL = 72;

/** Of a long URL the host and the end. */
export function shortUrl(url: string): string {
  if (url.length <= LONG_URL) return url;
  const host = /^[a-z]+:\/\/[^/]{1,40}/i.exec(url)?.[0] ?? url.slice(0, 20);
  return `${host}…${url.slice(host.length + 1 - LONG_URL)}`;
}
