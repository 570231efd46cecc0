/**
 * A bad night on the screens of the console: what each screen says is compared with the stores and with what the receivers
 * answered, every trouble is named on the first screen, and what a person has to do is done by clicking alone, with its
 * seconds (docs/operate/watch.md has them).
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningConsole, startConsole } from '#console/server/start-console.ts';
import { splitEventPk, toEventId } from '#core/glossary.ts';
import type { EventItem } from '#core/inbound/protocol/event-item.ts';
import { isTerminal } from '#core/inbound/protocol/event-status.ts';
import { errorPattern } from '#core/inbound/search/error-pattern.ts';
import { HOUR_MS } from '#core/time.ts';
import { causeWords, dayWords, stateWord, waitsWords } from '#core/words.ts';
import { BROWSER_PATH, openBrowser } from '#test/kit/browser.ts';
import { badNight, ENDPOINTS, ERRORS, goOn, KINDS } from './night-world.ts';

describe.skipIf(BROWSER_PATH === undefined)('a bad night', () => {
  let night: Awaited<ReturnType<typeof badNight>>;
  let browser: Browser;
  let served: RunningConsole;
  let page: Page;
  let stop: () => Promise<void>;
  const seconds: string[] = [];

  beforeAll(async () => {
    [night, browser] = await Promise.all([badNight(), openBrowser()]);
    served = await startConsole({ operator: night.operator, readOnly: false, program: 'holdfast' });
    stop = goOn(night);
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(served.url);
    await page.waitForSelector('.event-line');
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
    await stop?.();
    console.log(`by clicking: ${seconds.join('; ')}`);
  });

  const see = async (path: string, ready: string): Promise<string> => {
    await page.goto(`${new URL(served.url).origin}${path}`);
    // What reads much says so first.
    const begin = page.getByRole('button', { name: 'Read them' });
    await page.locator(ready).or(begin).first().waitFor();
    if (await begin.isVisible()) await begin.click();
    await page.locator(ready).first().waitFor();
    return page.locator('main').innerText();
  };
  const items = (fits: (item: EventItem) => boolean = () => true): readonly EventItem[] =>
    night.world.items().filter(fits);
  const dead = (): readonly EventItem[] => items(({ status }) => status === 'dead_letter');
  const forged = (source: string): number =>
    Array.from({ length: KINDS['wrong secret']?.[0] ?? 0 }, (_, n) => KINDS['wrong secret']?.[1](n).source).filter(
      of => of === source,
    ).length;
  /** What was answered of an endpoint's requests. */
  const sentTo = (url: string): number => night.customers.sent.filter(request => request.url === url).length;
  const task = async (name: string, work: () => Promise<void>): Promise<void> => {
    await see('/', '.event-line');
    const begun = performance.now();
    await work();
    seconds.push(`${name} ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  };

  it('was the night that it should be: 444 requests, of which 31 were forged and 300 died', () => {
    expect(night.requests).toBe(444);
    expect(night.answered).toEqual({ 200: 413, 401: 31 });
    expect(dead()).toHaveLength(300);
    expect(items()).toHaveLength(399);
  });

  it('names every trouble on the first screen, with the numbers of the stores', async () => {
    const text = await see('/', '.source-line');
    const notWell = ENDPOINTS.filter(([, , code]) => ![200, 422].includes(code)).length;
    for (const trouble of [
      `${dead().length} dead letters`,
      `alarm ${night.cli.alarms[0]?.name}`,
      `shop refused ${forged('shop')} requests in the last hour`,
      `pay refused ${forged('pay')} requests in the last hour`,
      `${notWell} of ${ENDPOINTS.length} endpoints of customers get nothing now, 1 more fails, 1 is paused`,
    ])
      expect(text).toContain(trouble);
    const open = items(({ status }) => !isTerminal(status));
    const number = async (name: string): Promise<string> =>
      page.locator('.numbers > div').filter({ hasText: name }).locator('dd').innerText();
    const recent = items(({ receivedAt }) => receivedAt > night.world.clock.now() - HOUR_MS);
    expect(await number('Received, last hour')).toBe(String(recent.length));
    // Of many fresh arrivals a sample is read, and called so.
    expect(await number('In progress')).toMatch(new RegExp(`^(about )?${open.length}\\b`));
    expect(await number('Dead letters')).toMatch(new RegExp(`^${dead().length}\\b`));
    for (const source of ['shop', 'pay']) {
      const line = page.locator('.source-line').filter({ has: page.getByRole('link', { name: source, exact: true }) });
      const of = (all: readonly EventItem[]): number =>
        all.filter(({ pk }) => splitEventPk(pk).sourceId === source).length;
      const died = of(dead());
      const counts = `${of(recent)}${died > 0 ? ` · ${died} dead` : ''} · ${forged(source)} refused`;
      expect((await line.locator('.counts').innerText()).replaceAll(/\s+/g, ' ')).toBe(counts);
    }
  });

  it('keeps the cells of its rows in their places, and cuts no state on a phone', async () => {
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await see('/', '.event-line');
      const rows = page.locator('.event-line');
      const ends = await rows.evaluateAll(all =>
        all.map(it => it.querySelector('.when')?.getBoundingClientRect().right),
      );
      expect(new Set(ends).size, `${width}`).toBe(1);
      const cut = await rows.evaluateAll(
        all => all.filter(it => it.firstElementChild!.scrollWidth > it.firstElementChild!.clientWidth).length,
      );
      expect(cut, `${width}`).toBe(0);
      // Of what is dead the line says why, at any width.
      await see('/events?status=dead_letter', '.event-line');
      for (const note of await page.locator('.event-line .note').all()) {
        expect(await note.isVisible(), `${width}`).toBe(true);
        expect(await note.innerText()).not.toBe('');
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('has buttons for a thumb, with the one that deletes apart, and cuts no URL', async () => {
    const boxesOf = async (within: string) =>
      page.locator(`${within} button, ${within} .button`).evaluateAll(all =>
        all.map(it => {
          const { height, left, right, top, bottom } = it.getBoundingClientRect();
          return { text: it.textContent ?? '', height, left, right, top, bottom };
        }),
      );
    for (const [width, least] of [
      [1280, 32],
      [820, 32],
      [390, 44],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await see('/out', '.line-row');
      const urls = await page
        .locator('.line-row .type')
        .evaluateAll(all => all.map(it => [it.scrollWidth <= it.clientWidth, it.textContent]));
      for (const [isWhole, url] of urls) expect(isWhole, `${url} at ${width}`).toBe(true);
      const rows = await boxesOf('.line-row');
      await see('/dead', '.group');
      const groups = await boxesOf('.group:first-child');
      for (const { text, height } of [...rows, ...groups])
        expect(height, `${text} at ${width}`).toBeGreaterThanOrEqual(least);
      const purge = groups.find(({ text }) => text.startsWith('Purge'));
      const near = groups.filter(
        other =>
          other !== purge &&
          Math.max(other.left - purge!.right, purge!.left - other.right) < 24 &&
          Math.max(other.top - purge!.bottom, purge!.top - other.bottom) < 6,
      );
      expect(
        near.map(({ text }) => text),
        `${width}`,
      ).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('opens a delivery at its last attempt', async () => {
    const [app, url] = ENDPOINTS[3];
    const place = { app: `uid:${app}`, ep: night.ids.get(url) ?? '' };
    const { body } = await night.customers.call('GET /v1/apps/{app}/endpoints/{ep}/deliveries', place, undefined, {
      status: 'dead',
    });
    await see(`/out/${place.app}/endpoints/${place.ep}/${body.data[0].message}`, '.refused-line');
    const open = await page
      .locator('.refused-line')
      .evaluateAll(all => all.map(it => it.getAttribute('aria-expanded') === 'true'));
    expect(open.length).toBeGreaterThan(1);
    expect(open).toEqual(open.map((_, n) => n === open.length - 1));
  });

  it('says on the screen of a source what died of it', async () => {
    const died = dead().filter(({ pk }) => pk.startsWith('shop#')).length;
    expect(died).toBeGreaterThan(0);
    await see('/sources/shop', '.event-head');
    // Before all that was refused, with what to do.
    const box = page.locator('.banner').first();
    expect(await box.innerText()).toContain(`${died} died in the last hour, ${died} are open`);
    await box.getByRole('button', { name: 'Replay …' }).click();
    await page.getByRole('button', { name: `Replay ${died} events` }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
    // And what was refused: how often, why, and where to look.
    const refused = page.getByRole('link', { name: /shop refused/ });
    expect(await refused.innerText()).toMatch(
      new RegExp(`refused ${forged('shop')} requests .*The secret here is not`),
    );
    expect(await refused.getAttribute('href')).toBe('/sources/shop?tab=refused');
  });

  it('shows three groups of dead letters, each as many as the stores have', async () => {
    const text = await see('/dead', '.group');
    expect(text).toContain(`${dead().length} dead events in 3 groups`);
    const shown = await page
      .locator('.group')
      .evaluateAll(groups =>
        groups.map(group => [
          group.querySelector('.pattern')?.textContent ?? '',
          Number(group.querySelector('.count')?.textContent),
        ]),
      );
    const counts = Map.groupBy(dead(), ({ lastError = '' }) => errorPattern(lastError));
    // The code that tells one failure from another stays in its line.
    expect(text).toContain('the ledger answered 503 (attempt');
    const patterns = shown.map(([error, count]) => [errorPattern(String(error)), count]);
    expect(Object.fromEntries(patterns)).toEqual(
      Object.fromEntries([...counts].map(([error, of]) => [error, of.length])),
    );
  });

  it('says of one event of each kind what its record says', async () => {
    for (const id of ['paid-7', 'created-7', 'updated-7', 'payment-7', 'payment-21', 'hostile-7', 'waits-7']) {
      const item = items(({ pk }) => splitEventPk(pk).eventKey === id)[0];
      if (item === undefined) throw new Error(`no ${id}`);
      await see(`/events/${encodeURIComponent(toEventId(item.pk))}`, '.facts');
      const facts = Object.fromEntries(
        await page
          .locator('.facts dl > div')
          .evaluateAll(rows =>
            rows.map(row => [row.querySelector('dt')?.textContent ?? '', row.querySelector('dd')?.textContent ?? '']),
          ),
      );
      expect(facts, id).toMatchObject({
        type: item.eventType,
        attempts: String(item.attempts),
        size: `${item.size} bytes`,
        ...(item.cause === undefined ? {} : { cause: causeWords(item.cause) }),
        ...(item.lastError === undefined || item.status === 'completed' ? {} : { 'last error': item.lastError }),
      });
      expect(await page.locator('h1').innerText(), id).toContain(stateWord(item.status));
      const steps = await page.locator('.step.attempt').count();
      expect(steps, `${id}: one attempt is shown once`).toBe(Math.max(item.attempts, item.recentAttempts?.length ?? 0));
    }
  });

  it('lists what the stores have, state by state', async () => {
    for (const [source, status] of [
      ['shop', 'dead_letter'],
      ['shop', 'deferred'],
      ['pay', 'completed'],
    ] as const) {
      await see(`/events?source=${source}&status=${status}&since=24h`, '.event-line');
      const fits = items(it => splitEventPk(it.pk).sourceId === source && it.status === status);
      const shown = await page
        .locator('.virtual .event-line')
        .evaluateAll(lines => lines.map(line => line.getAttribute('data-id') ?? ''));
      const newest = fits.toSorted((a, b) => b.receivedAt - a.receivedAt).slice(0, shown.length);
      expect(shown.length).toBeGreaterThanOrEqual(Math.min(fits.length, 9));
      expect(new Set(shown)).toEqual(new Set(newest.map(({ pk }) => toEventId(pk))));
    }
  });

  it('says of each source what was refused and why', async () => {
    for (const source of ['shop', 'pay']) {
      const text = await see(`/sources/${source}?tab=refused`, '.refused-group');
      expect(text).toContain(`mismatch · ${forged(source)} requests`);
      expect(await page.locator('.refused-line').count()).toBe(forged(source));
    }
  });

  it('says of each endpoint whether it gets its webhooks, what it answered and how often', async () => {
    const text = await see('/out', '.line-row');
    const unwell = ENDPOINTS.filter(([, url, code]) => code !== 200 || url.endsWith('/paused'));
    expect(text).toContain(`${unwell.length} of ${ENDPOINTS.length} endpoints do not get their webhooks now`);
    for (const [, url] of unwell) expect(text).toContain(url);
    expect(text).not.toContain('https://hooks.acme.com/ok');
    for (const [app, url, code] of ENDPOINTS) {
      const ep = night.ids.get(url) ?? '';
      const { body } = await night.customers.call('GET /v1/apps/{app}/endpoints/{ep}/health', {
        app: `uid:${app}`,
        ep,
      });
      const shown = await see(`/out/uid:${app}/endpoints/${ep}`, '.facts');
      const tries = sentTo(url);
      const [ok, failed] = code === 200 ? [tries, 0] : [0, tries];
      expect(shown, url).toContain(
        dayWords({ successes: [ok], failures: [failed] }).replace(/, most of them.*/, '') || 'nothing was sent',
      );
      expect(await page.locator('h1').innerText(), url).toContain(stateWord(body.state));
      if (url.endsWith('/paused')) expect(shown).toMatch(/paused by (an operator|the customer) since .*: “a deploy”/);
      const facts = await page.locator('.facts').innerText();
      const waits = waitsWords(body.waiting);
      expect(facts, url).toContain(waits || 'nothing');
      // One number in one form, wherever it stands.
      if (unwell.some(([, each]) => each === url)) expect(text, url).toContain(waits);
      expect(facts, url).toMatch(new RegExp(`dead\\s+${body.dead} now`));
      if (body.dead > 0) expect(text, url).toContain(`; ${body.dead} dead`);
      if (code !== 200 && code !== 0) expect(shown, url).toContain(String(code));
    }
  });

  it('says of a message where it goes', async () => {
    const [app] = ENDPOINTS[0] ?? [];
    const { body } = await night.customers.call('GET /v1/apps/{app}/deliveries', { app: `uid:${app}` });
    const [{ message }] = body.data;
    const text = await see(`/out/uid:${app}/messages/${message}`, '.line-row, .line-link.delivery');
    for (const [, url] of ENDPOINTS.filter(
      ([of, to]) =>
        of === app &&
        body.data.some(
          (it: { endpoint: string; message: string }) => it.message === message && it.endpoint === night.ids.get(to),
        ),
    ))
      expect(text).toContain(url);
  });

  it('lets a person do what the night asks, by clicking alone', { timeout: 120_000 }, async () => {
    await task('from the first screen to why the orders died', async () => {
      await page.getByRole('link', { name: 'See what died' }).click();
      await page.getByText(String(ERRORS['order.created']?.message)).first().waitFor();
    });
    await task('to the log of the failed attempt', async () => {
      await page.getByRole('link', { name: 'See what died' }).click();
      await page.getByRole('link', { name: 'Open the newest' }).first().click();
      await page.getByRole('link', { name: 'its log' }).first().click();
      await page.locator('.log > li, .empty').first().waitFor();
    });
    await task('to the forged requests, and why', async () => {
      await page.getByRole('link', { name: /shop refused/ }).click();
      await page.getByText('The secret here is not the one').first().waitFor();
    });
    await task('to the alarm and its runbook', async () => {
      await page.getByRole('link', { name: /alarm holdfast-local/ }).click();
      await page.locator('.markdown h1, .markdown h2').first().waitFor();
      await page.locator('.guide > p', { hasText: /^events are dead$/ }).waitFor();
      await page
        .locator('.markdown td', { hasText: /^repair 1$/ })
        .first()
        .waitFor();
    });
    await task('from a customer who gets nothing to a try of their endpoint', async () => {
      await page.getByRole('link', { name: /endpoints of customers/ }).click();
      const row = page.locator('.line-row').filter({ hasText: 'https://hooks.acme.com/500' });
      await row.getByText('last answer 500').waitFor();
      const before = sentTo('https://hooks.acme.com/500');
      await row.getByRole('button').click();
      await page.locator('dialog .primary, dialog button[type=submit]').last().click();
      await page.waitForSelector('dialog', { state: 'detached' });
      await night.customers.settle();
      expect(sentTo('https://hooks.acme.com/500')).toBeGreaterThan(before);
    });
    night.fix();
    const column = items(({ eventType }) => eventType === 'order.created');
    await task('from the first screen until the 103 orders of one bug ran again', async () => {
      await page.getByRole('link', { name: 'See what died' }).click();
      const group = page.locator('.group').filter({ hasText: 'tax_rate' });
      await group.getByRole('button', { name: 'Replay …' }).click();
      await page.getByText(`${column.length} events`).first().waitFor();
      await page.getByLabel('Why?').fill('the column is there');
      await page.getByRole('button', { name: `Replay ${column.length} events` }).click();
      await page.getByText(/began after \d s/).waitFor();
      await page.getByText(`${column.length} of ${column.length}, ${column.length} replayed`).waitFor();
    });
    const [, after] = /began after (\d+) s/.exec(await page.locator('.job').first().innerText()) ?? [];
    expect(Number(after)).toBeLessThanOrEqual(5);
    // The handlers may be on hold after the ledger's failures: then the rest waits for the sweeper's next minute.
    await expect
      .poll(() => items(it => it.eventType === 'order.created' && it.status === 'completed').length, {
        timeout: 75_000,
      })
      .toBe(103);
    // Of the other bugs none ran.
    expect(dead()).toHaveLength(197);
    expect(await see('/dead', '.group')).toContain('197 dead events in 2 groups');
  });
});
