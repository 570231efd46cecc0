/**
 * What providers send again and again, for deflate to refer to (docs/decisions/0008-a-dictionary-for-each-provider.md).
 * Stored bodies name their dictionary by its number: never change or remove one; a better one gets the next number, and
 * of those of a provider the last is the one to write with.
 */
import { GITHUB_KEYS } from './dictionaries/github-keys.ts';
import { SHOPIFY_KEYS } from './dictionaries/shopify-keys.ts';
import { STRIPE_KEYS } from './dictionaries/stripe-keys.ts';

export interface Dictionary {
  /** 0 to 255. */
  readonly id: number;
  readonly provider: string;
  readonly bytes: Buffer;
}

export const DICTIONARIES: readonly Dictionary[] = [
  { id: 1, provider: 'stripe', bytes: Buffer.from(STRIPE_KEYS) },
  { id: 2, provider: 'github', bytes: Buffer.from(GITHUB_KEYS) },
  { id: 3, provider: 'shopify', bytes: Buffer.from(SHOPIFY_KEYS) },
];
