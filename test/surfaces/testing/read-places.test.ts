/** Where a test says that a handler's error was thrown. */
import { createTestEvent, runHandler } from 'holdfast/testing';
import { expect, it } from 'vitest';
import { done } from '#core/handler/handler-contract.ts';
import { readPlaces } from '../../../sdk/testing/read-places.ts';

const event = createTestEvent({ body: { id: 'evt_1' } });

it('names the file and the line of the bug, as the live system does', async () => {
  const run = await runHandler(async ({ payload }) => {
    const { customer } = payload as { customer: { name: string } };
    return done({ actionTaken: customer.name });
  }, event);
  expect(run.lastError).toMatch(
    /^handler_error: TypeError at test\/surfaces\/testing\/read-places\.test\.ts:12: Cannot read properties of undefined/,
  );
});

it.each([
  ['    at onBox (file:///nowhere/handlers/box.ts:7:3)'],
  [`    at run (${process.cwd()}/node_modules/x/index.js:1:1)`],
  ['    at node:internal/process/task_queues:103:5'],
  [`    at async runHandler (${process.cwd()}/sdk/testing/run-handler.ts:99:12)`],
])('does not take for it what is outside of the project: %s', line => {
  expect(readPlaces({ stack: `Error: x\n${line}` } as Error)).toEqual({ frames: [] });
});

it('reads a frame without parentheses, and one with a file URL', () => {
  const here = process.cwd();
  const stack = `Error: x\n    at async ${here}/handlers/box.ts:7:3\n    at file://${here}/handlers/index.ts:2:1`;
  expect(readPlaces({ stack } as Error)).toEqual({
    own: 'handlers/box.ts:7',
    frames: ['handlers/box.ts:7:3', 'handlers/index.ts:2:1'],
  });
});
