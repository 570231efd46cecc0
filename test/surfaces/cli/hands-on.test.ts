/** The hands-on drills with a person who types commands: what helps is seen, with its time, and what does not is not. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { parseSecret } from '#adapters/secrets/parse-secret.ts';
import { DrillStage, type StageParts } from '#local/drills/drill-stage.ts';
import { EXERCISES } from '#local/drills/exercises.ts';
import { type Exercise, type HandsOnStage, playHandsOn } from '#local/drills/hands-on.ts';
import { Transcript } from '#local/drills/transcript.ts';
import { CliWorld } from './cli-world.ts';

/** Other drills need them (hands-on-events.test.ts). */
const notHere = (): never => {
  throw new Error('not in this drill');
};
const UNUSED = { key: notHere, now: notHere, died: notHere, putRow: notHere, lastArrival: notHere, isPaused: notHere };

/** A gateway whose source `shop` believes what the CLI stored, and whose processor runs while the CLI says so. */
function incident(title: string, limitMs = 60_000) {
  const cli = new CliWorld();
  const exercise = EXERCISES.find(it => it.title === title);
  if (!exercise) throw new Error(title);
  let now = 0;
  const said: string[] = [];
  const waiting: string[] = [];
  const completed = new Set<string>();
  let isRefused = false;
  const stage: HandsOnStage = {
    async send(name, _data, secret = 'the old secret') {
      if (cli.processorState === 'Enabled') completed.add(name);
      else waiting.push(name);
      const parsed = parseSecret(cli.vault.stored.get('holdfast/local/shop')?.text);
      if (parsed.kind !== 'secret') return 503;
      const { current, previous } = parsed.secret;
      isRefused = ![current, previous].includes(secret);
      return isRefused ? 401 : 200;
    },
    page: async alarm => ({ alarm, state: 'ALARM', text: `ALARM: holdfast-drill-${alarm}\nFirst: …`, at: now }),
    stateOf: async () => (isRefused || waiting.length > completed.size ? 'ALARM' : 'OK'),
    item: async name => (completed.has(name) ? ({ status: 'completed' } as never) : undefined),
    timesApplied: async name => (completed.has(name) ? 1 : 0),
    disableProcessor: async () => {
      cli.processorState = 'Disabled';
    },
    ...UNUSED,
    fail: what => {
      throw new Error(what);
    },
  };
  cli.vault.stored.set('holdfast/local/shop', { kind: 'set', text: 'the old secret', changedAt: 0 });
  /** What the person types, by the second. */
  const play = (typed: Readonly<Record<number, (told: string) => Promise<unknown>>>) =>
    playHandsOn(exercise, stage, {
      say: line => void said.push(line),
      now: () => now,
      limitMs,
      sleep: async ms => {
        now += ms;
        await typed[now / 1_000]?.(said.join('\n'));
        if (cli.processorState === 'Enabled') for (const name of waiting) completed.add(name);
      },
    });
  return { cli, play, text: () => said.join('\n') };
}
const secretIn = (told: string): string => /for default: (\w+)/.exec(told)?.[1] ?? '';

it('a wrong secret: the page, the right command, and the time it took', async () => {
  const { cli, play, text } = incident('bad-secret');
  const rotate = (told: string) =>
    cli.run(['sources', 'rotate', 'shop', '--grace', '24h', '--yes'], { stdin: `${secretIn(told)}\n` });
  expect(await play({ 7: () => cli.run(['refused', 'ls']), 21: rotate })).toBe(true);
  expect(text()).toMatch(/It is over, 21 s after the page/);
}, 20_000);

it('a wrong secret: one who throws the old secret away is told what is missing', async () => {
  const { cli, play, text } = incident('bad-secret', 30_000);
  const replace = (told: string) =>
    cli.run(['sources', 'set-secret', 'shop', '--yes'], { stdin: `${secretIn(told)}\n` });
  expect(await play({ 5: replace })).toBe(false);
  expect(text()).toMatch(/done: requests with the new secret are accepted \(5 s after the page\)/);
  expect(text()).toMatch(
    /Not over, 30 s .*Missing: requests with the old secret are accepted, too.*npm run drill -- bad-secret/,
  );
}, 20_000);

it('a processor that was stopped: started again, and nobody who does nothing passes', async () => {
  const { cli, play, text } = incident('processor-down');
  expect(await play({ 12: () => cli.run(['processor', 'start']) })).toBe(true);
  expect(text()).toMatch(/It is over, 12 s after the page/);
  expect(await incident('processor-down', 10_000).play({})).toBe(false);
});

it('the page is shown once', async () => {
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  onTestFinished(() => printed.mockRestore());
  const alarm = 'holdfast-drill-process-queue-age';
  const stage = new DrillStage({
    clients: { dynamo: new DynamoDBClient({ region: 'eu-central-1' }) },
    stacks: [{ outputs: { EventsTable: 'events' } }],
    gateway: { deployment: { config: { environment: 'drill' } } },
    pager: { pages: [{ alarm, state: 'ALARM', text: `ALARM: ${alarm}`, at: 1 }] },
    transcript: new Transcript('any', ''),
  } as unknown as StageParts);
  const exercise: Exercise = {
    title: 'any',
    begin: async ({ page }) => {
      await page.call(stage, 'process-queue-age', 1);
      return { judge: async () => [] };
    },
  };
  const conditions = { sleep: async () => undefined, now: () => 0, limitMs: 1_000 };
  expect(await playHandsOn(exercise, stage, { ...conditions, say: line => console.log(line) })).toBe(true);
  expect(printed.mock.calls.flat().join('\n').split(`ALARM: ${alarm}`)).toHaveLength(2);
});
