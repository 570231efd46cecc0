/** The parts of bench/calibration/calibrate.ts that need no account. */
import { describe, expect, it } from 'vitest';
import { compare, showComparison } from '#bench/calibration/compare.ts';
import { readReport } from '#bench/calibration/read-reports.ts';

const WARM = { billedMs: 23 };

describe('a report', () => {
  it('is read from JSON, with the init of a cold start', () => {
    const line = (more: object): string =>
      JSON.stringify({
        time: '2026-11-22T04:00:00.000Z',
        type: 'platform.report',
        record: {
          requestId: 'x',
          status: 'success',
          metrics: { durationMs: 22.1, billedDurationMs: 23, memorySizeMB: 512, maxMemoryUsedMB: 101, ...more },
        },
      });
    expect(readReport(line({}))).toEqual(WARM);
    expect(readReport(line({ initDurationMs: 231.4 }))).toEqual({ ...WARM, initMs: 231.4 });
  });

  it.each([
    'START RequestId: x Version: $LATEST',
    '{"type":"platform.start","record":{}}',
    '{"message":"a line that mentions \\"platform.report\\""}',
    '{"type":"platform.report","record":{"metrics":{"durationMs":1}}}',
    '{"type":"platform.report"',
  ])('is not read from %s', line => {
    expect(readReport(line)).toBeUndefined();
  });
});

describe('the comparison', () => {
  const sample = {
    events: 10,
    ingest: [WARM, { ...WARM, billedMs: 33 }, { ...WARM, billedMs: 300, initMs: 240 }],
    process: [{ ...WARM, billedMs: 40 }],
    acceptMs: [30, 50, 40],
    consumedWriteUnits: 95,
  };
  const prediction = {
    ingestBilledMs: 14,
    processBilledMsPerRecord: 4,
    initMs: 120,
    acceptP50: 40,
    writeUnitsPerEvent: 9.5,
  };

  it('keeps cold starts apart and divides by events', () => {
    expect(compare(sample, prediction)).toEqual([
      { name: 'ingest, billed ms per event', measured: 28, predicted: 14 },
      { name: 'process, billed ms per event', measured: 4, predicted: 4 },
      { name: 'cold start, init ms, median', measured: 240, predicted: 120 },
      { name: 'accept, ms, median (your network included)', measured: 40, predicted: 40 },
      { name: 'write units per event', measured: 9.5, predicted: 9.5 },
    ]);
  });

  it('prints both and their ratio', () => {
    const [line] = showComparison(compare(sample, prediction));
    expect(line).toMatch(/^ingest, billed ms per event +28\.0 measured +14\.0 predicted {2}2\.00 ×$/);
  });

  it('says what is missing instead of dividing by nothing', () => {
    expect(() => compare({ ...sample, process: [] }, prediction)).toThrow(/2 warm reports of ingest and 0 of process/);
  });
});
