/** A file of its own in the bundle of `ingest`, and only where `edge` is configured. */
export { throughEdge } from '#core/inbound/ingest/through-edge.ts';
