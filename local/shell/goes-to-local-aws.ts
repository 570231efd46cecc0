const THIS_MACHINE = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * What is deployed from this shell goes to a local AWS, whatever the environment is called. An address of another machine
 * may be a way to the real one.
 */
export function goesToLocalAws(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  const given = env['AWS_ENDPOINT_URL'] ?? '';
  return URL.canParse(given) && new URL(given).protocol === 'http:' && THIS_MACHINE.has(new URL(given).hostname);
}
