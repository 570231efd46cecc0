/** What the portal's API answers, as far as the page shows it. */
import type { DayCounts, EndpointState } from '../../core/words.ts';
import type { Delivery, Health } from '../../ui/delivery.ts';

export interface Endpoint extends EndpointState {
  readonly id: string;
  /** Null: its owner reads. */
  readonly url: string | null;
  readonly description: string;
  readonly types: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly signature: string;
  readonly signature_header: string | null;
  /** Of one that is asked for by itself: kinds of the secrets that sign. */
  readonly secret_algs?: readonly string[];
  readonly version: number;
  readonly gate: 'open' | 'paused' | 'disabled' | 'deleted';
}
export type EndpointHealth = Health & Pick<Endpoint, 'gate'>;
export interface NewEndpoint extends Endpoint {
  readonly verify_with?: string;
}

/** Of the last day. */
export interface Stats {
  readonly each: readonly (DayCounts & { readonly endpoint: string })[];
}

export interface Contact {
  readonly id: string;
  readonly email: string | null;
  readonly url: string | null;
  readonly state: 'confirmed' | 'unconfirmed';
}
export interface NewContact extends Contact {
  readonly secret?: string;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly cursor: string | null;
}
export type DeliveryPage = Page<Delivery>;

export interface Key {
  readonly key_id: string;
  readonly secret: string;
  readonly verify_with: string;
  readonly active_from: string | null;
  readonly not_after: string | null;
}

export interface Job {
  readonly id: string;
  readonly state: string;
  readonly counts: { readonly seen: number; readonly replayed: number; readonly skipped: number };
}

/** What the data of one version of a type looks like. */
export interface TypeVersion {
  readonly version: string | null;
  readonly schema: unknown;
  readonly example: unknown;
  readonly deprecated: boolean;
}
/** In its newest version. */
export interface EventType extends TypeVersion {
  readonly name: string;
  readonly description: string;
  readonly group: string | null;
  readonly ends_at: string | null;
  readonly replacement: string | null;
  /** Newest first. */
  readonly earlier: readonly TypeVersion[];
}
