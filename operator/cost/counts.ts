/** What AWS counts for the bill, by line. */
export interface Counts {
  httpRequests: number;
  invocations: { ingest: number; process: number };
  writeUnits: number;
  readUnits: number;
  /** Requests to SQS of at most 64 KB, those of Lambda's poller included. */
  queueRequests: number;
  /** Of `queueRequests`, those on the main queue, whose messages carry a group id. */
  fairRequests: number;
  logBytes: number;
  s3Puts: number;
  s3Gets: number;
}
