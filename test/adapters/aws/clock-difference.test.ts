/** How far a function's clock is off is read from the services' own answers, and printed once. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteServiceDate, takeClockDifference } from '#adapters/aws/clock-difference.ts';
import { createDynamoDbClient } from '#adapters/dynamodb/create-dynamodb-client.ts';
import { DynamoDbPayloadStore } from '#adapters/dynamodb/dynamodb-payload-store.ts';
import { flushTelemetry } from '#lambdas/shared/flush-telemetry.ts';
import { makeEventItem } from '../contracts/event-item-fixture.ts';

let server: Server;
let aheadMs = 0;
let env: Record<string, string>;
beforeEach(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.sendDate = false;
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
  takeClockDifference();
});
afterEach(() => server.close());

const ask = () => new DynamoDbPayloadStore(createDynamoDbClient(env), 'p').getBody(makeEventItem('a', 'b').pk, 'c');

describe('an answer of a service', () => {
  it.each([
    [-120_000, 120],
    [240_000, 240],
  ])('a clock that is %d ms off is measured', async (off, seconds) => {
    aheadMs = off;
    await ask();
    const apart = takeClockDifference() ?? 0;
    expect(Math.abs(apart / 1_000 - seconds)).toBeLessThan(3);
    expect(takeClockDifference()).toBeUndefined();
  });

  it('a clock that is right says nothing', async () => {
    aheadMs = 0;
    await ask();
    expect(takeClockDifference()).toBeUndefined();
  });
});

it('is printed with the metrics of the invocation, the largest of them', async () => {
  noteServiceDate(new Date(1_000_000_000).toUTCString(), 1_000_070_000);
  noteServiceDate(new Date(1_000_000_000).toUTCString(), 1_000_010_000);
  noteServiceDate('no date', 1_000_010_000);
  const printed: unknown[] = [];
  const telemetry = {
    log: () => undefined,
    measure: (...all: unknown[]) => printed.push(all),
    flush: () => printed.push('flush'),
  };
  await flushTelemetry(telemetry).after?.({} as never);
  await flushTelemetry(telemetry).onError?.({} as never);
  expect(printed).toEqual([['ClockDifference', 70], 'flush', 'flush']);
});
