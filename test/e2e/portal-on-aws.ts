/** The portal of the customer of outbound-journey.ts, as it is deployed on the local AWS, in a browser. */
import { expect } from 'vitest';
import type { LocalReceiver } from '#local/sample/receiver.ts';
import { portalLink } from '#operator/customers/portal-links.ts';
import { openBrowser } from '#test/kit/browser.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';
import { APP, operatorAt } from './outbound-journey.ts';

const HEALTHY = '/verify/healthy';

/** The customer sees what was sent and sends a test, which arrives; a reader may not. Nothing is asked of another origin. */
export async function usePortal(gateway: GatewayUnderTest, receiver: LocalReceiver): Promise<void> {
  const operator = operatorAt(gateway);
  const browser = await openBrowser();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const wrong: string[] = [];
    page.on('pageerror', error => wrong.push(error.message));
    page.on('response', answer => {
      if (!answer.ok() || !answer.url().startsWith(gateway.aws.endpoint))
        wrong.push(`${answer.status()} ${answer.url()}`);
    });
    const { url } = await portalLink(operator, APP, { readOnly: false, seconds: 600 });
    await page.goto(url);
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await page.getByText(HEALTHY).click();
    await page.locator('.line-link.delivery').first().waitFor();
    expect(page.url()).not.toContain('hfp_');
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Test …' }).click();
    await page.getByLabel('Event type').fill('invoice.tried');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('204 (ok)').waitFor();
    const tried = receiver.received
      .slice(before)
      .filter(({ headers }) => headers['x-webhook-event'] === 'invoice.tried');
    expect(tried.map(({ path, signature }) => [path, signature])).toEqual([[HEALTHY, 'verified']]);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    const reader = await (await browser.newContext()).newPage();
    await reader.goto((await portalLink(operator, APP, { readOnly: true, seconds: 600 })).url);
    await reader.getByRole('link', { name: 'Endpoints', exact: true }).click();
    await reader.getByText(HEALTHY).click();
    await reader.locator('.line-link.delivery').first().waitFor();
    expect(await reader.getByRole('button', { name: 'Test …' }).count()).toBe(0);
    expect(wrong).toEqual([]);
  } finally {
    await browser.close();
  }
}
