/**
 * The console in a real browser:
 *  1. no finding of axe on any screen, in both themes;
 *  2. strings of strangers in every place are text: nothing runs, no request leaves the page's own origin;
 *  3. 20,000 events (100,000 in the long run) and 3,000 deaths: lists scroll, groups are four lines;
 *  4. a failure is one sentence with the fix, and what was on the screen stays;
 *  5. an event is on the screen within a second; a stream that breaks comes back without a gap;
 *  6. everything is reached by the keyboard; a pasted link shows the same;
 *  7. scripts and style together are at most 90 KB compressed. Its first paint: first-paint.test.ts.
 */
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nodeCodec } from '#adapters/codec/node-codec.ts';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { bundlePage } from '#console/server/bundle.ts';
import { type RunningConsole, startConsole } from '#console/server/start-console.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { toSourceId } from '#core/glossary.ts';
import { shapeOf } from '#core/inbound/drift/shape.ts';
import { encodeShape } from '#core/inbound/drift/stored-shape.ts';
import { refusedKey } from '#core/inbound/protocol/event-item.ts';
import { searchKey } from '#core/inbound/protocol/searchable.ts';
import { DAY_MS, HOUR_MS } from '#core/time.ts';
import { PROVIDERS } from '#providers/index.ts';
import { BROWSER_PATH, openBrowser } from '#test/kit/browser.ts';
import { CONFIG, ConsoleGateway } from '#test/kit/console-gateway.ts';
import { type Demo, demoDeliveries } from './demo-deliveries.ts';
import { fillAround, fillDemo } from './demo-events.ts';
import { NAUGHTY } from './naughty-strings.ts';

if (BROWSER_PATH === undefined && process.env['CI']) throw new Error('CI is set, and there is no Chromium');

const AXE = axe.source;
const LONG = process.env['HOLDFAST_LONG'] !== undefined;

let browser: Browser;
const running: RunningConsole[] = [];
const contexts: BrowserContext[] = [];

describe.skipIf(BROWSER_PATH === undefined)('the console in a browser', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  // A page that stays open goes on with its live stream.
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(it => it.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(running.map(it => it.close()));
  });

  async function serve(gateway: ConsoleGateway, readOnly = false): Promise<RunningConsole> {
    const served = await startConsole({ operator: gateway.operator(), readOnly, program: 'holdfast' });
    running.push(served);
    return served;
  }

  /** A page that notes what it should not do: errors, dialogs, requests to elsewhere. */
  async function open(
    console: RunningConsole,
    path = '/',
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ page: Page; wrong: string[] }> {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    const wrong: string[] = [];
    const { origin } = new URL(console.url);
    page.on('pageerror', error => wrong.push(`error: ${error.message}`));
    page.on('dialog', dialog => void dialog.dismiss().then(() => wrong.push('a dialog')));
    page.on('request', request => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) wrong.push(`left: ${request.url()}`);
    });
    page.on('console', message => {
      if (/Content Security Policy/.test(message.text())) wrong.push(message.text());
    });
    await page.goto(`${origin}${path}${new URL(console.url).hash}`);
    return { page, wrong };
  }

  /** What axe finds: by all its rules, or by those that colours decide. */
  async function findings(page: Page, rules: 'all' | 'colours'): Promise<readonly string[]> {
    await page.evaluate(AXE);
    const found = await page.evaluate(
      async options => {
        const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Finding[] }> } };
        return (await axe.run(options)).violations;
      },
      rules === 'all' ? {} : { runOnly: ['color-contrast', 'link-in-text-block'] },
    );
    return found.map(
      it =>
        `${it.id}: ${it.nodes
          .map(node => node.target.join(' '))
          .slice(0, 3)
          .join(' | ')}`,
    );
  }

  describe('on a bad night', () => {
    const gateway = new ConsoleGateway('prod');
    const now = Date.now();
    fillDemo(gateway, { events: 300, dead: 40, now, overMs: HOUR_MS });
    fillAround(gateway, now);
    gateway.alarms = (['ALARM', 'OK', 'INSUFFICIENT_DATA'] as const).map((state, n) => ({
      name: `holdfast-prod-${['process-dead-letters-waiting', 'ingest-errors', 'process-queue-age'][n]}`,
      state,
      since: now - 60_000,
      reason: 'threshold crossed',
      description: 'page: events are dead\nRunbook: docs/runbooks/dead-letters.md',
    }));
    let served: RunningConsole;
    let demo: Demo;
    beforeAll(async () => {
      demo = await demoDeliveries(now);
      gateway.delivery = demo.api;
      served = await serve(gateway);
    });

    const SCREENS = [
      ['/', '.event-line'],
      ['/events', '.event-line'],
      ['/events?text=nothing-like-it', '.empty'],
      ['/dead', '.group'],
      ['/jobs', '.empty'],
      ['/sources', '.source-line'],
      ['/sources/stripe', '.markdown'],
      ['/sources/stripe?tab=refused', '.refused-line'],
      ['/sources/stripe?tab=shapes', '.shapes'],
      ['/alarms', '.graph'],
      ['/out', '.line-link'],
      ['/out/uid:northwind', '.line-link'],
      ['/out/uid:northwind/endpoints/EP', '.line-link'],
      ['/out/uid:northwind/endpoints/EP/MSG', '.refused-content'],
      ['/out/uid:northwind/messages/MSG', '.line-link'],
      ['/nowhere', 'h1'],
    ] as const;
    const at = (path: string): string => path.replace('EP', demo.failing.ep).replace('MSG', demo.failing.message);

    it.each(['light', 'dark'] as const)('has no finding of axe on any screen, %s', async colorScheme => {
      const { page, wrong } = await open(served, '/', { colorScheme });
      // The themes differ in their colours alone.
      const rules = colorScheme === 'light' || LONG ? 'all' : 'colours';
      await page.waitForSelector('.event-line');
      const { origin } = new URL(served.url);
      const found: Record<string, readonly string[]> = {};
      for (const [path, ready] of SCREENS) {
        await page.goto(`${origin}${at(path)}`);
        await page.waitForSelector(ready);
        found[path] = await findings(page, rules);
      }
      await page.goto(`${origin}/dead`);
      await page.getByRole('button', { name: 'Replay …' }).first().click();
      await page.waitForSelector('dialog .kinds');
      found['a dialog'] = await findings(page, rules);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Open the newest' }).first().click();
      await page.getByRole('button', { name: 'Show it' }).click();
      await page.waitForSelector('.json .value');
      found['an event'] = await findings(page, rules);
      expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
      expect(wrong).toEqual([]);
    });

    it('goes from a failure to the log of its attempt with one click, and says why there is none', async () => {
      const { page, wrong } = await open(served, '/dead');
      await page.getByRole('link', { name: 'Open the newest' }).first().click();
      await page.waitForSelector('.way .attempt');
      const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
      const link = page.getByRole('link', { name: 'its log' }).first();
      const at = Number(new URLSearchParams((await link.getAttribute('href'))?.split('?')[1]).get('at'));
      const fields = { level: 'WARN', stage: 'attempt', event_id: id, error: '<img src=x onerror=alert(1)>' };
      const stack = ['holdfast:core/inbound/process/run-handler.ts:9:9', 'handlers/index.ts:3:1'];
      gateway.logLines = [{ at: at + 5, from: 'process', text: JSON.stringify({ ...fields, stack }) }];
      await link.click();
      await page.waitForSelector('.log > li');
      expect(await page.locator('.log').innerText()).toContain('<img src=x onerror=alert(1)>');
      expect(await page.locator('.code-lines').innerText()).toContain('handlers/index.ts:3');
      expect(await findings(page, 'all')).toEqual([]);
      gateway.logLines = [];
      await page.reload();
      await page.getByText('No function wrote a line about it').waitFor();
      gateway.logLines = undefined;
      await page.reload();
      await page.getByText('that needs logs:FilterLogEvents').waitFor();
      gateway.logLines = [];
      expect(wrong).toEqual([]);
    });

    it('needs no scrolling to the side at 360 pixels', async () => {
      const { page } = await open(served, '/', { viewport: { width: 360, height: 740 } });
      const { origin } = new URL(served.url);
      for (const [path, ready] of SCREENS) {
        await page.goto(`${origin}${at(path)}`);
        await page.waitForSelector(ready);
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(wide, path).toBeLessThanOrEqual(0);
      }
    });

    it('goes everywhere by the keyboard', async () => {
      const { page } = await open(served);
      await page.waitForSelector('.event-line');
      await page.keyboard.press('g');
      await page.keyboard.press('e');
      await page.waitForSelector('.virtual .event-line');
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      const id = await page.locator('.event-line.active').getAttribute('data-id');
      // Who reads by ear is where the mark is, and there again after a dialog.
      await page.waitForSelector(`[data-id=${JSON.stringify(id)}]:focus`);
      await page.keyboard.press('r');
      await page.waitForSelector('dialog[open]');
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.waitForSelector(`[data-id=${JSON.stringify(id)}]:focus`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.way');
      expect(decodeURIComponent(page.url())).toContain(id ?? 'nothing was active');
      await page.keyboard.press('r');
      await page.waitForSelector('dialog[open]');
      expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.keyboard.press('/');
      await page.keyboard.type('evt_nobody_knows');
      await page.keyboard.press('Enter');
      // What reads much says so first.
      await page.getByRole('heading', { name: /^Reads about [\d,]+ events$/ }).waitFor();
      await page.getByRole('button', { name: 'Read them' }).press('Enter');
      await page.getByText('No body contains this text').waitFor();
      expect(page.url()).toContain('text=evt_nobody_knows');
    });

    it.skipIf(!LONG)(
      'reaches everything on every screen by Tab, in an order that ends',
      { timeout: 60_000 },
      async () => {
        const { page } = await open(served);
        const { origin } = new URL(served.url);
        await page.keyboard.press('g');
        await page.keyboard.press('o');
        await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
        for (const [path, ready] of SCREENS) {
          await page.goto(`${origin}${at(path)}`);
          await page.waitForSelector(ready);
          const wanted = await page.evaluate<number>(`(() => {
          const all = [...document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')];
          globalThis.left = new Set(all.filter(it => it.tabIndex >= 0 && !it.disabled && it.checkVisibility()));
          addEventListener('focusin', event => globalThis.left.delete(event.target));
          return globalThis.left.size;
        })()`);
          // A list shows more rows as the focus goes down: then there is more to go through than there was.
          let left: readonly string[] = ['nothing was looked at'];
          for (let n = 0; n < 800 && (n <= wanted || left.length > 0); n++) {
            await page.keyboard.press('Tab');
            if (n < wanted - 1 || n % 25 > 0) continue;
            left = await page.evaluate<string[]>(
              '[...globalThis.left].filter(it => it.isConnected).map(it => it.outerHTML.slice(0, 120))',
            );
          }
          expect(left, path).toEqual([]);
        }
      },
    );

    it('names the environment in a runbook, each alarm by its whole name, and what was dropped of the headers', async () => {
      const { page } = await open(served, '/alarms');
      await page.waitForSelector('.markdown');
      const text = await page.locator('main').innerText();
      expect(text).toContain('--env prod');
      expect(text).not.toMatch(/\$ENV|ENV=(?!prod)|<environment>/);
      expect(await page.locator('nav.columns li, .columns nav li').allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringMatching(/process-queue-age\s+page/)]),
      );
      await page.goto(`${new URL(served.url).origin}/dead`);
      await page.getByRole('link', { name: 'Open the newest' }).first().click();
      await page.getByRole('tab', { name: 'headers' }).click();
      await page.getByRole('button', { name: 'Show it' }).click();
      await page.getByText(/Dropped once the signature was verified: \S*signature/i).waitFor();
    });

    it('shows the same to a second person who opens the link, with the token out of the address', async () => {
      const link = '/events?status=dead_letter&source=shopify&since=6h';
      const { page } = await open(served, link);
      await page.waitForSelector('.event-line');
      expect(page.url()).toBe(`${new URL(served.url).origin}${link}`);
      const states = await page.locator('.event-line .source').allTextContents();
      expect(new Set(states)).toEqual(new Set(['shopify']));
      await page.reload();
      await page.waitForSelector('.event-line');
    });

    it('asks for what it shows while its script is on the way, and has its colours by then', async () => {
      const { page, wrong } = await open(served);
      await page.getByRole('button', { name: /^Theme/ }).click();
      let arrive = (): void => undefined;
      const arrived = new Promise<void>(done => {
        arrive = done;
      });
      await page.route('**/assets/js-*', async route => {
        await arrived;
        await route.continue();
      });
      const asked = ['/api/hello', '/api/now', '/api/events?since=24h&limit=12'].map(path =>
        page.waitForResponse(`**${path}`),
      );
      await page.goto(new URL(served.url).origin, { waitUntil: 'commit' });
      for (const answer of await Promise.all(asked)) expect(answer.status()).toBe(200);
      expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('light');
      const again: string[] = [];
      page.on('request', request => again.push(new URL(request.url()).pathname));
      arrive();
      await page.waitForSelector('.event-line');
      expect(again.filter(path => path.startsWith('/api/'))).toEqual(['/api/live']);
      expect(wrong).toEqual([]);
    });

    it('says the exact time of what the pointer is over', async () => {
      const { page } = await open(served);
      const time = page.locator('.event-line time').first();
      await time.hover();
      expect(await time.getAttribute('title')).toMatch(`${await time.getAttribute('datetime')}\n`);
    });

    it('says what to do when the token is missing', async () => {
      const context = await browser.newContext();
      contexts.push(context);
      const page = await context.newPage();
      await page.goto(new URL(served.url).origin);
      await page.getByText('Open the whole address').waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
    });

    it.each([
      ['expired credentials', 'ExpiredTokenException', 'aws sso login'],
      ['a missing permission', 'AccessDeniedException', 'choose another profile with AWS_PROFILE'],
      ['throttled reads', 'ProvisionedThroughputExceededException', 'wait some seconds and try again'],
    ])('keeps what was on each screen over %s, says what to do in a sentence, and comes back', async (_, name, fix) => {
      const all = [
        ['/dead', '.group'],
        ['/events', '.event-line'],
        ['/sources', '.source-line'],
        ['/alarms', '.markdown'],
        ['/out', '.line-link'],
      ] as const;
      // Those that wait for their next look take their time.
      const screens = LONG ? all : all.slice(0, 2);
      const pages = await Promise.all(screens.map(async ([path]) => (await open(served, path)).page));
      const counts = await Promise.all(
        pages.map(async (page, n) => {
          await page.waitForSelector(screens[n]?.[1] ?? '');
          return page.locator(screens[n]?.[1] ?? '').count();
        }),
      );
      gateway.failure = Object.assign(new Error('The thing is not there for you'), { name });
      for (const [n, page] of pages.entries()) {
        const alert = page.getByRole('alert').filter({ hasText: fix }).first();
        await alert.waitFor({ timeout: 20_000 });
        expect((await alert.locator('strong').textContent())?.split('\n')).toHaveLength(1);
        expect(await page.locator(screens[n]?.[1] ?? '').count()).toBeGreaterThanOrEqual(counts[n] ?? 1);
      }
      gateway.failure = undefined;
      for (const page of pages) await page.getByRole('alert').first().waitFor({ state: 'detached', timeout: 30_000 });
    });

    it.skipIf(!LONG)(
      'shows old data with its age where a screen cannot be read again, and the sentence alone where nothing was',
      async () => {
        const { page } = await open(served, '/dead');
        await page.waitForSelector('.group');
        gateway.failure = Object.assign(new Error('The security token is expired'), { name: 'ExpiredTokenException' });
        await page.getByText(/What is below is from/).waitFor({ timeout: 20_000 });
        expect(await page.locator('.group').count()).toBe(4);
        await page
          .getByRole('link', { name: /Sources/ })
          .first()
          .click();
        await page.getByRole('alert').filter({ hasText: 'aws sso login' }).last().waitFor();
        gateway.failure = undefined;
        await page.waitForSelector('.source-line', { timeout: 20_000 });
      },
    );

    it('shows what was refused and why, shapes that changed, and an alarm against its threshold', async () => {
      const { page } = await open(served, '/sources/stripe?tab=refused');
      const group = page.getByRole('region', { name: 'Refused: mismatch' });
      await group.getByText('The secret here is not the one').waitFor();
      await group.getByRole('button').first().click();
      await page.getByText('user-agent').waitFor();
      await page.getByRole('tab', { name: 'Refused requests' }).press('ArrowRight');
      await page.getByText('amount: number, now also string').waitFor();
      expect(page.url()).toContain('tab=shapes');
      await page.getByRole('button', { name: /charge.succeeded/ }).press('Enter');
      await page.getByRole('rowheader', { name: 'data.object.amount', exact: true }).waitFor();
      await page.goto(`${new URL(served.url).origin}/alarms`);
      await page.getByRole('img', { name: '180 values in the last 3 h, 27 of them breach the threshold' }).waitFor();
      await page.getByText('In alarm when a period of 60 s is above 0').waitFor();
      await page.getByRole('heading', { name: 'Events have died' }).waitFor();
    });

    it('leads from an endpoint that fails to what was sent and answered, sends it again, tests it', async () => {
      const { page, wrong } = await open(served, '/out');
      await page.getByText('1 of 4 endpoints does not get its webhooks now').waitFor();
      await page.getByRole('link', { name: /api\.northwind\.com/ }).click();
      await page.getByLabel('State').selectOption('retrying');
      await page
        .getByRole('link', { name: /503, it is overloaded/ })
        .first()
        .click();
      await page.getByText('webhook-signature').waitFor();
      await page.getByText('"upstream is down"').waitFor();
      await page.getByRole('button', { name: 'Show the body' }).click();
      await page.getByText('"thank you"').waitFor();
      await page.getByRole('button', { name: 'Send again …' }).click();
      await page.getByLabel('Why?').fill('their deploy is fixed');
      await page.getByRole('button', { name: 'Send again', exact: true }).click();
      await page.waitForSelector('dialog', { state: 'detached' });
      demo.answer(200);
      await page.goto(`${new URL(served.url).origin}/out/uid:northwind/endpoints/${demo.failing.ep}`);
      await page.getByRole('button', { name: 'Send a test …' }).click();
      await page.getByRole('button', { name: 'Sign and send' }).click();
      await page.getByText(/delivered 200, in/).waitFor();
      await page.getByText('webhook-signature').waitFor();
      // The dialog stays to show the answer, and is not at work any more.
      expect(await page.getByRole('button', { name: 'Sent', exact: true }).isDisabled()).toBe(true);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.waitForSelector('dialog', { state: 'detached' });
      await page.getByRole('button', { name: 'Pause …' }).click();
      await page.getByLabel(/^Why/).fill('their migration');
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('ada: their migration').waitFor();
      expect(wrong).toEqual([]);
    });

    it('answers a support question from an order number', async () => {
      const of = (n: number) => ({
        source: 'shopify',
        key: `order-${n}`,
        type: 'orders/create',
        status: 'completed' as const,
      });
      const partition = searchKey(toSourceId('shopify'), 'order', '450001', nodeCrypto);
      const items = [1, 2, 3].map(n => gateway.add({ ...of(n), receivedAt: now - n * DAY_MS }));
      gateway.found.set(
        partition,
        items.slice(1).map(({ timelineAt }) => timelineAt),
      );
      const { page } = await open(served);
      await page.getByPlaceholder(/order=…/).fill('order=450001');
      await page.keyboard.press('Enter');
      await page.getByText('2 shown').waitFor();
      expect(page.url()).toContain('where=order%3D450001');
      // A job would take every event that the other filters mean.
      expect(await page.getByRole('button', { name: 'Replay all that match …' }).count()).toBe(0);
      await page.locator('.event-line').first().click();
      await page.getByRole('heading', { name: 'orders/create completed' }).waitFor();
    });

    it('hides what changes something when it only reads', async () => {
      const reading = await serve(gateway, true);
      const { page } = await open(reading, '/dead');
      await page.waitForSelector('.group');
      expect(await page.getByRole('button', { name: /Replay|Purge/ }).count()).toBe(0);
      await page.getByRole('link', { name: 'Open the newest' }).first().click();
      await page.waitForSelector('.way');
      expect(await page.getByRole('button', { name: /Replay|Send to|Save as/ }).count()).toBe(0);
    });
  });

  describe('with what strangers write', () => {
    it('shows it as text: nothing runs, nothing leaves the page', { timeout: 60_000 }, async () => {
      const gateway = new ConsoleGateway();
      const now = Date.now();
      NAUGHTY.forEach((text, n) => {
        const body = Buffer.from(JSON.stringify({ [text]: text, list: [text, { __proto__: null, [text]: [text] }] }));
        gateway.add({
          source: 'stripe',
          key: `k${n}${text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 120)}`,
          type: text,
          status: n % 2 === 0 ? 'dead_letter' : 'completed',
          receivedAt: now - n * 1_000,
          cause: 'handler_error',
          lastError: text,
          body: n % 5 === 0 ? Buffer.from(text) : body,
          headers: { 'x-header': text, 'content-type': text },
          more: { actionTaken: text, result: JSON.stringify(text) },
        });
      });
      gateway.refused = NAUGHTY.slice(0, 20).map((text, n) => ({
        ...refusedKey('stripe', text, n),
        ...{ cause: text, hint: text, refusedAt: now - n, size: 9, headers: { 'user-agent': text } },
        ...{ bytes: nodeCodec.deflate(Buffer.from(text)), expiresAt: 1 },
      }));
      gateway.set('shapes#stripe', NAUGHTY.slice(0, 60).join('\n'));
      for (const text of NAUGHTY.slice(0, 60)) {
        const changes = [{ at: now, added: [text], removed: [text], changed: [text], paths: 3 }];
        const shape = shapeOf({ [text]: { [text]: 1 } });
        gateway.set(`shape#stripe#${text}`, encodeShape({ shape, learnUntil: 0, changes }));
      }
      gateway.alarms = NAUGHTY.slice(0, 30).map(text => ({
        ...{ name: text, state: 'ALARM' as const, since: now, reason: text, description: text },
      }));
      const { failing, api } = await demoDeliveries(now, NAUGHTY);
      gateway.delivery = api;
      const served = await serve(gateway);
      const { page, wrong } = await open(served, '/events');
      await page.waitForSelector('.event-line');
      const { origin } = new URL(served.url);
      for (const part of ['', `/endpoints/${failing.ep}`, `/messages/${failing.message}`]) {
        await page.goto(`${origin}/out/${failing.app}${part}`);
        await page.waitForSelector('.line-link');
      }
      await page.waitForSelector('.json, .raw');
      await page.goto(`${origin}/out/${failing.app}/endpoints/${failing.ep}/${failing.message}`);
      await page.waitForSelector('.refused-content .json, .refused-content .raw');
      for (const tab of ['refused', 'shapes']) {
        await page.goto(`${origin}/sources/stripe?tab=${tab}`);
        for (const line of (await page.locator('.refused-line').all()).slice(0, 12)) await line.click();
      }
      await page.goto(`${origin}/alarms`);
      await page.waitForSelector('.alarms nav a');
      for (const path of [
        '/',
        '/dead',
        '/events?status=dead_letter',
        `/events?text=${encodeURIComponent('<script>')}`,
      ]) {
        await page.goto(`${origin}${path}`);
        if (path.includes('text=')) await page.getByRole('button', { name: 'Read them' }).click();
        await page.waitForSelector('.event-line, .group');
      }
      // Every string is in a list; each kind of string is opened once.
      const ids = await page.evaluate(async () => {
        const headers = { 'x-holdfast-console': sessionStorage.getItem('holdfast-console-token') ?? '' };
        const answer = await fetch('/api/events?limit=500&read=yes', { headers });
        return ((await answer.json()) as { events: { id: string }[] }).events.map(it => it.id);
      });
      expect(ids.length).toBe(NAUGHTY.length);
      for (const id of ids.filter((_, n) => n % 16 === 0)) {
        await page.goto(`${origin}/events/${encodeURIComponent(id)}`);
        await page.waitForSelector('.way');
        await page.waitForSelector('.json, .raw');
        await page.getByRole('tab', { name: 'headers' }).click();
        await page.waitForSelector('.headers');
      }
      expect(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned)).toBeUndefined();
      const text = await page.locator('body').textContent();
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      expect(wrong).toEqual([]);
    });

    it('shows a body of 4 MB and one of 5,000 levels', async () => {
      const gateway = new ConsoleGateway();
      const now = Date.now();
      const deep = Buffer.from(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`);
      const large = Buffer.from(
        JSON.stringify({ items: Array.from({ length: 60_000 }, (_, n) => ({ n, text: 'x'.repeat(40) })) }),
      );
      gateway.add({ source: 'stripe', key: 'deep', type: 'deep', status: 'completed', receivedAt: now, body: deep });
      gateway.add({ source: 'stripe', key: 'large', type: 'large', status: 'completed', receivedAt: now, body: large });
      expect(large.length).toBeGreaterThan(3_500_000);
      const served = await serve(gateway);
      for (const [key, search] of [
        ['deep', '1'],
        ['large', '59999'],
      ] as const) {
        const { page, wrong } = await open(served, `/events/evt_stripe.${key}`);
        await page.waitForSelector('.json');
        await page.getByLabel('Search in the body').fill(search);
        await page.getByText(/\d+ found/).waitFor();
        await page.getByRole('button', { name: 'Raw' }).click();
        await page.waitForSelector('.raw');
        expect(wrong).toEqual([]);
      }
    });
  });

  it('reads at once what is not very much, and counts again only when it is asked to', async () => {
    const gateway = new ConsoleGateway();
    const die = (n: number): void => {
      const event = { source: 'stripe', type: 'invoice.paid', status: 'dead_letter', cause: 'handler_error' } as const;
      gateway.add({ ...event, key: `evt_${n}`, receivedAt: Date.now() - HOUR_MS, lastError: 'the ledger is away' });
    };
    for (let n = 0; n < 120; n++) die(n);
    const { page, wrong } = await open(await serve(gateway), '/jobs');
    await page.getByRole('heading', { name: 'Jobs' }).waitFor();
    const asked: string[] = [];
    page.on('request', request => {
      const { pathname, search } = new URL(request.url());
      if (pathname === '/api/dead') asked.push(search);
    });
    await page.getByRole('link', { name: 'Dead letters', exact: true }).click();
    await page.getByText('120 dead events in 1 group').waitFor();
    expect(asked).toEqual(['', '?read=yes']);
    die(120);
    await page.getByRole('button', { name: 'Count again …' }).click();
    await page.getByText('121 dead events in 1 group').waitFor();
    expect(asked).toEqual(['', '?read=yes', '', '?read=yes']);
    expect(wrong).toEqual([]);
  });

  describe(`with ${LONG ? '100,000' : '20,000'} events and 3,000 deaths`, () => {
    const gateway = new ConsoleGateway();
    let served: RunningConsole;
    beforeAll(async () => {
      fillDemo(gateway, { events: LONG ? 100_000 : 20_000, dead: 3_000, now: Date.now(), overMs: 20 * HOUR_MS });
      served = await serve(gateway);
    });

    it('groups the deaths into four lines', async () => {
      const { page } = await open(served, '/dead');
      await page.getByText('3,000 dead events in 4 groups').waitFor();
      expect(await page.locator('.group').count()).toBe(4);
    });

    it('scrolls without a long frame, and holds only the rows in sight', { timeout: 600_000 }, async () => {
      const { page, wrong } = await open(served, '/events?since=24h');
      await page.waitForSelector('.event-line');
      const total = LONG ? 100_000 : 4_000;
      const heapBefore = process.memoryUsage().heapUsed;
      const blank = await (await browser.newContext()).newPage();
      await blank.setContent('<div class="virtual" style="height:600px;overflow:auto"><div style="height:9999999px">');
      const [reference, frames] = [await scrollFrames(blank), await scrollFrames(page)];
      await blank.context().close();
      const busy = await busyFrames(page, LONG ? 300 : 60);
      // On to the end: all rows are loaded, in larger pages than a person's.
      await page.route('**/api/events?**', route =>
        route.continue({ url: `${route.request().url()}&limit=500&read=yes` }),
      );
      const shown = page.locator('.list-head .faint');
      for (let rows = 0; rows < total; ) {
        await page.evaluate("document.querySelector('.virtual').scrollTop = 1e9");
        await page.waitForTimeout(30);
        rows = Number((await shown.textContent())?.replaceAll(',', '').match(/^\d+/)?.[0]);
      }
      const busyAtEnd = await busyFrames(page, LONG ? 300 : 60, -1);
      const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize');
      const served1 = (process.memoryUsage().heapUsed - heapBefore) / 1_048_576;
      console.log(
        `scrolling: ${tellFrames(frames)}; a page without anything: ${tellFrames(reference)}; ` +
          `work of the page's thread: ${tellFrames(busy)}; among ${total} rows: ${tellFrames(busyAtEnd)}; ` +
          `memory with ${total} rows loaded: page ${Math.round(heap / 1_048_576)} MB, server ${served1 > 0 ? '+' : ''}${Math.round(served1)} MB`,
      );
      expect(await page.locator('.slot').count()).toBeLessThan(80);
      // What the page itself works for a frame does not depend on what else the machine does.
      expect(Math.max(...busy, ...busyAtEnd)).toBeLessThan(50);
      expect(heap).toBeLessThan(150 * 1_048_576);
      if (LONG) expect(overOf(frames, 50)).toBeLessThanOrEqual(overOf(reference, 50) + 2);
      expect(wrong).toEqual([]);
    });
  });

  describe('live', () => {
    it('takes the configuration of a deploy without being started again', async () => {
      const gateway = new ConsoleGateway();
      let writtenAt = 1;
      const [name, source] = ['shop-by-hand', { provider: 'generic' as const }];
      const sources = {
        ...CONFIG.sources,
        [name]: source,
        stripe: { ...CONFIG.sources['stripe'], provider: 'stripe' as const, searchable: { invoice: '/id' } },
      };
      const deployment = async () => resolveDeployment({ ...CONFIG, sources } as typeof CONFIG, 'local', PROVIDERS);
      const operator = gateway.operator({ writtenAt: () => writtenAt, deployment });
      const served = await startConsole({ operator, readOnly: false, program: 'holdfast' });
      running.push(served);
      const { page } = await open(served, '/sources');
      await page.getByRole('link', { name: 'stripe', exact: true }).waitFor();
      expect(await page.getByRole('link', { name }).count()).toBe(0);
      writtenAt = 2;
      gateway.deployedAt = Date.now();
      await expect.poll(() => operator.sourceIds, { timeout: 15_000 }).toContain(name);
      await page.getByPlaceholder(/invoice=/).waitFor();
      await page.getByRole('link', { name: 'Now', exact: true }).click();
      await page.getByRole('link', { name }).waitFor();
    });

    it('shows an event within a second, and after a break of the stream what came meanwhile', async () => {
      const gateway = new ConsoleGateway();
      const served = await serve(gateway);
      const { page } = await open(served);
      await page.getByText('No event in the last 24 hours').waitFor();
      await page.locator('.side [role=status]', { hasText: 'live' }).waitFor();
      const times: number[] = [];
      for (let n = 0; n < 8; n++) {
        const at = Date.now();
        gateway.add({ source: 'stripe', key: `live-${n}`, type: `live.${n}`, status: 'completed', receivedAt: at });
        await page.getByText(`live.${n}`, { exact: true }).first().waitFor({ timeout: 5_000 });
        times.push(Date.now() - at);
      }
      console.log(`live: ${times.map(ms => `${ms}`).join(', ')} ms from received to the screen`);
      expect(times.toSorted((a, b) => a - b)[6]).toBeLessThan(1_000);
      // Ends every request that is going on, the stream among them.
      await page.evaluate('stop()');
      gateway.add({ source: 'stripe', key: 'gone', type: 'while.away', status: 'completed', receivedAt: Date.now() });
      await page.locator('.side [role=status]', { hasText: 'reconnecting' }).waitFor({ timeout: 20_000 });
      await page.getByText('while.away', { exact: true }).first().waitFor({ timeout: 10_000 });
    });
  });

  describe('size', () => {
    it('is at most 90 KB compressed', async () => {
      const assets = [...(await bundlePage())].filter(([path]) => path.startsWith('/assets/'));
      const sizes = assets.map(([path, { bytes }]) => [path.split('/').at(-1), gzipSync(bytes).length] as const);
      const total = sizes.reduce((sum, [, size]) => sum + size, 0);
      console.log(`bundle: ${sizes.map(([name, size]) => `${name} ${size}`).join(', ')}: ${total} bytes compressed`);
      expect(total).toBeLessThan(90 * 1_024);
    });
  });
});

/** Lengths of 120 frames while the list scrolls, milliseconds. */
function scrollFrames(page: Page): Promise<readonly number[]> {
  return page.evaluate<number[]>(`(async () => {
    const box = document.querySelector('.virtual');
    const lengths = [];
    let before = performance.now();
    for (let n = 0; n < 120; n++) {
      box.scrollTop += 400;
      await new Promise(requestAnimationFrame);
      lengths.push(performance.now() - before);
      before = performance.now();
    }
    return lengths;
  })()`);
}

/** What the page's main thread itself works for each frame while the list scrolls, milliseconds of processor time. */
async function busyFrames(page: Page, count: number, direction: 1 | -1 = 1): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  // What loading the rows left behind is no work of scrolling.
  await page.waitForTimeout(500);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const lengths: number[] = [];
  for (let [n, before] = [0, await busy()]; n < count; n++) {
    await page.evaluate(`new Promise(done => {
      document.querySelector('.virtual').scrollTop += ${direction * 400};
      requestAnimationFrame(() => requestAnimationFrame(done));
    })`);
    const now = await busy();
    lengths.push(now - before);
    before = now;
  }
  await session.detach();
  return lengths;
}

const overOf = (frames: readonly number[], ms: number): number => frames.filter(length => length > ms).length;

function tellFrames(frames: readonly number[]): string {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms, ${overOf(frames, 50)} of ${frames.length} frames over 50 ms`;
}

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}
