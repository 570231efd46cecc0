/** `holdfast out` over the real API and engine in memory: what on-call sees of customers' webhooks, and what it does. */
import { describe, expect, it } from 'vitest';
import { startReceiver } from '#local/sample/receiver.ts';
import { producerWorld, withEndpoint } from '#test/kit/producer-world.ts';
import { CliWorld, untilFirstPiece } from './cli-world.ts';

const MESSAGE = (key: string): string => `{"key":"${key}","type":"invoice.paid","data":{"amount":1}}`;

/** An endpoint that answers so, with one message sent to it. */
async function at(status: number) {
  const world = await withEndpoint();
  world.answer(status);
  const { body } = await world.publish('uid:acme', MESSAGE('inv-1'));
  await world.settle();
  const cli = new CliWorld();
  const gateway = { delivery: () => Promise.resolve(world.api) };
  const run = (...args: string[]) => cli.run(['out', ...args], { gateway });
  const piped = (...args: string[]) => cli.run(['out', ...args], untilFirstPiece({ gateway }));
  const json = async (...args: string[]) => (await cli.json(['out', ...args], { gateway })).value;
  return { ...world, run, piped, json, message: body.id as string };
}

describe('looking', () => {
  it('says that all is well: 0', async () => {
    const { run, app } = await at(200);
    expect(await run('status')).toMatchObject({ code: 0, stdout: '1 endpoint of 1 application: all well.\n' });
    expect((await run('apps')).stdout).toMatch(new RegExp(`${app} +acme +Acme +1 +active`));
  });

  it('names the endpoint that fails, why, and what waits: 1', async () => {
    const { run, json, ep } = await at(410);
    const { code, stdout, stderr } = await run('status');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`1 of 1 endpoint do not get[\\s\\S]*uid:acme +${ep} +on hold .*on hold after 1 failed try; next try`),
    );
    expect(stderr).toMatch(/Next: .*out endpoints app_/);
    expect(await json('endpoints', 'uid:acme', ep)).toMatchObject({
      state: 'holding',
      breaker: 'open',
      last_failure: { code: 410 },
    });
    expect((await run('endpoints', 'uid:acme', ep)).stdout).toMatch(
      /^on hold: on hold after 1 failed try; next try in [^;]*; fails since [^;]*; last answer 410, it says that it is gone\n/,
    );
    expect((await run('endpoints', 'uid:acme')).stdout).toContain('https://hooks.customer.com/in');
  });

  it('shows deliveries, those of a message, and each attempt', async () => {
    const { run, json, ep, message } = await at(503);
    expect((await run('deliveries', 'uid:acme', ep)).stdout).toMatch(
      new RegExp(`${message} +invoice.paid +retrying +1 +503, it is overloaded`),
    );
    expect((await run('deliveries', 'uid:acme', ep, '--status', 'dead')).stdout).toBe('No delivery.\n');
    expect(await json('messages', 'uid:acme', message)).toMatchObject([{ endpoint: ep, status: 'retrying' }]);
    const attempts = await run('deliveries', 'uid:acme', ep, message);
    expect(attempts.stdout).toMatch(
      /delivery 1 {2}503, it is overloaded {2}5 ms\n {4}503: the endpoint is at fault, whatever the message\n {4}said/,
    );
    expect(attempts.stderr).toContain(`out retry uid:acme ${ep} ${message}`);
  });
});

it('answers the same with | head -1, and fails no more', async () => {
  const { run, piped, ep, message } = await at(503);
  const of = ['uid:acme', ep, message];
  const listing = ['endpoints', 'deliveries', 'messages'].flatMap(name => [[name, 'uid:acme']]);
  const all = [['status'], ['apps'], ...listing, ['endpoints', 'uid:acme', ep]];
  const one = [
    ['deliveries', ...of],
    ['messages', 'uid:acme', message],
    ['messages', 'uid:acme', message, '--body'],
  ];
  for (const args of [...all, ...one, ['test', 'uid:acme', ep]]) {
    const { code, stdout } = await run(...args);
    expect(stdout, args.join(' ')).not.toBe('');
    expect(await piped(...args), args.join(' ')).toMatchObject({ code, stderr: expect.not.stringMatching(/ {4}at /) });
  }
});

it('lists the deliveries of all endpoints, and until when one is held and why', async () => {
  const { run, ep, message, answer, publish, settle } = await at(200);
  answer(429);
  const { id } = (await publish('uid:acme', MESSAGE('inv-2'))).body;
  await settle();
  const { stdout, stderr } = await run('deliveries', 'uid:acme');
  expect(stdout).toMatch(
    new RegExp(`${id} +${ep} +invoice.paid +waiting.*on hold: the endpoint asked us to wait; next try in`),
  );
  expect(stdout).toMatch(new RegExp(`${message} +${ep} +invoice.paid +delivered`));
  expect(stderr).toBe('');
});

describe('messages', () => {
  it('lists what was published, and prints the body that is sent', async () => {
    const { run, json, message } = await at(200);
    const { stdout, stderr } = await run('messages', 'uid:acme', '--type', 'invoice.paid');
    expect(stdout).toMatch(new RegExp(`${message} +invoice\\.paid +\\d+ +\\S`));
    expect(stderr).toContain(`out messages uid:acme ${message}`);
    expect((await run('messages', 'uid:acme', '--type', 'other')).stdout).toBe('No message.\n');
    expect((await run('messages', 'uid:acme', message, '--body')).stdout).toContain('"amount":1');
    expect(await json('messages', 'uid:acme', message, '--body')).toMatchObject({ message });
  });
});

describe('acting', () => {
  it('sends a test now, and shows what was sent and answered: 1 where it is no success', async () => {
    const good = await at(200);
    const { code, stdout } = await good.run('test', 'uid:acme', good.ep);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^200 ok in 5 ms\nPOST https:\/\/hooks\.customer\.com\/in\n[\s\S]*webhook-signature: v1,/);
    expect(stdout).toMatch(/"type":"test\.webhook"[\s\S]*answered\nsaid/);
    good.answer(500);
    expect(await good.run('test', 'uid:acme', good.ep)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^500 server_error in/),
    });
  });

  it('sends a delivery again once it is asked for, with the reason', async () => {
    const { run, ep, message, answer, settle, sent, json } = await at(503);
    expect(await run('retry', 'uid:acme', ep, message)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--why'),
    });
    answer(200);
    // With a name before it, it is cut to what the API takes.
    expect((await run('retry', 'uid:acme', ep, message, '--why', 'fixed '.repeat(83))).code).toBe(0);
    await settle();
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual([message, message]);
    expect(await json('messages', 'uid:acme', message)).toMatchObject([{ status: 'delivered', generation: 2 }]);
  });

  it('pauses and resumes; what waited goes out', async () => {
    const { run, json, ep, publish, settle, sent, pass } = await at(200);
    expect((await run('pause', 'uid:acme', ep, '--why', 'their deploy')).stdout).toBe(`${ep} is paused (paused)\n`);
    pass(10_000);
    await publish('uid:acme', MESSAGE('inv-2'));
    await settle();
    expect(sent).toHaveLength(1);
    expect(await json('status')).toMatchObject({ unwell: [{ id: ep, state: 'paused', why: 'ada: their deploy' }] });
    const early = await run('resume', 'uid:acme', ep, '--backlog', 'drop', '--why', 'x');
    expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('an endpoint that is disabled') });
    await run('resume', 'uid:acme', ep, '--why', 'done');
    await settle();
    expect(sent).toHaveLength(2);
  });

  it('resumes what is disabled, with or without its backlog, and tries what is on hold now', async () => {
    const { run, json, ep, call, publish, settle, answer, sent, pass } = await at(200);
    await call('POST /v1/apps/{app}/endpoints/{ep}/disable', { app: 'uid:acme', ep }, { why: 'gone' });
    await publish('uid:acme', MESSAGE('inv-2'));
    await settle();
    expect(sent).toHaveLength(1);
    pass(10_000);
    expect((await run('resume', 'uid:acme', ep, '--backlog', 'drop', '--why', 'back')).code).toBe(0);
    await settle();
    expect(sent).toHaveLength(1);
    answer(410);
    await publish('uid:acme', MESSAGE('inv-3'));
    await settle();
    expect(await json('endpoints', 'uid:acme', ep)).toMatchObject({ state: 'holding' });
    answer(200);
    expect((await run('resume', 'uid:acme', ep)).code).toBe(0);
    await settle();
    expect(sent).toHaveLength(3);
  });

  it('makes a job of what is dead only when somebody agrees', async () => {
    const { run, json, app } = await at(200);
    const asked = await run('retry', 'uid:acme', '--dead', '--why', 'they were down');
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(
      await json('retry', 'uid:acme', '--dead', '--since', '24h', '--why', 'they were down', '--yes'),
    ).toMatchObject({
      ...{ application: app, status: 'dead', dry_run: false, why: 'ada: they were down' },
    });
  });
});

describe('what is wrong', () => {
  it.each([
    [['endpoints', 'uid:nobody'], 3, 'there is no application uid:nobody'],
    [['endpoints', 'uid:acme', 'uid:nobody'], 3, 'there is no endpoint uid:nobody'],
    [['deliveries', 'uid:acme', 'EP', '--status', 'lost'], 2, 'allowed: "pending"'],
    [['deliveries', 'uid:acme', 'EP', '--since', 'yesterday'], 2, '30m, 24h, 7d'],
    [['deliveries', 'uid:acme', 'EP', '--limit', '0'], 2, '1 to 1000'],
    [['retry', 'uid:acme'], 2, 'Neither a message nor --dead'],
    [['retry', 'uid:acme', 'EP', 'msg_1', '--why', 'x', '--dry-run'], 2, '--dry-run with a message'],
    [['retry', 'uid:acme', 'EP', 'msg_1', '--why', 'x', '--since', '1h'], 2, '--since with a message'],
    [['import', '--from', 'svix', 'svix.json', '--resume', '--yes'], 2, '--resume with --from svix'],
    [['resume', 'uid:acme', 'EP', '--backlog', 'all'], 2, 'drain, drop, since'],
    [['resume', 'uid:acme', 'EP', '--backlog', 'since'], 2, 'One of --backlog since and --since'],
    [['deliveries', 'uid:acme', 'EP', 'msg_no'], 3, 'there is no delivery of msg_no'],
  ] as const)('%j: %i', async (args, code, hint) => {
    const { run, ep } = await at(200);
    const result = await run(...args.map(arg => (arg === 'EP' ? ep : arg)));
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(hint);
  });

  it('a port that another program uses', async () => {
    const taken = await startReceiver();
    const port = new URL(taken.url).port;
    const { code, stderr } = await new CliWorld().run(['out', 'receiver', '--port', port], { realTime: true });
    await taken.stop();
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`--port: ${port}, which another`) });
  });

  it('an application without endpoints has nothing to show', async () => {
    const world = producerWorld();
    await world.call('POST /v1/apps', {}, { name: 'Empty', uid: 'empty' });
    const gateway = { delivery: () => Promise.resolve(world.api) };
    expect((await new CliWorld().run(['out', 'endpoints', 'uid:empty'], { gateway })).stdout).toBe(
      'This application has no endpoint.\n',
    );
  });
});

describe('the portal', () => {
  it('is opened by a link that is one customer, for a while', async () => {
    const { run, json } = await at(200);
    const { stdout } = await run('portal', 'uid:acme', '--read-only', '--minutes', '5');
    expect(stdout).toMatch(/^https:\/\/api\.acme\.com\/portal#token=hfp_[\w.-]+\n$/);
    const claims = JSON.parse(Buffer.from(stdout.split('hfp_')[1]?.split('.')[0] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ caps: ['read', 'read_bodies'] });
    expect(claims.exp - claims.iat).toBe(300_000);
    expect(await json('portal', 'uid:acme')).toMatchObject({ url: expect.stringContaining('#token=hfp_') });
  });

  it('refuses a link that was revoked by its id, and all of them after all', async () => {
    const { run, json, signIn } = await at(200);
    const made = async () => (await json('portal', 'uid:acme')) as { id: string; url: string };
    const says = ({ url }: { url: string }) => signIn(url.split('#token=')[1] ?? '');
    const [one, other] = [await made(), await made()];
    expect(await run('portal', 'uid:acme', '--revoke', one.id)).toMatchObject({
      code: 0,
      stdout: `${one.id} is refused from now on\n`,
    });
    expect([await says(one), await says(other)]).toEqual(['401 token_revoked', '200']);
    expect(await json('portal', 'uid:acme', '--revoke', 'all', '--yes')).toEqual({
      application: 'uid:acme',
      token: null,
    });
    const told = [await says(one), await says(other), await says(await made())];
    expect(told).toEqual(['401 token_revoked', '401 token_revoked', '200']);
  });

  it.each([
    [['uid:acme', '--revoke', 'hfp_secret.y'], 2, 'never the token (hfp_…) itself'],
    [['uid:nobody', '--revoke', 'all', '--yes'], 3, 'nobody'],
    [['uid:acme', '--revoke', 'all'], 2, 'add --yes'],
  ])('portal %j is told what is wrong', async (args, code, words) => {
    const { run } = await at(200);
    const ended = await run('portal', ...args);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toContain(words);
    expect(ended.stderr).not.toContain('hfp_secret');
  });
});
