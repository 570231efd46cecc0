import { describe, expect, it } from 'vitest';
import { renderProviderPage } from '#cli/render-provider-page.ts';
import { given } from '#core/given.ts';
import { ackOf } from '#core/provider/spec-defaults.ts';
import { PROVIDERS, providerById } from '#providers/index.ts';
import { renderProviderDocs } from '#test/written/provider-docs.ts';

const pages = renderProviderDocs();

describe('the documentation of the providers', () => {
  it('shows on each page what is not confirmed, and nothing undefined', () => {
    for (const spec of Object.values(PROVIDERS)) {
      const text = pages.get(`docs/providers/${spec.id}.md`) ?? '';
      // A deadline that nobody states is not there at all, as the list of providers says.
      const unstated = !/\*\*Answer:\*\*[^*]* within /.test(text);
      const notes = (spec.unconfirmed ?? []).filter(note => note !== 'deadline' || !unstated);
      for (const note of notes) expect(text, spec.id).toContain(note);
      expect(text).toContain(spec.checkedOn);
      expect(text).not.toMatch(/undefined|\[object/);
    }
  });

  it('says how long a provider waits where somebody states it, and not what we took because nobody does', () => {
    const stripe = providerById('stripe');
    const answer = (deadlineMs: number, ...unconfirmed: string[]) =>
      /\*\*Answer:\*\* (.*?)\. \*\*/.exec(
        renderProviderPage({ ...stripe, ack: { ...ackOf(stripe), deadlineMs }, unconfirmed }),
      )?.[1];
    expect(answer(10_000)).toBe('within 10 seconds');
    expect(answer(30_000, 'retries', 'deadline')).toBe('within 30 seconds');
    expect(answer(10_000, 'deadline')).toBeUndefined();
  });

  it('names the kind of a place once, what must be there before what may, and the JSON after a form', () => {
    const page = renderProviderPage({
      ...providerById('stripe'),
      identity: {
        key: [['header:a?', 'json:b', 'header:c', 'header:d?'], ['hash:body']],
        type: ['form:e', 'form:f', 'json:g', 'json:h'],
        ordering: ['parent:i', 'parent:j'],
      },
    });
    expect(page).toContain('**Identity:** `b`, header `c` and, if there, `a` and `d`; else content.');
    expect(page).toContain('**Type:** form field `e`, else `f`, else JSON `g`, else `h`.');
    expect(page).toContain("**Order:** the entry's `i`, else `j`.");
    expect(pages.get('docs/providers/app-store.md')).toContain('**Type:** claim `notificationType`.`subtype`.');
    expect(pages.get('docs/providers/github.md')).toContain('**Type:** header `x-github-event`.`action`.');
  });

  it('says of a second proof only the place where all else is the same', () => {
    const page = (id: string) => pages.get(`docs/providers/${id}.md`);
    expect(page('shopify')).toContain('**Or** (`shopify-events`): the same in header `shopify-hmac-sha256`.');
    expect(page('mailgun')).toContain('**Or** (`mailgun-form`): HMAC-SHA256 of `{ts}{form:token}`');
  });

  it('links to the page of Standard Webhooks where the proof is that one', () => {
    const page = (id: string) => pages.get(`docs/providers/${id}.md`);
    expect(page('standard-webhooks')).toContain('**Proof:** HMAC-SHA256 of `{header:webhook-id}.{ts}.{body}`, base64');
    expect(page('openai')).toContain('**Proof:** [Standard Webhooks](standard-webhooks.md).');
    expect(page('clerk')).toContain('**Proof:** [Standard Webhooks](standard-webhooks.md), in headers `svix-…`.');
    expect(page('slack')).toContain('**Proof:** HMAC-SHA256 of `v0:{ts}:{body}`');
  });

  it('tells the window of a signed time, on one side or both', () => {
    const stripe = providerById('stripe');
    const proof = (past?: number, future?: number) =>
      /stripe-signature`; (.*)\.\n/.exec(
        renderProviderPage({
          ...stripe,
          verify: stripe.verify.map(scheme => ({
            ...scheme,
            time: { from: 'sig:t', unit: 's', signed: true, ...given({ past, future }) },
          })),
        }),
      )?.[1];
    expect(proof(300, 300)).toBe('within 5 minutes of its `t`');
    expect(proof(7_200, 300)).toBe('at most 2 hours after its `t`, 5 minutes before');
    expect(proof(7_200)).toBe('at most 2 hours after its `t`');
    expect(proof(undefined, 300)).toBe('at most 5 minutes before its `t`');
    expect(proof()).toBe('its `t` is signed, and may be of any age');
  });
});
