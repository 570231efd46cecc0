/**
 * What providers send again and again, for deflate to refer to (docs/decisions/bodies-are-packed-with-a-providers-dictionary.md).
 * Stored bodies name their dictionary by its number: never change or remove one; a better one gets the next number, and
 * of those of a provider the last is the one to write with. Each is a file beside the code, here as in a bundle
 * (lib/bundling), and read on first use: no start reads those of providers that nobody receives from.
 */
import { readFileSync } from 'node:fs';

export interface Dictionary {
  /** 0 to 255. */
  readonly id: number;
  readonly provider: string;
  readonly bytes: () => Buffer;
}

export const DICTIONARIES: readonly Dictionary[] = [
  // Keys of Stripe's events as they are sent (two spaces of indentation), with the values that most of them have. Key
  // names and documented values only, by type of event, the most frequent last; from the resources in
  // github.com/stripe/stripe-mock v0.203.0 (MIT) and Stripe's API reference.
  { id: 1, provider: 'stripe', bytes: fromFile('stripe-keys.txt') },
  // Keys and URL templates of GitHub's events, without the values of any. Chosen by how much of 238 examples of
  // @octokit/webhooks-examples 7.6.1 (MIT) they cover; 91 others, and 48 of github.com/go-playground/webhooks v6.4.0
  // (MIT), were kept for the check.
  { id: 2, provider: 'github', bytes: fromFile('github-keys.txt') },
  // Keys of Shopify's webhooks with the values that most of them have, orders last; names from Shopify's webhook reference.
  { id: 3, provider: 'shopify', bytes: fromFile('shopify-keys.txt') },
];

function fromFile(name: string): () => Buffer {
  let bytes: Buffer | undefined;
  return () => {
    bytes ??= readFileSync(new URL(name, import.meta.url));
    return bytes;
  };
}
