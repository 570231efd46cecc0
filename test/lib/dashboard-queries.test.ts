/** The dashboard asks log lines for fields: they must be there, under these names. */
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it } from 'vitest';
import { retryAfter } from '#core/handler/handler-contract.ts';
import { queryWidgets } from '#lib/constructs/dashboard-queries.ts';
import { MemoryWorld } from '#test/kit/memory-world.ts';
import { handlerThat } from '#test/proof/journeys/support/handlers.ts';

/** One event that dies after a throw, and one whose handler asks to wait. */
async function linesOfAnIncident() {
  const world = new MemoryWorld({
    retry: { attempts: 2, baseSeconds: 1, capSeconds: 1 },
    handlers: handlerThat(({ id }) =>
      id === 'waits' ? Promise.resolve(retryAfter(1, 'away')) : Promise.reject(new Error('no such column')),
    ),
  });
  world.start();
  for (const id of ['dies', 'waits']) await world.post({ id });
  await world.settle();
  world.stop();
  return world.telemetry.lines.map(({ line }) => line);
}

it('asks for stages, outcomes and fields that the functions log', async () => {
  const logs = new LogGroup(new Stack(new App(), 'S'), 'L', { logGroupName: 'logs' });
  const lines = await linesOfAnIncident();
  for (const widget of queryWidgets(logs)) {
    const query = String(JSON.parse(JSON.stringify(widget.toJson()))[0].properties.query);
    const stage = /stage = "(\w+)"/.exec(query)?.[1];
    const outcomes = /outcome in \[([^\]]*)\]/.exec(query)?.[1]?.match(/\w+/g) ?? undefined;
    const meant = lines.filter(
      line => line['stage'] === stage && (outcomes === undefined || outcomes.includes(String(line['outcome']))),
    );
    expect(meant.length, query).toBeGreaterThan(0);
    const fields = [
      ...(/ by ([\w, ]+)/.exec(query)?.[1]?.split(', ') ?? []),
      ...(query.includes('latest(error)') ? ['error'] : []),
    ];
    for (const field of fields)
      expect(
        meant.some(line => line[field.trim()] !== undefined),
        `${stage}: ${field}`,
      ).toBe(true);
    if (outcomes) expect(new Set(meant.map(line => line['outcome'])), query).toEqual(new Set(['failed', 'retry']));
  }
});
