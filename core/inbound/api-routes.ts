/** The routes of the status API: one table for the front door, the handler and the OpenAPI document. All behind IAM. */
export const API_ROUTES = [
  'GET /events',
  'GET /events/{event_id}',
  'GET /events/{event_id}/status',
  'POST /events/{event_id}/replay',
  'GET /dead-letters',
  'POST /replay-jobs',
  'GET /replay-jobs/{job_id}',
  'POST /replay-jobs/{job_id}/cancel',
  'GET /sources',
  'POST /sources/{source}/pause',
  'POST /sources/{source}/resume',
] as const;
export type ApiRoute = (typeof API_ROUTES)[number];
