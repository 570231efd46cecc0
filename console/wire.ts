/** What the page and its server say to each other. Times are epoch milliseconds; names of events are our ids (evt_…). */

import type { DayCounts, EndpointState } from '../core/words.ts';
import type { Health } from '../ui/delivery.ts';
import type { Problem } from '../ui/problem.ts';

export type {
  Attempt as OutAttempt,
  Delivery as OutDelivery,
  Health as OutHealth,
  TestResult as OutTest,
} from '../ui/delivery.ts';
export type { Problem };

/** The header that carries the token of this run. */
export const TOKEN_HEADER = 'x-holdfast-console';

export interface Hello {
  readonly environment: string;
  /** Region, or the address of the local AWS. */
  readonly place: string;
  readonly by: string;
  readonly readOnly: boolean;
  /** How to begin a command for this environment in a terminal. */
  readonly program: string;
  readonly sources: readonly string[];
  /** Fields that sources declare: `order=1234` finds an event. */
  readonly searchable: readonly string[];
  /** It sends webhooks to customers, too. */
  readonly outbound: boolean;
  readonly now: number;
}

export interface EventRow {
  readonly id: string;
  readonly key: string;
  readonly source: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly receivedAt: number;
  /** How long from received to its end; absent while open. */
  readonly tookMs?: number;
  readonly cause?: string;
  readonly error?: string;
}

export interface EventList {
  readonly events: readonly EventRow[];
  /** There may be more: ask again with it. */
  readonly cursor?: string;
  /** Everything received after was looked at. */
  readonly lookedTo: number;
  readonly now: number;
}

/** Instead of an answer that takes much reading: about what it reads. With `read=yes` the same is answered. */
export interface ReadsFirst {
  readonly reads: ({ readonly events: number } | MuchOfEndpoints) & {
    readonly units: number;
    readonly dollars: number;
  };
}
interface MuchOfEndpoints {
  readonly endpoints: number;
  /** There are more applications: these are the reads of so many. */
  readonly ofFirst?: number;
}

/** One stretch of an event's way. */
export interface Step {
  readonly kind: 'received' | 'queued' | 'attempt' | 'waited' | 'replayed' | 'ended' | 'next';
  readonly at: number;
  /** Length; absent for a moment. */
  readonly ms?: number;
  readonly label: string;
  readonly note?: string;
  readonly outcome?: 'ok' | 'failed' | 'running' | 'dead';
}

export interface EventDetail {
  readonly row: EventRow;
  readonly way: readonly Step[];
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly result?: unknown;
  readonly replays: readonly { readonly at: number; readonly by: string; readonly why: string; readonly gen: number }[];
  readonly now: number;
}

export interface EventBody {
  readonly headers: Readonly<Record<string, string>>;
  /** Those of the signature, which are never kept. */
  readonly dropped: readonly string[];
  readonly size: number;
  /** The body where it is UTF-8 text. */
  readonly text?: string;
  readonly base64: string;
}

export interface SourceRow {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly state: 'receiving' | 'paused' | 'no secret' | 'pairing' | 'silent';
  readonly pausedBy?: string;
  readonly pausedWhy?: string;
  readonly pausedSince?: number;
  /** By minute of the last hour, oldest first. */
  readonly accepted: readonly number[];
  /** More arrived than were read: `accepted` counts all since then, and nothing before. */
  readonly cappedAt?: number;
  readonly died: readonly number[];
  /** Deaths that are open, however old: what a replay covers. */
  readonly open: number;
  /** More died, and are open, than were counted. */
  readonly more: boolean;
  /** Requests of the last hour that are kept of those that did not verify. */
  readonly refused: number;
  readonly lastAt?: number;
}

interface NeedRow {
  readonly text: string;
  readonly isNotice: boolean;
  readonly next: { readonly text: string; readonly href: string };
}

export interface NowView {
  /** One sentence that is true. */
  readonly sentence: string;
  readonly mood: 'well' | 'notice' | 'trouble';
  /** The one next step. */
  readonly next?: { readonly text: string; readonly href: string };
  readonly numbers: {
    readonly received: number;
    readonly capped: boolean;
    readonly waiting: number;
    readonly inFlight: number;
    readonly unfinished: number;
    readonly unfinishedCapped: boolean;
    /** Part of it is a share of a sample. */
    readonly unfinishedAbout: boolean;
    readonly oldestAt?: number;
    readonly dead: number;
    readonly deadCapped: boolean;
    /** When they were counted. Absent: now. */
    readonly deadAt?: number;
  };
  /** What needs a person and what is worth knowing, the gravest first. */
  readonly needs: readonly NeedRow[];
  readonly sources: readonly SourceRow[];
  readonly alarms: readonly AlarmRow[];
  readonly jobs: readonly JobRow[];
  readonly now: number;
}

export interface AlarmRow {
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly notice: boolean;
  readonly since: number;
  readonly reason: string;
  readonly description: string;
  /** What it means, without its severity. */
  readonly meaning: string;
  /** Of an alarm that combines others: their names. */
  readonly watches?: readonly string[];
  /** Who is told when it rings, in a sentence; absent where its description does not say how grave it is. */
  readonly told?: string;
  /** Name of its page in docs/runbooks. */
  readonly runbook: string;
}

export interface DeadGroupRow {
  readonly source: string;
  readonly cause: string;
  /** What means the group. */
  readonly pattern: string;
  /** What its errors have in common. */
  readonly error: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly histogram: readonly number[];
  readonly sample: EventRow;
}

export interface DeadView {
  readonly groups: readonly DeadGroupRow[];
  readonly total: number;
  readonly inQueue: number;
  readonly now: number;
}

export interface LogRow {
  readonly at: number;
  /** The function. */
  readonly from: string;
  readonly level: string;
  readonly stage: string;
  readonly words: readonly (readonly [name: string, text: string])[];
  /** Of a stack, the innermost first. */
  readonly places: readonly string[];
}

/** What was logged of an event, or of one attempt. */
export interface EventLogView {
  readonly lines: readonly LogRow[];
  /** Why there are none. */
  readonly none?: string;
  /** Where the handler threw, as the checkout of the console has it. */
  readonly code?: {
    readonly file: string;
    readonly line: number;
    readonly lines: readonly { readonly n: number; readonly text: string }[];
  };
}

export interface JobRow {
  readonly id: string;
  readonly state: 'running' | 'canceled' | 'done';
  readonly by: string;
  readonly why: string;
  readonly createdAt: number;
  readonly finishedAt?: number;
  readonly ratePerSecond: number;
  readonly expected?: number;
  readonly done: number;
  /** When it began, in words, or how long it waits. */
  readonly beginning: string;
  readonly replayed: number;
  /** Not replayed, by reason. */
  readonly others: Readonly<Record<string, number>>;
  readonly meant: string;
}

export interface ReplayPreview {
  readonly count: number;
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  readonly ratePerSecond: number;
  readonly seconds: number;
  /** Give it back with the order: exactly these are replayed. */
  readonly asOf: number;
}

export interface SourceDetail {
  readonly row: SourceRow;
  readonly secret: string;
  readonly secretChangedAt?: number;
  readonly previousUntil?: number;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** Of the last hour, by cause, the most frequent first. */
  readonly refused: readonly { readonly cause: string; readonly count: number; readonly text: string }[];
  /** The provider's page, Markdown. */
  readonly page?: string;
  readonly now: number;
}

/** A request that was not accepted, and the sentence that says why. */
export interface RefusedRow {
  readonly id: string;
  readonly cause: string;
  /** The check's own word for what was wrong. */
  readonly hint?: string;
  readonly at: number;
  readonly size: number;
  readonly likely: string;
}

export interface RefusedDetail {
  /** Absent where the source keeps none. Never a signature or a credential. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The first 16 KB. */
  readonly text?: string;
}

/** The structure of a type of event, and when it changed. */
export interface ShapeRow {
  readonly type: string;
  /** Until then differences are learned without a word. */
  readonly learnUntil: number;
  /** Newest first. */
  readonly changes: readonly {
    readonly at: number;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
    readonly paths: number;
  }[];
  readonly paths: readonly { readonly path: string; readonly types: string; readonly optional: boolean }[];
}

/** Webhooks to customers: times are ISO 8601, as the delivery API says them. */
export interface OutApplication {
  readonly id: string;
  readonly uid: string | null;
  readonly name: string;
  readonly endpoints: number;
  readonly state: string;
}

export interface OutEndpoint extends EndpointState {
  readonly id: string;
  readonly uid: string | null;
  readonly application: string;
  /** Null: its owner reads. */
  readonly url: string | null;
  readonly types: readonly string[];
  /** Of the first in a list that are not well. */
  readonly waiting?: Health['waiting'];
  readonly dead?: number;
  readonly dead_more?: boolean;
  /** In lists of one application. */
  readonly day?: DayCounts;
}

export interface OutMessage {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly created_at: string;
}

/** What an alarm judges, over the last hours. */
export interface AlarmGraphView {
  /** Absent: it combines other alarms, or nothing of that name is there. */
  readonly graph?: {
    readonly points: readonly { readonly at: number; readonly value: number }[];
    readonly from: number;
    readonly periodMs: number;
    readonly threshold?: number;
    readonly comparison: string;
    readonly periods: number;
    readonly needed: number;
    readonly missing: string;
  };
  readonly now: number;
}

export interface Difference {
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed' | 'type';
  readonly left?: string;
  readonly right?: string;
}

export interface Sent {
  readonly status: number;
  readonly ms: number;
  readonly body: string;
}

export interface GrepHit {
  readonly row: EventRow;
  readonly excerpt: string;
}
/** One line of the answer of a search in bodies. */
export type GrepLine =
  | ({ readonly kind: 'reads' } & ReadsFirst)
  | { readonly kind: 'hit'; readonly hit: GrepHit }
  | {
      readonly kind: 'progress' | 'end';
      readonly read: number;
      readonly hits: number;
      readonly dollars: number;
      readonly lookedTo: number;
      /** Of `end`: where to go on; absent when the window was looked through. */
      readonly cursor?: string;
    };

export type LiveNews =
  | { readonly kind: 'event'; readonly row: EventRow }
  | { readonly kind: 'hello'; readonly now: number; readonly missed: boolean }
  | ({ readonly kind: 'trouble' } & Problem)
  | { readonly kind: 'well' }
  /** The environment was deployed with another configuration: ask hello again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'beat'; readonly now: number };
/** A message of the live stream. `seq` counts up; give the last one back to go on from there. */
export type LiveMessage = LiveNews & { readonly seq: number };
