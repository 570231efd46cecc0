/** `npm run docs:console`: the pictures in docs/console/, of the page as it is in this checkout. */
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

/** In the dark only two: the repository keeps every picture for good. */
const DARK_TOO = ['night-dark', 'dead-dark'];

async function shoot(page: Page, name: string): Promise<void> {
  if (name.endsWith('-dark') && !DARK_TOO.includes(name)) return;
  await page.waitForTimeout(400);
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(`${name}.png  ${Math.round(statSync(path).size / 1_024)} KB`);
}

mkdirSync(FOLDER, { recursive: true });
const now = Date.now();
const calm = new ConsoleGateway();
fillDemo(calm, { events: 1_900, dead: 0, now, overMs: 5 * HOUR_MS });
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
const consoles = await Promise.all([
  startConsole({ operator: calm.operator(), readOnly: false, program: 'holdfast' }),
  startConsole({ operator: night.operator(), readOnly: false, program: 'holdfast' }),
]);
try {
  for (const theme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: theme });
    const page = await context.newPage();
    const [quiet, loud] = consoles.map(it => new URL(it.url));
    if (quiet === undefined || loud === undefined) throw new Error('no console');
    await page.goto(quiet.href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForSelector('.event-line');
    await shoot(page, `now-${theme}`);
    await page.goto(loud.href);
    await page.waitForSelector('.event-line');
    await shoot(page, `night-${theme}`);
    await page.goto(`${loud.origin}/dead`);
    await page.waitForSelector('.group');
    await shoot(page, `dead-${theme}`);
    await page.getByRole('button', { name: 'Replay …' }).first().click();
    await page.getByLabel('Why?').fill('column tax_rate added in v42');
    await page.waitForSelector('dialog .kinds');
    await shoot(page, `replay-${theme}`);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Open it' }).click();
    await page.waitForSelector('.step');
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.waitForSelector('.json .value');
    await shoot(page, `event-${theme}`);
    await page.goto(`${loud.origin}/events`);
    await page.waitForSelector('.event-line');
    await shoot(page, `events-${theme}`);
    await page.goto(`${loud.origin}/alarms`);
    await page.waitForSelector('.markdown');
    await shoot(page, `alarms-${theme}`);
    await page.goto(`${loud.origin}/sources/stripe`);
    await page.waitForSelector('.markdown');
    await shoot(page, `source-${theme}`);
    await page.goto(`${loud.origin}/sources/stripe?tab=refused`);
    await page
      .getByRole('button', { name: /mismatch/ })
      .first()
      .click();
    await page.waitForSelector('.headers');
    await shoot(page, `refused-${theme}`);
    await page.goto(`${loud.origin}/sources/stripe?tab=shapes`);
    await page.waitForSelector('.shapes');
    await shoot(page, `shapes-${theme}`);
    await page.goto(`${loud.origin}/out`);
    await page.waitForSelector('.line-link');
    await shoot(page, `deliveries-${theme}`);
    await page.goto(`${loud.origin}/out/${demo.failing.app}/endpoints/${demo.failing.ep}`);
    await page.waitForSelector('.line-link');
    await shoot(page, `endpoint-${theme}`);
    await page.goto(`${loud.origin}/out/${demo.failing.app}/endpoints/${demo.failing.ep}/${demo.failing.message}`);
    await page.waitForSelector('.refused-content');
    await shoot(page, `delivery-${theme}`);
    await context.close();
  }
} finally {
  await browser.close();
  await Promise.all(consoles.map(it => it.close()));
}
