/** `npm run docs:console`: the pictures in docs/console/ that pages show, of the page as it is in this checkout. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startConsole } from '#console/server/start-console.ts';
import { HOUR_MS } from '#core/time.ts';
import { openBrowser } from '#test/kit/browser.ts';
import { ConsoleGateway } from '#test/kit/console-gateway.ts';
import { demoDeliveries } from './demo-deliveries.ts';
import { fillAround, fillDemo } from './demo-events.ts';

const FOLDER = join(import.meta.dirname, '../../../docs/console');

async function shoot(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(400);
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(`${name}.png  ${Math.round(statSync(path).size / 1_024)} KB`);
}

mkdirSync(FOLDER, { recursive: true });
const now = Date.now();
const night = new ConsoleGateway('prod');
fillDemo(night, { events: 1_900, dead: 312, now, overMs: 5 * HOUR_MS });
night.alarms = [
  'process-dead-letters-waiting',
  'process-new-dead-letters',
  'ingest-errors',
  'process-queue-age',
  'sweep-not-running',
].map((name, n) => ({
  name: `holdfast-prod-${name}`,
  state: n === 0 ? 'ALARM' : 'OK',
  since: now - 1_500_000,
  reason: n === 0 ? 'Threshold crossed: 312 messages in the dead-letter queue (threshold 0)' : '',
  description: `page: events are dead\nRunbook: docs/runbooks/${name}.md`,
}));
fillAround(night, now);
const demo = await demoDeliveries(now);
night.delivery = demo.api;
night.set('pauses', '{}');

const browser = await openBrowser();
const served = await startConsole({ operator: night.operator(), readOnly: false, program: 'holdfast' });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const page = await context.newPage();
  const { href, origin } = new URL(served.url);
  await page.goto(href);
  await page.waitForSelector('.event-line');
  await shoot(page, 'night-light');
  await page.goto(`${origin}/out`);
  await page.waitForSelector('.line-link');
  await shoot(page, 'deliveries-light');
} finally {
  await browser.close();
  await served.close();
}
