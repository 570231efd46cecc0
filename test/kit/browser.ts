/** A real browser for the console's suites: Debian's Chromium, or the one CHROME_PATH names. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const USUAL = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Undefined where there is none. With CI set, that is a failure. */
export const BROWSER_PATH: string | undefined = [process.env['CHROME_PATH'] ?? '', ...USUAL].find(
  path => path !== '' && existsSync(path),
);

export function openBrowser(): Promise<Browser> {
  if (BROWSER_PATH === undefined)
    throw new Error('No Chromium: apt-get install chromium, or set CHROME_PATH to the browser');
  return chromium.launch({ executablePath: BROWSER_PATH, args: FLAGS });
}
