/**
 * The routes of the status API, all behind IAM: one table for the front door, the handler and the test that compares
 * docs/api/openapi.json. A field that is not listed is refused, so that a misspelt filter never means "everything".
 */
import { FILTER_FIELDS } from '#core/inbound/search/event-filter.ts';

const PAGE = ['limit', 'cursor', 'order'] as const;
const REPLAY = ['why', 'new_key', 'force', 'body_sha256', 'request_id'] as const;
const JOB = ['dry_run', 'why', 'rate_per_second', 'limit', 'new_key', 'as_of'] as const;

type FilterField = (typeof FILTER_FIELDS)[number];
interface RouteFields {
  /** Query parameters. */
  readonly query: readonly (FilterField | (typeof PAGE)[number])[];
  /** Fields of the JSON body. */
  readonly body: readonly (FilterField | (typeof REPLAY)[number] | (typeof JOB)[number])[];
  /** Of them; a dry run needs none. */
  readonly required?: readonly ['why'];
}

const routes = {
  'GET /events': { query: [...FILTER_FIELDS, ...PAGE], body: [] },
  'GET /events/{event_id}': { query: ['source'], body: [] },
  'GET /events/{event_id}/status': { query: ['source'], body: [] },
  'POST /events/{event_id}/replay': { query: ['source'], body: REPLAY, required: ['why'] },
  'GET /dead-letters': { query: [...FILTER_FIELDS.filter(it => it !== 'status'), ...PAGE], body: [] },
  'POST /replay-jobs': { query: [], body: [...FILTER_FIELDS, ...JOB], required: ['why'] },
  'GET /replay-jobs/{job_id}': { query: [], body: [] },
  'POST /replay-jobs/{job_id}/cancel': { query: [], body: [] },
  'GET /sources': { query: [], body: [] },
  'POST /sources/{source}/pause': { query: [], body: ['why'], required: ['why'] },
  'POST /sources/{source}/resume': { query: [], body: [] },
} as const satisfies Readonly<Record<string, RouteFields>>;

export type ApiRoute = keyof typeof routes;
export const API_FIELDS: Readonly<Record<ApiRoute, RouteFields>> = routes;
export const API_ROUTES = Object.keys(routes) as readonly ApiRoute[];
