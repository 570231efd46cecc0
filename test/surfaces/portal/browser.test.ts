/**
 * The portal in a real browser, over stores in memory and the real engine:
 *  1. a broken endpoint is found, corrected and tested, and its 40 failed deliveries are sent again, only by clicking;
 *  2. no finding of axe on any screen, in both themes; no scrolling to the side at 360 pixels; everything by the keyboard;
 *  3. strings of strangers in every place are text: nothing runs, no request leaves the page's own origin;
 *  4. the token leaves the address at once, comes by message in a frame, and its end is said; a reader changes nothing;
 *  5. script and style together are at most 40 KB compressed.
 */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { tellContacts } from '#core/outbound/contacts/tell-contacts.ts';
import { axeFindings } from '#test/kit/axe-findings.ts';
import { BROWSER_PATH, openBrowser } from '#test/kit/browser.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { servePortal } from '#test/kit/servers/portal-server.ts';
import { NAUGHTY } from '../console/naughty-strings.ts';
import { brokenEndpoint, RIGHT, WRONG } from './demo-portal.ts';

if (BROWSER_PATH === undefined && process.env['CI']) throw new Error('CI is set, and there is no Chromium');

/** `npm run docs:portal`: the pictures of the guide, taken on the way of the first test. */
const PICTURES =
  process.env['HOLDFAST_PICTURES'] === undefined ? undefined : join(import.meta.dirname, '../../../docs/portal');

let browser: Browser;
const contexts: BrowserContext[] = [];
const servers: { close(): Promise<void> }[] = [];

describe.skipIf(BROWSER_PATH === undefined)('the portal in a browser', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map(it => it.close()));
    await Promise.all(servers.splice(0).map(it => it.close()));
  });
  afterAll(() => browser?.close());

  const broken = async () => {
    const world = await brokenEndpoint();
    servers.push(world);
    return world;
  };

  /** A page that notes what it should not do: errors, dialogs, requests to elsewhere. */
  async function open(
    link: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<{ page: Page; wrong: string[]; asked: string[] }> {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const [wrong, asked]: [string[], string[]] = [[], []];
    const { origin } = new URL(link);
    page.on('pageerror', error => wrong.push(`error: ${error.message}`));
    page.on('dialog', dialog => void dialog.dismiss().then(() => wrong.push('a dialog')));
    page.on('request', request => {
      asked.push(request.url());
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) wrong.push(`left: ${request.url()}`);
    });
    page.on('console', message => {
      if (/Content Security Policy/.test(message.text())) wrong.push(message.text());
    });
    await page.goto(link);
    return { page, wrong, asked };
  }

  /** One step from the first screen. */
  async function openEndpoints(link: string, options?: Parameters<Browser['newContext']>[0]) {
    const opened = await open(link, options);
    await opened.page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    return opened;
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(PICTURES, `${name}.png`), animations: 'disabled' });
  }

  it('begins with what was delivered and what waits, wherever it goes, and why it waits', {
    timeout: 30_000,
  }, async () => {
    const world = await broken();
    const { app, ep } = world;
    await world.call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep }, {});
    await world.publish(app, '{"key":"waits","type":"order.paid","data":{}}');
    await world.settle();
    const { page, wrong } = await open(await world.link('uid:globex'));
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    const line = page.locator('.line-link.delivery').filter({ hasText: 'on hold: the endpoint is paused' });
    await line.filter({ hasText: WRONG }).getByText('order.paid').click();
    await page.getByText('on hold: the endpoint is paused').waitFor();
    expect(wrong).toEqual([]);
  });

  it('sends what died of the last day again, says what a filter hides, and leads from a new endpoint to its test', {
    timeout: 60_000,
  }, async () => {
    const world = await broken();
    const { page, wrong } = await open(await world.link('uid:globex', { subject: 'ada' }));
    // Where the failures are seen first, of all endpoints.
    await page.locator('.line-link.delivery').nth(39).waitFor();
    await page.getByRole('button', { name: 'Send many again …' }).click();
    await page.getByText('40 deliveries are dead, whichever endpoint they go to.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await page.getByText(WRONG).click();
    await page.getByLabel('Published').selectOption('last day');
    await page.getByLabel('State').selectOption('canceled');
    await page.getByText('None fits the filters above').waitFor();
    await page.getByLabel('State').selectOption('dead');
    await page.locator('.line-link.delivery').nth(39).waitFor();
    await page.getByRole('button', { name: 'Send many again …' }).click();
    await page.getByText(/^40 deliveries are dead, published since /).waitFor();
    await page.getByRole('button', { name: 'Send 40 again' }).click();
    await page.waitForSelector('dialog', { state: 'detached' });
    const { body } = await world.call('GET /v1/replay-jobs', {}, undefined, {});
    expect(body.data).toMatchObject([{ status: 'dead', since: expect.stringMatching(/^\d{4}-/) }]);
    await page.getByRole('link', { name: 'Endpoints' }).first().click();
    await page.getByRole('button', { name: 'Add endpoint …' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://shop.globex.com/new');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('not tried yet').first().waitFor();
    await page.getByRole('link', { name: 'open it and send a test' }).click();
    await page.getByRole('button', { name: 'Test …' }).waitFor();
    expect(wrong).toEqual([]);
  });

  it('says why older deliveries cannot be shown, or a secret not be activated', { timeout: 60_000 }, async () => {
    const world = await broken();
    const { page, wrong } = await openEndpoints(await world.link('uid:globex', { subject: 'ada' }));
    await page.route('**/deliveries?**', async route => {
      if (route.request().url().includes('cursor=more')) return route.abort();
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), cursor: 'more' } });
    });
    await page.route('**/secret', async route => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      const later = { ...data[0], kid: 'later', active_from: new Date(Date.now() + 86_400_000).toISOString() };
      return route.fulfill({ response, json: { ...rest, data: [later, ...data] } });
    });
    await page.route('**/secret/activate', route => route.abort());
    await page.route(/\/endpoints\/[^/?]+$/, async route => {
      const response = await route.fetch();
      return route.fulfill({ response, json: { ...(await response.json()), signature: 'body-sha256' } });
    });
    await page.getByText(WRONG).click();
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await page.getByRole('alert').waitFor();
    await page.goto(`${world.origin}/portal#/endpoints/${world.ep}/secret`);
    await page.getByRole('button', { name: 'Show the secret' }).click();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Sign with the newest one from now on' }).click();
    await page.getByRole('alert').waitFor();
    expect(wrong).toEqual([]);
  });

  it('finds the broken endpoint, corrects and tests it, and sends the 40 again, by clicking', {
    timeout: 60_000,
  }, async () => {
    const world = await broken();
    const { page, wrong, asked } = await openEndpoints(await world.link('uid:globex', { subject: 'ada' }), {
      viewport: { width: 1180, height: 760 },
    });
    // 1. Which one, and why.
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    await page.getByText('40 dead').waitFor();
    await page.getByRole('img', { name: /^\d+ tries in 24 hours, \d+ failed, most of them/ }).waitFor();
    await shoot(page, 'endpoints');
    await page.getByText(WRONG).click();
    const [day] = (await world.call('GET /v1/stats', {}, undefined, { app: world.app, endpoint: world.ep })).body.each;
    const failed = (day.failures as number[]).reduce((sum, n) => sum + n, 0);
    await page.getByText(new RegExp(`^${failed} tries in 24 hours, ${failed} failed`)).waitFor();
    await page.getByText('As a table').click();
    const cells = await page.locator('.day-table tbody td:last-child').allInnerTexts();
    expect(cells.reduce((sum, text) => sum + Number(text), 0)).toBe(failed);
    // The day comes with how it is.
    expect(asked.filter(url => url.includes('/stats') && url.includes('endpoint='))).toEqual([]);
    expect(await page.locator('.by-type li').allInnerTexts()).toEqual([
      expect.stringMatching(/^order\.paid\s+40 dead$/),
    ]);
    await page
      .getByText(
        /^fails; it has never accepted one; last answer 422, it refused the message; 0 % accepted in 24 hours; 40 dead/,
      )
      .waitFor();
    await page.getByLabel('State').selectOption('dead');
    await page.locator('.line-link.delivery').nth(39).waitFor();
    await page.locator('.line-link.delivery').first().click();
    await page.getByText('422').first().waitFor();
    await page.getByText('Unprocessable Content').waitFor();
    await shoot(page, 'exchange');
    await page.goBack();
    // 2. The address is corrected, and tried.
    await page.getByRole('button', { name: 'Edit …' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill(RIGHT);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: RIGHT }).waitFor();
    await page.getByRole('button', { name: 'Test …' }).click();
    await page.getByText('This type has no example').waitFor();
    await page.getByLabel('Event type').fill('order.paid');
    await page.getByText('Its data is the example of this type.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('delivered 200 in').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    // 3. All of them again.
    await page.getByRole('button', { name: 'Send many again …' }).click();
    await page.getByText('40 deliveries are dead.').waitFor();
    await page.getByLabel('Why?').fill('the address was old');
    await page.getByRole('button', { name: 'Send 40 again' }).click();
    await page.getByText('Sending again').waitFor();
    const before = world.sent.length;
    await world.minute();
    await page.getByText('40 are sent again.').waitFor();
    // Each has its place in the rate of the job: the last goes a second after the first.
    await world.minute();
    expect(world.sent.slice(before).map(({ url }) => url)).toEqual(Array(40).fill(RIGHT));
    await page.getByText('No delivery like that').waitFor();
    await page.getByLabel('State').selectOption('delivered');
    await page.locator('.line-link.delivery').nth(39).waitFor();
    // 4. The rest of the guide's pictures.
    await page.getByRole('link', { name: 'How to verify' }).click();
    await page.getByText('ACME_WEBHOOK_SECRET').first().waitFor();
    await page.getByRole('link', { name: 'Event types' }).click();
    await page.getByText('The goods may be sent').or(page.getByText('It is not due yet')).first().waitFor();
    await page.getByRole('link', { name: 'order.settled deprecated' }).click();
    await page.getByText('Deprecated: it ends on 2027-01-31. Move to order.paid.').waitFor();
    await page.getByText('Version 2025-03-01').click();
    await page.getByText('"ord_4711"').first().waitFor();
    await page.getByRole('article').getByRole('link', { name: 'order.paid' }).click();
    await page.getByText('The goods may be sent').waitFor();
    expect(wrong).toEqual([]);
    const jobs = await world.call('GET /v1/replay-jobs', {});
    expect(jobs.body.data[0]).toMatchObject({
      by: 'portal:ada',
      why: 'the address was old',
      counts: { replayed: 40 },
    });
  });

  it('adds a contact, whose link does nothing until its button is pressed, and takes one away', {
    timeout: 60_000,
  }, async () => {
    const world = await broken();
    const { page, wrong } = await open(await world.link('uid:globex'));
    await page.getByRole('link', { name: 'Contacts', exact: true }).click();
    await page.getByText('No contact yet').waitFor();
    const add = async (address: string): Promise<void> => {
      await page.getByRole('button', { name: 'Add contact …' }).click();
      await page.getByLabel('Mail address, or URL').fill(address);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText(`${address} is asked to confirm`).waitFor();
    };
    await add('https://told.globex.com/in');
    expect(await page.locator('.command code').textContent()).toMatch(/^whsec_/);
    await add('ops@globex.com');
    const mails: { readonly text: string; readonly leaveUrl: string }[] = [];
    const mailer = { send: async (mail: (typeof mails)[number]) => void mails.push(mail) };
    const told = { name: 'Acme', portalUrl: `${world.origin}/portal` };
    await tellContacts({ ...world.ports, mailer }, told, world.clock.now() + 40_000);
    const link = /http:\S+confirm=\S+/.exec(mails[0]?.text ?? '')?.[0] ?? '';
    const waiting = () => page.locator('.contact .state.quiet').count();
    const follow = async (url: string, button: string, after: string) => {
      const opened = await open(url);
      await opened.page.getByRole('button', { name: button }).waitFor();
      // A scanner that opened it has done nothing, and what proves it is no longer in the address.
      expect(opened.page.url()).toBe(`${world.origin}/portal`);
      expect(await axeFindings(opened.page, 'all')).toEqual([]);
      await page.reload();
      await page.locator('.contact').first().waitFor();
      const before = await waiting();
      await opened.page.getByRole('button', { name: button }).click();
      await opened.page.getByText(after).waitFor();
      expect(opened.wrong).toEqual([]);
      return before;
    };
    expect(await follow(link, 'Confirm', 'Confirmed.')).toBe(2);
    await page.locator('.contact .state.ok').waitFor();
    expect(await axeFindings(page, 'all')).toEqual([]);
    await page.getByRole('button', { name: 'Take away … https://told.globex.com/in' }).click();
    await page.getByRole('button', { name: 'Take away', exact: true }).click();
    await expect.poll(() => page.locator('.contact').count()).toBe(1);
    expect(await follow(mails[0]?.leaveUrl ?? '', 'Stop the messages', 'nothing more')).toBe(0);
    await page.getByText('No contact yet').waitFor();
    expect(wrong).toEqual([]);
  });

  it('has no finding of axe on any screen, in the light and in the dark', { timeout: 60_000 }, async () => {
    const world = await broken();
    const { page, wrong } = await openEndpoints(await world.link('uid:globex'), {
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    const found: Record<string, readonly string[]> = {};
    const look = async (name: string): Promise<void> => {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      const light = await axeFindings(page, 'all');
      // The themes differ in their colours alone.
      await page.emulateMedia({ colorScheme: 'dark' });
      found[name] = [...light, ...(await axeFindings(page, isLongRun() ? 'all' : 'colours'))];
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (wide > 0) found[`${name} is too wide`] = [`${wide} pixels`];
    };
    const dialog = async (button: string): Promise<void> => {
      await page.getByRole('button', { name: button }).click();
      await page.waitForSelector('dialog[open]');
      await look(button);
      await page.keyboard.press('Escape');
      await page.waitForSelector('dialog', { state: 'detached' });
    };
    await page.waitForSelector('.line-link.endpoint');
    await look('endpoints');
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
    await page.waitForSelector('.line-link.delivery');
    await look('all deliveries');
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await dialog('Add endpoint …');
    await page.goto(`${world.origin}/portal#/endpoints/${world.ep}?status=dead`);
    await page.waitForSelector('.line-link.delivery');
    await page.waitForSelector('.facts dl');
    await look('an endpoint');
    for (const button of ['Test …', 'Edit …', 'Pause …', 'Delete …', 'Send many again …']) await dialog(button);
    await world.call('POST /v1/apps/{app}/endpoints/{ep}/disable', { app: world.app, ep: world.ep }, {});
    await page.goto(`${world.origin}/portal#/endpoints/${world.ep}/secret`);
    await page.getByRole('button', { name: 'Show the secret' }).click();
    await page.waitForSelector('.keys-alive .command');
    await page.getByText(/^disabled by Acme since .* Ask Acme to open it/).waitFor();
    await look('a secret');
    await dialog('Rotate …');
    await page.goto(`${world.origin}/portal#/endpoints/${world.ep}/verify`);
    await page.waitForSelector('.code pre');
    await look('how to verify');
    await page.goto(`${world.origin}/portal#/events/order.paid`);
    await page.waitForSelector('.json');
    await look('event types');
    const [delivery] = (
      await world.call('GET /v1/apps/{app}/endpoints/{ep}/deliveries', { app: world.app, ep: world.ep })
    ).body.data;
    await page.goto(`${world.origin}/portal#/endpoints/${world.ep}/deliveries/${delivery.message}`);
    await page.getByRole('button', { name: 'Show the body' }).click();
    await page.waitForSelector('.json');
    await look('a delivery');
    for (const width of [360, 390]) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto(`${world.origin}/portal`);
      // Where each went is said on a phone, too.
      await page.locator('.line-link.delivery').filter({ hasText: WRONG }).locator('.to').first().waitFor();
      for (const place of [
        '',
        '#/endpoints',
        `#/endpoints/${world.ep}`,
        '#/events',
        `#/endpoints/${world.ep}/verify`,
      ]) {
        await page.goto(`${world.origin}/portal${place}`);
        await page.waitForSelector('.line-link, .code, .types');
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (wide > 0) found[`${place} at ${width}`] = [`${wide} pixels too wide`];
      }
    }
    expect(Object.entries(found).filter(([, list]) => list.length > 0)).toEqual([]);
    expect(wrong).toEqual([]);
  });

  it('is used by the keyboard alone, from the list to a test', { timeout: 30_000 }, async () => {
    const world = await broken();
    const { page } = await openEndpoints(await world.link('uid:globex'));
    await page.waitForSelector('.line-link');
    const tabTo = async (text: string): Promise<void> => {
      for (let n = 0; n < 60; n++) {
        await page.keyboard.press('Tab');
        if (String(await page.evaluate('document.activeElement.textContent')).includes(text)) return;
      }
      throw new Error(`the tab key does not lead to ${text}`);
    };
    await tabTo(WRONG);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: WRONG }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
    await tabTo('Test …');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    await page.keyboard.press('Enter');
    await page.locator('dialog').getByText('422, it refused the message').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog', { state: 'detached' });
  });

  it('makes an endpoint that is read, by the keyboard alone, and shows where, how far, and how to acknowledge', {
    timeout: 60_000,
  }, async () => {
    const world = await broken();
    const phone = { viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' } as const;
    const { page, wrong } = await openEndpoints(await world.link('uid:globex'), phone);
    await page.getByRole('button', { name: 'Add endpoint …' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    expect(await axeFindings(page, 'all')).toEqual([]);
    // Out of the field of the URL, back to the choice.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByLabel('Your program reads them').and(page.locator(':checked')).waitFor();
    expect(await page.getByLabel('URL').count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.type('Nightly import');
    await page.keyboard.press('Enter');
    await page.getByText('It is there: your program reads').waitFor();
    const { body } = await world.call('GET /v1/apps/{app}/endpoints', { app: world.app });
    const made = body.data.find((it: { description: string }) => it.description === 'Nightly import');
    expect(made).toMatchObject({ url: null, state: 'pulled' });
    await page.getByRole('link', { name: 'how to read' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('nothing was acknowledged yet').waitFor();
    expect(await page.locator('.code pre').textContent()).toContain(
      `"${world.origin}/portal/v1/apps/${world.app}/endpoints/${made.id}/messages"`,
    );
    for (const absent of ['Test …', 'Signing secret', 'How to verify'])
      expect(await page.getByText(absent).count(), absent).toBe(0);
    await world.publish(world.app, '{"key":"read","type":"order.paid","data":{}}');
    await world.settle();
    await page.locator('.facts').getByText('1 waiting, oldest').waitFor();
    const at = { app: world.app, ep: made.id };
    const { cursor } = (await world.call('GET /v1/apps/{app}/endpoints/{ep}/messages', at)).body;
    expect((await world.call('POST /v1/apps/{app}/endpoints/{ep}/ack', at, { cursor })).status).toBe(200);
    await page.locator('.banner').getByText('last acknowledged').waitFor();
    await page.locator('.facts').getByText('last acknowledged').waitFor();
    expect(await axeFindings(page, 'all')).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(wrong).toEqual([]);
  });

  it('rotates a secret with the clock of the old one, and enables with the choice for the backlog', {
    timeout: 30_000,
  }, async () => {
    const world = await broken();
    const { page } = await openEndpoints(await world.link('uid:globex'));
    await page.getByText(WRONG).click();
    await page.getByRole('link', { name: 'Signing secret' }).click();
    expect(await page.getByText('whsec_').count()).toBe(0);
    await page.getByRole('button', { name: 'Rotate …' }).click();
    await page.getByLabel('The old one ends').selectOption({ label: 'after an hour' });
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('ends in 60 min').waitFor();
    expect(await page.locator('.keys-alive li').count()).toBe(2);
    await page.getByRole('button', { name: 'Disable …' }).click();
    await page.getByLabel('Why?').fill('we move');
    await page.getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('“we move”').waitFor();
    await page.getByRole('button', { name: 'Enable …' }).click();
    await page.getByLabel('Drop all of them').check();
    await page.getByRole('button', { name: 'Enable', exact: true }).click();
    await page.getByRole('button', { name: 'Pause …' }).waitFor();
    const runtime = await world.store.get({ table: 'registry', pk: `R#${world.ep}`, sk: 'META' }, 'consistent');
    expect(runtime).toMatchObject({ gate: 'open', dropBefore: expect.any(Number) });
  });

  it('takes the token out of the address, sends it in no query, says its end, and lets a reader change nothing', {
    timeout: 30_000,
  }, async () => {
    const world = await broken();
    const link = await world.link('uid:globex', { read_only: true });
    const { page, asked } = await openEndpoints(link);
    await page.getByText(WRONG).click();
    await page.locator('.line-link.delivery').first().waitFor();
    expect(page.url()).not.toContain('hfp_');
    expect(asked.filter(url => url.includes('hfp_'))).toEqual([]);
    expect(await page.getByRole('button', { name: /Add|Edit|Test|Pause|Disable|Delete|Send|Rotate/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Signing secret' }).count()).toBe(0);
    await page.getByText('you can look, but not change anything').waitFor();
    await world.call('DELETE /v1/apps/{app}/portal-tokens', { app: world.app });
    await page.getByRole('link', { name: 'Event types' }).click();
    await page.getByText('the token was revoked').first().waitFor();
    await page.reload();
    await page.getByText('the token was revoked').waitFor();
    await page.goto(await world.link('uid:globex'));
    await page.locator('.line-link.delivery').first().waitFor();
  });

  it('is shown in a frame of a page that may, which gives the token by message, and in no other', {
    timeout: 30_000,
  }, async () => {
    const html = (to: string): string =>
      `<!doctype html><title>App</title><iframe title="Webhooks" src="${to}"></iframe>`;
    let shown = '';
    const parent = createServer((_, response) => response.setHeader('content-type', 'text/html').end(shown));
    await new Promise<void>(done => parent.listen(0, '127.0.0.1', done));
    servers.push({ close: () => new Promise<void>(done => void parent.close(() => done())) });
    const origin = `http://127.0.0.1:${(parent.address() as { port: number }).port}`;
    const portal = async (frameAncestors: readonly string[]): Promise<string> => {
      const world = await servePortal({ frameAncestors });
      servers.push(world);
      await world.call('POST /v1/apps', {}, { name: 'Globex', uid: 'globex' });
      shown = html(`${world.origin}/portal`);
      return (await world.link('uid:globex')).split('#token=')[1] ?? '';
    };
    const token = await portal([origin]);
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.addInitScript(`addEventListener('message', event => {
      if (event.data?.type === 'holdfast-portal-ready') event.source.postMessage({ type: 'holdfast-portal-token', token: '${token}' }, event.origin);
    })`);
    await page.goto(origin);
    await page.frameLocator('iframe').getByText('No delivery like that').waitFor();
    await portal([]);
    await page.goto(origin);
    await page.waitForTimeout(500);
    expect(page.frames().some(frame => frame.url().endsWith('/portal'))).toBe(false);
  });

  it('shows what strangers write as text: nothing runs, nothing leaves the page', { timeout: 120_000 }, async () => {
    const world = await servePortal({ name: NAUGHTY[1] ?? '' });
    servers.push(world);
    const { call, publish, settle } = world;
    const texts = isLongRun() ? NAUGHTY : NAUGHTY.filter((_, n) => n % 6 === 0);
    const plain = (text: string): string => text.replace(/\p{Cc}/gu, '').slice(0, 200);
    const made = await call(
      'POST /v1/apps',
      {},
      { name: plain(texts[2] ?? 'x') || 'x', uid: 'n', limits: { endpoints: 1_000 } },
    );
    const app = made.body.id as string;
    const eps: string[] = [];
    for (const [n, text] of texts.entries()) {
      world.answerBy(() => [500, text]);
      const body = { url: `https://n${n}.customer.com/`, description: plain(text), types: [`t${n}`] };
      eps.push((await call('POST /v1/apps/{app}/endpoints', { app }, body)).body.id);
      const type = {
        description: plain(text),
        group: plain(text).slice(0, 100) || 'x',
        example: { [text]: text },
        schema: { title: text, [`x-${text}`]: [text] },
      };
      expect((await call('PUT /v1/event-types/{name}', { name: `t${n}` }, type)).status).toBe(200);
      await publish(app, JSON.stringify({ key: `k${n}`, type: `t${n}`, data: { [text]: [text, { text }] } }));
      await settle();
      if (n % 5 === 0)
        await call('POST /v1/apps/{app}/endpoints/{ep}/pause', { app, ep: eps[n] ?? '' }, { why: plain(text) });
    }
    const { page, wrong } = await openEndpoints(await world.link(app));
    await page
      .locator('.line-link.endpoint')
      .nth(texts.length - 1)
      .waitFor();
    const readable = async (): Promise<void> => {
      expect(await page.locator('body').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    };
    await readable();
    for (const [n, ep] of eps.entries()) {
      if (n % 3 !== 0) continue;
      await page.goto(`${world.origin}/portal#/events/t${n}`);
      await page.locator('.json').nth(1).waitFor();
      await readable();
      await page.goto(`${world.origin}/portal#/endpoints/${ep}`);
      await page.locator('.line-link.delivery').click();
      await page.getByRole('button', { name: 'Show the body' }).click();
      await page.locator('.json').last().waitFor();
      await readable();
    }
    // A stranger's text is no address, either.
    await page.goto(`${world.origin}/portal#/endpoints/${encodeURIComponent('"><img src=x onerror=pwned=1>')}/verify`);
    await page.getByRole('alert').first().waitFor();
    expect(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(wrong).toEqual([]);
  });

  it('takes what somebody types into its fields as text', { timeout: 600_000 }, async () => {
    const { ep, ...world } = await broken();
    const texts = isLongRun() ? NAUGHTY : NAUGHTY.filter((_, n) => n % 50 === 0);
    const { page, wrong } = await openEndpoints(await world.link(world.app));
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    const dialog = page.getByRole('dialog');
    /** Sent, and answered: the dialog is gone, or says why not. */
    const submit = async (name: string): Promise<void> => {
      await dialog.getByRole('button', { name, exact: true }).click();
      await expect
        .poll(async () => (await dialog.count()) === 0 || (await dialog.getByRole('alert').count()) > 0)
        .toBe(true);
      expect(await page.locator('body').textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      if ((await dialog.count()) > 0) await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    let saved = 0;
    for (const text of texts) {
      await page.goto(`${world.origin}/portal#/endpoints/${ep}`);
      // 1. All fields of the endpoint at once, then those that take any text.
      for (const url of [text.trim() === '' ? 'x' : text, RIGHT]) {
        await page.getByRole('button', { name: 'Edit …' }).click();
        await page.getByRole('textbox', { name: 'URL' }).fill(url);
        await page.getByLabel('Description').fill(text);
        await page.getByLabel('Event types').fill(url === RIGHT ? '' : text);
        const replace = dialog.getByRole('button', { name: 'Replace them' });
        if ((await replace.count()) > 0) await replace.click();
        await page.getByLabel('Headers of your own').fill(url === RIGHT ? 'x-tenant: acme' : `${text}: ${text}`);
        await submit('Save');
      }
      const { body } = await world.call('GET /v1/apps/{app}/endpoints/{ep}', { app: world.app, ep });
      if (body.description === text && text !== '') saved += 1;
      // 2. The filter of the deliveries.
      await page.getByLabel('Type', { exact: true }).fill(text);
      await page.getByLabel('Type', { exact: true }).press('Enter');
      await page.getByRole('heading', { name: 'How it is' }).waitFor();
      await page.goto(`${world.origin}/portal#/endpoints/${ep}`);
      // 3. A reason that colleagues read.
      await page.getByRole('button', { name: 'Pause …' }).click();
      await page.getByLabel('Why?').fill(text);
      await submit('Pause');
      const shown = await world.call('GET /v1/apps/{app}/endpoints/{ep}', { app: world.app, ep });
      if (shown.body.gate === 'paused') {
        await page.getByRole('button', { name: 'Resume …' }).click();
        await submit('Resume');
      }
      // 4. The type of a test, and the name in the code that is shown.
      await page.getByRole('button', { name: 'Test …' }).click();
      await dialog.getByLabel('Event type').fill(text);
      await dialog.getByRole('button', { name: 'Send', exact: true }).click();
      await dialog.locator('[role=alert], [role=status]').first().waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByRole('link', { name: 'How to verify' }).click();
      await page.getByLabel('Your server keeps the secret in').fill(text);
      if (!/^\w+$/.test(text)) expect(await page.locator('.code pre').textContent()).toContain('WEBHOOK_SECRET');
    }
    expect(saved).toBeGreaterThan(texts.length / 3);
    expect(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(wrong).toEqual([]);
  });
});

it('is at most 40 KB compressed', async () => {
  const world = await servePortal();
  servers.push(world);
  const sizes = Object.entries(world.texts).map(([kind, text]) => [kind, gzipSync(text).length] as const);
  console.log(`bundle: ${sizes.map(([kind, size]) => `${kind} ${size}`).join(', ')} bytes compressed`);
  expect(sizes.reduce((sum, [, size]) => sum + size, 0)).toBeLessThan(40 * 1_024);
});
