/** Says that an end-to-end test is skipped for want of Python; in CI, where it never may be, it fails instead. */
export function reportMissingPython(python: string | undefined): void {
  if (python) return;
  const reason = 'the end-to-end tests need Python 3.10 or newer for the local AWS';
  if (process.env['CI']) throw new Error(`Not skipped in CI: ${reason}.`);
  console.warn(`\nSKIPPED: ${reason}.\n`);
}
