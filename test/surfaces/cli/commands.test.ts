/** What each command answers, in words and JSON, and with which exit code. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveDeployment } from '#core/config/resolve-config.ts';
import { given } from '#core/given.ts';
import { toSourceId } from '#core/glossary.ts';
import { defineHandlers, done } from '#core/handler/handler-contract.ts';
import { pauseSource } from '#core/inbound/protocol/pause-source.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { lambdaReconciler } from '#operator/aws/lambda-reconciler.ts';
import { PROVIDERS } from '#providers/index.ts';
import { MemoryControlStore } from '#test/kit/memory/memory-control-store.ts';
import { EVENTS, SECRET } from '#test/kit/memory-world.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

let cli: CliWorld;
beforeEach(() => {
  cli = new CliWorld();
  cli.world.start();
});
afterEach(() => cli.world.stop());

describe('events', () => {
  it('ls shows what arrived, newest first, as a table and as JSON', async () => {
    await cli.happen(['good-1', 'bad-1']);
    const table = await cli.run(['events', 'ls', '--since', '7d']);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(
      /^RECEIVED .*\n.*order\.paid .*dead_letter .*evt_shop\.bad-1 .*schema changed\n.*completed/,
    );
    expect(table.stderr).toContain('Next: holdfast events get evt_shop.bad-1');
    const { value } = await cli.json(['events', 'ls', '--since', '7d', '--status', 'dead_letter']);
    expect(value).toMatchObject({
      events: [{ id: 'evt_shop.bad-1', status: 'dead_letter', cause: 'permanent' }],
      next_cursor: null,
    });
  });

  it('ls goes on from its cursor', async () => {
    await cli.happen(['good-1', 'good-2', 'good-3']);
    const first = await cli.json(['events', 'ls', '--since', '7d', '--limit', '2']);
    const { events, next_cursor: cursor } = first.value as { events: { id: string }[]; next_cursor: string };
    const second = await cli.json(['events', 'ls', '--since', '7d', '--limit', '2', '--cursor', cursor]);
    expect(
      [...events, ...(second.value as typeof first.value & { events: { id: string }[] }).events].map(it => it.id),
    ).toEqual(['evt_shop.good-3', 'evt_shop.good-2', 'evt_shop.good-1']);
  });

  it('get shows the history by our id and by the bare id of the provider', async () => {
    await cli.happen(['bad-1']);
    const screen = await cli.run(['events', 'get', 'evt_shop.bad-1']);
    expect(screen.stdout).toMatch(/status +dead_letter/);
    expect(screen.stdout).toMatch(/accepted[\s\S]*attempt 1[\s\S]*dead_letter/);
    expect(screen.stderr).toContain('replay evt_shop.bad-1');
    const { value } = await cli.json(['events', 'get', 'bad-1', '--source', 'shop']);
    expect(value).toMatchObject({
      event_id: 'bad-1',
      cause: 'permanent',
      timeline: [{ step: 'accepted' }, { step: 'attempt 1' }, { step: 'dead_letter' }],
    });
  });

  it('get says 3 for an unknown event, and 2 with the sources for an id that several have', async () => {
    await cli.happen(['good-1']);
    await cli.happen(['good-1'], 'pay');
    const unknown = await cli.run(['events', 'get', 'nobody']);
    expect(unknown).toMatchObject({ code: 3, stdout: '' });
    expect(unknown.stderr).toContain('holdfast events ls');
    const twice = await cli.run(['events', 'get', 'good-1']);
    expect(twice.code).toBe(2);
    expect(twice.stderr).toContain('--source shop');
  });
});

describe('events get --body', () => {
  it('prints the bytes the provider sent, and as JSON with the headers that were kept', async () => {
    const sent = { event_id: 'bad-1', event_type: 'order.paid', created_at: '2026-11-21T03:00:00Z' };
    await cli.world.post({ id: 'bad-1', source: 'shop', rawBody: JSON.stringify(sent) });
    const raw = await cli.run(['events', 'get', 'bad-1', '--body']);
    expect(raw).toEqual({ code: 0, stdout: JSON.stringify(sent), stderr: '' });
    const { value } = await cli.json(['events', 'get', 'bad-1', '--body']);
    expect(value).toMatchObject({ id: 'evt_shop.bad-1', body_base64: Buffer.from(raw.stdout).toString('base64') });
  });

  it('lets nobody steer the terminal', async () => {
    const rawBody = '{"event_id":"bad-1","event_type":"ping",\n"data":"ü\u009b31m\u007f"}';
    await cli.world.post({ id: 'bad-1', source: 'shop', rawBody });
    const { stdout } = await cli.run(['events', 'get', 'bad-1', '--body'], { screen: true });
    expect(stdout).toBe('{"event_id":"bad-1","event_type":"ping",\n"data":"ü\\x9b31m\\x7f"}\n');
  });

  it('says 3 for a body whose retention is over', async () => {
    await cli.happen(['bad-1']);
    const gone = { ...cli.gateway.payloads, getBody: () => Promise.resolve(undefined) };
    const answer = await cli.run(['events', 'get', 'bad-1', '--body'], { gateway: { payloads: gone } });
    expect(answer).toMatchObject({ code: 3, stdout: '' });
    expect(answer.stderr).toContain('its retention is over');
  });
});

describe('dlq', () => {
  it('ls groups by cause and source with a sample', async () => {
    await cli.happen(['bad-1', 'bad-2']);
    await cli.happen(['bad-1'], 'pay');
    const { value } = await cli.json(['dlq', 'ls']);
    expect(value).toMatchObject({
      open_dead_letters: 3,
      messages_in_queue: 3,
      groups: [
        {
          source: 'shop',
          cause: 'permanent',
          count: 2,
          sample: 'evt_shop.bad-2',
          sample_error: expect.stringContaining('schema changed'),
        },
        { source: 'pay', count: 1 },
      ],
    });
    expect((await cli.run(['dlq', 'ls', '--cause', 'handler_eror'])).stderr).toBe(
      'No open dead letters, cause handler_eror.\n',
    );
    const table = await cli.run(['dlq', 'ls', '--source', 'pay']);
    expect(table.stdout.trim().split('\n')).toHaveLength(2);
    expect(table.stderr).toContain('Next: holdfast events get evt_pay.bad-1');
  });

  it('show says why, and how to run it again', async () => {
    await cli.happen(['bad-1']);
    const { stdout, stderr } = await cli.run(['events', 'get', 'bad-1']);
    expect(stdout).toMatch(/last_error +permanent: .*schema changed/);
    expect(stderr).toContain('holdfast replay --cause permanent --since 24h --dry-run');
  });

  it('redrive moves messages back, and each event has its effect once', async () => {
    await cli.happen(['bad-1', 'bad-2', 'good-1']);
    cli.fixed = true;
    expect(await cli.run(['dlq', 'redrive'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await cli.json(['dlq', 'redrive', '--dry-run'])).value).toEqual({ would_be_moved: 2, kept: 0 });
    // The dry run hid them for a moment: the command waits for them.
    const { code, value } = await cli.json(['dlq', 'redrive', '--cause', 'permanent', '--yes']);
    expect({ code, value }).toEqual({ code: 0, value: { moved: 2, kept: 0 } });
    expect(await cli.world.settle()).toBe(true);
    expect(['bad-1', 'bad-2'].map(id => [cli.world.item(id, 'shop')?.status, cli.world.effects(id)])).toEqual([
      ['completed', 1],
      ['completed', 1],
    ]);
    expect(cli.world.dead.numbers().visible).toBe(0);
  });

  it('purge deletes unknown and settled messages, and none of an event that is still dead', async () => {
    await cli.happen(['bad-1']);
    cli.world.dead.send('not one of ours', {});
    const first = await cli.json(['dlq', 'purge', '--yes']);
    expect(first.value).toEqual({ deleted: 1, kept: 1 });
    expect(cli.world.item('bad-1', 'shop')?.status).toBe('dead_letter');
  });
});

describe('replay', () => {
  it('replays one event at once and notes who and why', async () => {
    await cli.happen(['bad-1']);
    cli.fixed = true;
    const { code, stdout } = await cli.run(['replay', 'bad-1', '--why', 'schema fixed', '--yes']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'evt_shop.bad-1  replayed\n' });
    await cli.world.settle();
    const { value } = await cli.json(['events', 'get', 'bad-1']);
    expect(value).toMatchObject({ status: 'completed', generation: 2, replays: [{ by: 'ada', why: 'schema fixed' }] });
  });

  it('counts with --dry-run, then replays exactly these as a job, with progress', async () => {
    await cli.happen(['bad-1', 'bad-2', 'bad-3', 'good-1']);
    cli.fixed = true;
    const filter = ['replay', '--cause', 'permanent', '--since', '7d'];
    const dry = await cli.json([...filter, '--dry-run']);
    expect(dry.value).toMatchObject({
      count: 3,
      dry_run: true,
      by_source_type_status: { 'shop order.paid dead_letter (permanent)': 3 },
    });
    const words = await cli.run([...filter, '--dry-run']);
    expect(words.stderr).toContain('Next: holdfast replay --cause permanent --since 7d --why "…" --yes');
    const ofError = await cli.run(['replay', '--error', 'card 4242 was declined', '--dry-run']);
    expect(ofError).toMatchObject({ code: 0, stdout: expect.stringContaining('0 events match') });
    const { lastError } = cli.world.item('bad-1', 'shop') ?? {};
    const ofTheirs = await cli.run(['replay', '--error', String(lastError), '--since', '7d', '--dry-run']);
    expect(ofTheirs.stderr).toContain(`Next: holdfast replay --error '${lastError}' --since 7d --why`);
    const first = await cli.run([...filter, '--limit', '1', '--rate', '5', '--new-key', '--dry-run']);
    expect(first.stderr).toContain(
      'Next: holdfast replay --cause permanent --since 7d --limit 1 --rate 5 --new-key --why',
    );
    const done = await cli.run([...filter, '--why', 'schema fixed', '--yes']);
    expect(done.code).toBe(0);
    const [, seconds] = /^Done: 3 replayed; it began after (\d+) s\n$/.exec(done.stdout) ?? [];
    expect(Number(seconds), done.stdout).toBeLessThanOrEqual(5);
    expect(done.stderr).toMatch(/Job rj-[0-9t]+-[0-9a-f]{8}: the sweeper was told to begin it now/);
    expect(await cli.world.settle()).toBe(true);
    expect(
      cli.world
        .items()
        .map(it => it.gen)
        .sort(),
    ).toEqual([1, 2, 2, 2]);
    const jobs = await cli.json(['replay', 'ls']);
    expect(jobs.value).toMatchObject({
      jobs: [{ state: 'done', by: 'ada', why: 'schema fixed', counts: { replayed: 3 } }],
    });
  });

  it('starts a job and leaves, to be watched or canceled later', async () => {
    await cli.happen(['bad-1', 'bad-2']);
    const args = ['replay', '--status', 'dead_letter', '--since', '7d', '--why', 'x', '--detach', '--yes'];
    const begin = () =>
      Promise.reject(Object.assign(new Error('not this function'), { name: 'AccessDeniedException' }));
    const started = await cli.run([...args, '--json'], { gateway: { begin } });
    expect(started.stderr).toMatch(/it begins in the next run of the sweeper, .* AWS refused these credentials/);
    const { job_id: id } = JSON.parse(started.stdout) as { job_id: string };
    const canceled = await cli.json(['replay', 'cancel', id, '--yes']);
    expect(canceled.value).toMatchObject({ job_id: id, state: 'canceled', canceled_by: 'ada' });
    expect(await cli.run(['replay', 'ls', id, '--watch'])).toMatchObject({
      code: 1,
      stdout: 'Canceled by ada: 0 replayed; it never began\n',
    });
    expect((await cli.run(['replay', 'ls', 'rj-none', '--watch'])).code).toBe(3);
  });

  it('leaves a watched job at work when it is interrupted', async () => {
    await cli.happen(['bad-1']);
    const stop = new AbortController();
    cli.world.clock.after(2_000, () => stop.abort());
    const args = ['replay', '--status', 'dead_letter', '--since', '7d', '--why', 'x', '--yes'];
    const begin = () => Promise.reject(new Error('no sweeper today'));
    const { code, stderr } = await cli.run(args, { signal: stop.signal, gateway: { begin } });
    expect(code).toBe(0);
    expect(stderr).toContain('holdfast replay ls rj-');
  });

  it.each([
    [['replay'], '--dry-run'],
    [['replay', '--status', 'dead_letter', '--yes'], '--why'],
    [['replay', 'bad-1', '--yes'], '--why'],
    [['replay', 'bad-1', '--why', '…', '--yes'], '--why: "…"'],
    [['replay', '--status', 'dead_letter', '--why', '<what was fixed>', '--yes'], 'a text that the next person'],
    [['replay', '--status', 'deadletter'], 'did you mean dead_letter?'],
    [['replay', '--status', 'dead_letter', '--rate', '0', '--why', 'x'], 'from 1 to'],
    [['replay', '--status', 'dead_letter', '--force', '--why', 'x'], '--force with ids'],
    [['replay', '--since', 'yesterday', '--why', 'x'], '24h'],
    [['replay', '--source', 'shpo', '--why', 'x'], 'did you mean shop?'],
  ])('answers %j with 2 and what to do', async (args, hint) => {
    const { code, stdout, stderr } = await cli.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });

  it('asks at a terminal, and does nothing on any other answer than yes', async () => {
    await cli.happen(['bad-1']);
    const args = ['replay', 'bad-1', '--why', 'x'];
    expect(await cli.run(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await cli.run(args, { answers: ['n'] })).toMatchObject({ code: 1 });
    expect(cli.world.item('bad-1', 'shop')?.gen).toBe(1);
    expect(await cli.run(args, { answers: ['y'] })).toMatchObject({ code: 0 });
    expect(cli.world.item('bad-1', 'shop')?.gen).toBe(2);
  });

  it('asks a person for the reason of a command that was pasted as it was shown', async () => {
    await cli.happen(['bad-1']);
    const args = ['replay', 'bad-1', '--why', '…', '--yes'];
    const { code, stderr } = await cli.run(args, { answers: ['schema fixed'] });
    expect({ code, asked: stderr.includes('Why?') }).toEqual({ code: 0, asked: true });
    const { value } = await cli.json(['events', 'get', 'bad-1']);
    expect(value).toMatchObject({ replays: [{ by: 'ada', why: 'schema fixed' }] });
    expect((await cli.run(args, { answers: [''] })).code).toBe(2);
  });

  it('takes an event once that is named twice, in whatever form', async () => {
    await cli.happen(['bad-1', 'bad-2']);
    const twice = ['bad-1', 'bad-2', 'evt_shop.bad-1'];
    expect((await cli.json(['replay', ...twice, '--dry-run'])).value).toEqual({
      count: 2,
      events: ['evt_shop.bad-1', 'evt_shop.bad-2'],
    });
    const replayed = await cli.run(['replay', ...twice, '--why', 'x', '--yes'], { screen: true });
    expect(replayed).toMatchObject({ code: 0, stdout: 'evt_shop.bad-1  replayed\nevt_shop.bad-2  replayed\n' });
    expect(replayed.stderr).not.toContain('somebody else');
  });

  it('says 5 when only some could be replayed', async () => {
    await cli.happen(['bad-1', 'bad-2']);
    const gone = cli.gateway.payloads;
    const payloads: Pick<typeof gone, 'raiseBody' | 'putDetail'> = {
      raiseBody: (pk, ...rest) => (pk.endsWith('bad-2') ? Promise.resolve('missing') : gone.raiseBody(pk, ...rest)),
      putDetail: item => gone.putDetail(item),
    };
    const { code, value } = await cli.json(['replay', 'bad-1', 'bad-2', '--why', 'x', '--yes'], {
      gateway: { payloads: payloads as typeof gone },
    });
    expect(code).toBe(5);
    expect(value).toMatchObject([
      { outcome: 'replayed' },
      { outcome: 'body_missing', fix: expect.stringContaining('retention') },
    ]);
  });
});

describe('send', () => {
  it('sends a signed sample and waits until it has ended', async () => {
    const { code, value } = await cli.json(['send', 'shop', '--wait', '30']);
    expect(code).toBe(0);
    expect(value).toMatchObject({ source: 'shop', status: 'completed' });
  });

  it('says duplicate when the same event was accepted before', async () => {
    const body = temporaryFile('body.json');
    writeFileSync(body, '{"id":"evt_twice","type":"ping"}');
    const send = (...more: string[]) => ['send', 'shop', '--body-file', body, '--wait', '30', ...more];
    const first = await cli.json(send('--header', 'x-webhook-id:twice'));
    const second = await cli.run(send('--header', 'x-webhook-id:twice'));
    expect(first.value).toMatchObject({ status: 'completed', duplicate: false });
    expect(second.stdout).toMatch(/ {2}duplicate: accepted before, completed\n$/);
  });

  it('sends many, each a new event', async () => {
    expect((await cli.json(['send', 'shop', '--count', '5'])).value).toEqual({ sent: 5, refused: 0 });
    await cli.world.settle();
    expect(cli.world.items()).toHaveLength(5);
  });

  it('says how many went when one of many fails', async () => {
    const { http } = cli.gateway;
    let calls = 0;
    const failing: typeof http = (...given) =>
      ++calls === 4 ? Promise.reject(new Error('connect ECONNRESET 192.0.2.1:443')) : http(...given);
    const { code, value, stderr } = await cli.json(['send', 'shop', '--count', '20'], { gateway: { http: failing } });
    expect(code).toBe(5);
    expect(value).toEqual({ sent: 3, refused: 0 });
    expect(stderr).toContain('ECONNRESET');
    expect(stderr).toContain('3 of 20 sent, 0 refused. The next one failed');
    expect(stderr).toContain('holdfast events ls --source shop --since 5m');
    expect(stderr).toContain('--count 17');

    calls = 3;
    const first = await cli.json(['send', 'shop', '--count', '20'], { gateway: { http: failing } });
    expect([first.code, first.value]).toEqual([1, { sent: 0, refused: 0 }]);
    expect(first.stderr).toContain('0 of 20 sent');
  });

  it('tells what is wrong when the gateway refuses', async () => {
    cli.vault.stored.set('holdfast/local/shop', { kind: 'set', text: 'another secret' });
    const { code, stdout, stderr } = await cli.run(['send', 'shop']);
    expect(code).toBe(1);
    expect(stdout).toContain('401');
    expect(stderr).toContain('doctor');
  });

  it('names the command that sets a missing secret', async () => {
    cli.vault.stored.set('holdfast/local/shop', { kind: 'empty' });
    const { code, stderr } = await cli.run(['send', 'shop']);
    expect(code).toBe(1);
    expect(stderr).toContain('holdfast sources set-secret shop');
  });
});

describe('sign and verify', () => {
  it('agree with each other, and verify explains a changed body and another secret', async () => {
    const body = temporaryFile('body.json');
    writeFileSync(body, '{"event_id":"e1","event_type":"ping"}');
    const signed = await cli.json(['sign', body, '--source', 'shop']);
    const { headers } = signed.value as { headers: Record<string, string> };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const request = (text: string): string => {
      const file = temporaryFile('request.http');
      writeFileSync(file, `POST /webhooks/shop HTTP/1.1\n${lines.join('\n')}\n\n${text}`);
      return file;
    };
    const good = await cli.run(['verify', request(readFileSync(body, 'utf8')), '--source', 'shop']);
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining('Genuine') });
    const changed = await cli.json(['verify', request('{"event_id": "e1", "event_type": "ping"}'), '--source', 'shop']);
    expect(changed.code).toBe(1);
    expect(changed.value).toMatchObject({
      verified: false,
      cause: 'mismatch',
      explanations: [{ id: 'json_reserialised' }],
    });
    cli.vault.stored.set('holdfast/local/pay', { kind: 'set', text: 'the secret of pay' });
    const other = await cli.run(['verify', request(readFileSync(body, 'utf8')), '--source', 'pay']);
    expect(other.stdout).toContain('signed with the secret of source shop');
    const late = await cli.run([
      'verify',
      request(readFileSync(body, 'utf8')),
      '--source',
      'shop',
      '--at',
      '2026-02-01T00:00Z',
    ]);
    expect(late.stdout).toContain('s old');
    for (const { stdout, stderr } of [good, other, late]) expect(`${stdout}${stderr}`).not.toContain('whsec_');
  });

  it('verify checks signature vectors, and explains the one that is wrong', async () => {
    const vectors = 'test/fixtures/own-vectors.json';
    const all = await cli.json(['verify', vectors, '--provider', 'mailgun']);
    expect(all).toMatchObject({ code: 0, value: { checked: expect.any(Number), wrong: 0 } });
    const { vectors: listed } = JSON.parse(readFileSync(vectors, 'utf8')) as { vectors: { bodyBase64: string }[] };
    const [first] = listed;
    const file = temporaryFile('vector.json');
    writeFileSync(file, JSON.stringify({ ...first, secret: 'another' }));
    const wrong = await cli.run(['verify', file]);
    expect(wrong).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^WRONG {2}mailgun {2}mailgun-form-own: not genuine, mismatch/),
    });
    expect(wrong.stdout).not.toContain('another');
    writeFileSync(file, JSON.stringify({ ...first, secret: 'another', expect: 'invalid' }));
    expect((await cli.run(['verify', file])).code).toBe(0);
    writeFileSync(file, '{"provider":"mailgun"}');
    expect(await cli.run(['verify', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('own-vectors.json'),
    });
    expect((await cli.run(['verify', vectors, '--provider', 'nobody'])).code).toBe(2);
  });

  it('know a provider of the project that a source uses', async () => {
    const own = { ...PROVIDERS['generic'], id: 'box' } as ProviderSpec;
    const gateway = defineGateway({ sources: { parcels: { provider: own } }, environments: { local: {} } });
    const options = {
      env: { HOLDFAST_SECRET: SECRET },
      readDeployment: (name: string) => resolveDeployment(gateway, name, PROVIDERS),
    };
    const file = temporaryFile('box.json');
    writeFileSync(file, '{"event_id":"e1","event_type":"ping"}');
    const { stdout } = await cli.run(['sign', file, '--provider', 'box', '--json'], options);
    const headers = Object.entries(JSON.parse(stdout).headers).map(([name, value]) => `${name}: ${value}`);
    const request = temporaryFile('box.http');
    writeFileSync(
      request,
      `POST /webhooks/box HTTP/1.1\n${headers.join('\n')}\n\n{"event_id":"e1","event_type":"ping"}`,
    );
    expect(await cli.run(['verify', request, '--provider', 'box'], options)).toMatchObject({ code: 0 });
    const typo = await cli.run(['verify', request, '--provider', 'boxx'], options);
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean box?') });
  });

  it('take a secret from the environment, and never from the command line', async () => {
    const body = temporaryFile('body.json');
    writeFileSync(body, '{"id":"evt_1"}');
    const { code, stdout } = await cli.run(['sign', body, '--provider', 'stripe', '--curl'], {
      env: { HOLDFAST_SECRET: 'whsec_x' },
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^curl -i .*\n.*stripe-signature: t=\d+,v1=[0-9a-f]{64}/ms);
    const deployed = await cli.run(['sign', body, '--source', 'shop', '--curl']);
    expect(deployed.stdout).toContain("curl -i 'https://gateway.test/webhooks/shop'");
    expect((await cli.run(['sign', body, '--provider', 'strip'])).stderr).toContain('did you mean stripe?');
    expect((await cli.run(['sign', body, '--provider', 'stripe', '--secret', 'x'])).code).toBe(2);
  });
});

describe('pause and resume', () => {
  it('hold events back and bring them back, with who and why', async () => {
    expect((await cli.run(['pause', 'shop', '--yes'])).stderr).toContain('--why');
    expect(await cli.run(['pause', 'shop', '--why', 'migration', '--yes'])).toMatchObject({ code: 0 });
    expect((await cli.run(['sources', 'ls'])).stdout).toMatch(/shop .*paused by \w+: migration/);
    await cli.world.clock.advanceBy(10_000);
    await cli.world.post({ id: 'good-1', source: 'shop' });
    await cli.world.clock.advanceBy(120_000);
    expect(cli.world.item('good-1', 'shop')).toMatchObject({ status: 'deferred', parked: true });
    const again = await cli.run(['pause', 'shop', '--why', 'mine', '--yes']);
    expect(again.stdout).toContain('paused already');
    const status = await cli.json(['status']);
    expect(status).toMatchObject({ code: 1, value: { paused: [{ source: 'shop', by: 'ada', why: 'migration' }] } });
    expect(await cli.run(['resume', 'shop'])).toMatchObject({ code: 0, stdout: expect.stringContaining('runs again') });
    expect(await cli.world.settle()).toBe(true);
    expect(cli.world.item('good-1', 'shop')?.status).toBe('completed');
    expect((await cli.json(['resume', 'shop'])).value).toEqual({ source: 'shop', paused: false, was_paused: false });
  });

  it('a source that was removed from the configuration while it was paused is resumed by its name', async () => {
    const control = new MemoryControlStore(cli.world.database, EVENTS);
    const note = { by: 'ada', why: 'moved away' };
    await cli.world.clock.complete(pauseSource(toSourceId('removed'), note, { control, clock: cli.world.clock }));
    expect((await cli.json(['resume', 'removed'])).value).toEqual({
      source: 'removed',
      paused: false,
      was_paused: true,
    });
    expect((await cli.run(['resume', 'removed'])).stderr).toContain('No source "removed"');
  });
});

describe('sources', () => {
  it('ls shows URLs and which secrets are missing', async () => {
    cli.vault.stored.set('holdfast/local/pay', { kind: 'empty' });
    const { stdout, stderr } = await cli.run(['sources', 'ls']);
    expect(stdout).toMatch(/shop +generic +set .*https:\/\/gateway\.test\/webhooks\/shop/);
    expect(stdout).toMatch(/pay +generic +empty/);
    expect(stderr).toContain('sources set-secret pay');
  });

  it('set-secret reads stdin, checks it, and asks before it replaces one', async () => {
    cli.vault.stored.set('holdfast/local/pay', { kind: 'empty' });
    expect(await cli.run(['sources', 'set-secret', 'pay'], { stdin: 'a new secret\n' })).toMatchObject({ code: 0 });
    expect(cli.vault.stored.get('holdfast/local/pay')?.text).toBe('a new secret');
    expect((await cli.run(['sources', 'set-secret', 'pay'], { stdin: 'other' })).code).toBe(2);
    expect((await cli.run(['sources', 'set-secret', 'pay', '--yes'], { stdin: '' })).stderr).toContain('empty');
    expect((await cli.run(['sources', 'set-secret', 'pay', '--yes'], { stdin: 'whpk_public' })).stderr).toContain(
      'public key',
    );
    expect(cli.vault.stored.get('holdfast/local/pay')?.text).toBe('a new secret');
  });

  it('rotate keeps the present secret valid for a while', async () => {
    const now = cli.world.clock.now();
    const { code } = await cli.run(['sources', 'rotate', 'shop', '--grace', '2h', '--yes'], { stdin: 'the new one' });
    expect(code).toBe(0);
    const stored = JSON.parse(cli.vault.stored.get('holdfast/local/shop')?.text ?? '') as Record<string, unknown>;
    expect(stored).toMatchObject({ current: 'the new one', previous: expect.stringContaining('whsec_') });
    expect(stored['previousNotAfter']).toBeGreaterThanOrEqual(now + 7_200_000);
    expect((await cli.run(['sources', 'rotate', 'shop', '--grace', '90d', '--yes'], { stdin: 'x' })).code).toBe(2);
  });

  it('writes a generated secret to a file for its owner, and never prints it', async () => {
    const file = temporaryFile('shop.secret');
    const { code, stdout, stderr } = await cli.run([
      'sources',
      'set-secret',
      'shop',
      '--generate',
      '--out',
      file,
      '--yes',
    ]);
    const secret = readFileSync(file, 'utf8').trim();
    expect(code).toBe(0);
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(cli.vault.stored.get('holdfast/local/shop')?.text).toBe(secret);
    expect(`${stdout}${stderr}`).not.toContain(secret);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await cli.run(['sources', 'set-secret', 'shop', '--generate', '--yes'])).stderr).toContain('--out');
  });
});

describe('status and doctor', () => {
  it('say 0 for a healthy gateway', async () => {
    await cli.happen(['good-1']);
    const status = await cli.run(['status']);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('healthy') });
    expect(status.stdout).toMatch(/sweeper +a run ended well \d+ s ago\naudit +never ran .*\ndeployed +2 h ago/);
    const doctor = await cli.run(['doctor']);
    expect(doctor.stdout).toMatch(/ok +sweeper +a run ended well \d+ s ago/);
    expect([status.stderr, doctor.stderr].join()).toMatch(/holdfast events tail.*holdfast status/s);
    expect(doctor.code).toBe(0);
  });

  it('say how many messages wait, and how many lie in the dead-letter queue, those in a hand as well', async () => {
    const gauge = {
      main: async () => ({ visible: 7, hidden: 4, delayed: 0 }),
      dead: async () => ({ visible: 2, hidden: 3, delayed: 0 }),
    };
    const { stdout } = await cli.run(['doctor'], { gateway: { gauge } });
    expect(stdout).toMatch(/ok +queues +7 waiting, 5 in the dead-letter queue/);
  });

  it('say which handler never runs, and what was meant', async () => {
    const handle = async () => done();
    const readHandlers = async () => defineHandlers([{ source: 'shp', type: '*', handle }]);
    const doctor = await cli.run(['doctor'], { readHandlers });
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/WRONG +handlers +.*source "shp".*never runs\n +did you mean shop\?/);
    const right = async () => defineHandlers([{ source: 'shop', type: '*', handle }]);
    expect((await cli.run(['doctor'], { readHandlers: right })).stdout).toMatch(/ok +handlers +each has a source/);
  });

  it('say of an environment that keeps data that its pages wake nobody, until somebody is named', async () => {
    const prod = new CliWorld();
    const doctor = await prod.run(['doctor', '--env', 'prod']);
    expect(doctor.stdout).toMatch(/warning +alarms +prod pages nobody: .*environments\.prod\.alarmTargets/);
    expect((await cli.run(['doctor'])).stdout).not.toContain('pages nobody');
  });

  it('say 1 and name dead letters, alarms and missing secrets with the commands that help', async () => {
    await cli.happen(['bad-1']);
    const alarm = {
      name: 'holdfast-local-process-new-dead-letters',
      state: 'ALARM',
      since: cli.world.clock.now(),
      reason: '',
      description: 'An event died',
    } as const;
    cli.alarms = [alarm];
    cli.vault.stored.set('holdfast/local/pay', { kind: 'empty' });
    const status = await cli.json(['status']);
    expect(status).toMatchObject({
      code: 1,
      value: { open_dead_letters: 1, needs_a_person: ['1 dead letter', expect.stringContaining('alarm')] },
    });
    const doctor = await cli.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/WRONG +secret pay +not set.*\n +holdfast sources set-secret pay/);
    expect(doctor.stdout).toContain('holdfast runbook process-new-dead-letters');
    expect(doctor.stderr).not.toContain('holdfast status');
    expect((await cli.run(['status'])).stderr).toContain('holdfast dlq ls');
  });

  it('say where to look next when nothing died and an alarm rings', async () => {
    const alarm = {
      name: 'holdfast-local-ingest-slow',
      state: 'ALARM',
      reason: '',
      description: 'page: slow',
    } as const;
    cli.alarms = [{ ...alarm, since: cli.world.clock.now() }];
    const status = await cli.run(['status']);
    expect(status.code).toBe(1);
    expect(status.stderr).toContain('holdfast doctor');
  });
});

describe('what is asked for', () => {
  it('is looked for in the source that is named, and in no other', async () => {
    await cli.happen(['good-1']);
    expect((await cli.run(['events', 'get', 'good-1', '--source', 'shop'])).code).toBe(0);
    expect((await cli.run(['events', 'get', 'good-1', '--source', 'pay'])).code).toBe(3);
  });

  it.each([
    [['cost', '--events-per-day', '1000', '--retries', '1401'], 2, 'retries'],
    [['cost', '--events-per-day', '1000', '--retries', '1400'], 0, ''],
    [['cost', '--env', 'prod'], 2, '--env with cost'],
    [['--env', 'prod', 'cost'], 2, 'leave --env out'],
  ] as const)('%j ends with %i', async (args, code, said) => {
    const answer = await cli.run([...args]);
    expect(answer.code).toBe(code);
    expect(answer.stderr).toContain(said);
  });
});

describe('processor', () => {
  it('is stopped and started for every source at once, and doctor sees that it stands still', async () => {
    expect(await cli.run(['processor', 'stop'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(cli.processorState).toBe('Enabled');
    expect(await cli.run(['processor', 'stop', '--yes'])).toMatchObject({ code: 0 });
    expect((await cli.run(['status'])).stdout).toMatch(/processor is stopped/);
    const doctor = await cli.run(['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout).toMatch(/WRONG +processor .*Disabled.*\n +holdfast processor start/);
    expect(await cli.run(['processor', 'start'])).toMatchObject({ code: 0 });
    expect(cli.processorState).toBe('Enabled');
  });
});

describe('reconcile', () => {
  const stripe = { types: ['*'] };
  const config = defineGateway({
    sources: { shop: { provider: 'stripe', reconcile: stripe }, pay: { provider: 'stripe', reconcile: stripe } },
    environments: { local: {} },
  });
  const readDeployment = (name: string) => resolveDeployment(config, name, PROVIDERS);
  const report = (source: string, more: object = {}) => ({
    ...{ source, list: '', end: 'finished', from: 0, to: 1e12, pages: 1, listed: 20, gaps: [], healed: 0 },
    ...{ redelivered: 0, lost: [], behindMs: 900_000, ...more },
  });

  /** The command with the service that runs functions as it answers on the wire. */
  async function reconcile(
    args: readonly string[],
    answer: (payload: { source: string }) => object,
    failed?: 'function' | 'service',
    signal?: AbortSignal,
  ) {
    const asked: unknown[] = [];
    const server = createServer(async (request, response) => {
      const payload = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { source: string };
      asked.push([decodeURIComponent(request.url ?? ''), payload]);
      if (failed === 'function') response.setHeader('x-amz-function-error', 'Unhandled');
      if (failed === 'service') response.statusCode = 503;
      response.end(JSON.stringify(answer(payload)));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const settings = {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1' },
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    };
    const reconciler = lambdaReconciler(settings, () => 'asks-providers');
    const result = await cli.run(['reconcile', ...args], {
      ...{ readDeployment, gateway: { reconciler }, realTime: true },
      ...given({ signal }),
    });
    server.closeAllConnections();
    server.close();
    return { ...result, asked };
  }

  it('asks for each source that is compared, and shows what is missing', async () => {
    const gaps = ['evt_shop.evt_03', 'evt_shop.evt_04'];
    const { code, stdout, stderr, asked } = await reconcile(['--dry-run'], ({ source }) => [
      report(source, source === 'shop' ? { gaps } : {}),
    ]);
    const path = '/2015-03-31/functions/asks-providers/invocations';
    expect(asked).toEqual(['shop', 'pay'].map(source => [path, { source, dryRun: true }]));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^SOURCE .*\nshop +20 +2 +0 +0 +0 +15 min +finished\npay +20 +0 .*\n +missing +evt_shop\.evt_03\n/,
    );
    expect(stderr).toContain('Next: holdfast reconcile --source shop');
  });

  it('says with its exit code what is not compared to the end or lost, and why', async () => {
    const busy = ({ source }: { source: string }) => [
      report(source, source === 'shop' ? { end: 'busy', reason: '429' } : {}),
    ];
    const partial = await reconcile(['--json'], busy);
    expect(partial.code).toBe(5);
    expect(JSON.parse(partial.stdout)).toMatchObject({
      dry_run: false,
      reports: [{ source: 'shop', end: 'busy', reason: '429', behind_seconds: 900 }, { source: 'pay' }],
    });
    expect(await reconcile(['--source', 'shop'], busy)).toMatchObject({ code: 1 });
    const lost = { gaps: ['evt_shop.evt_09'], lost: ['evt_shop.evt_09'] };
    expect(await reconcile(['--source', 'shop'], () => [report('shop', lost)])).toMatchObject({ code: 5 });
  });

  it('shows what it healed before Ctrl-C or a failure, and names the sources that it did not come to', async () => {
    const stop = new AbortController();
    const healed = { gaps: ['evt_shop.evt_03'], healed: 1 };
    const stopped = await reconcile(
      ['--json'],
      ({ source }) => {
        stop.abort();
        return [report(source, healed)];
      },
      undefined,
      stop.signal,
    );
    expect(stopped).toMatchObject({ code: 130, stderr: expect.stringContaining('Not compared: pay') });
    expect(stopped.asked).toHaveLength(1);
    expect(JSON.parse(stopped.stdout).reports).toMatchObject([{ source: 'shop', healed: 1 }]);

    const failed = await reconcile(['--json'], ({ source }) => (source === 'shop' ? [report(source, healed)] : {}));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/Not compared: pay\n[\s\S]+/);
    expect(JSON.parse(failed.stdout).reports).toMatchObject([{ source: 'shop', healed: 1 }]);
  });

  it('passes on why the function failed, and asks it once', async () => {
    const failure = await reconcile(['--source', 'pay'], () => ({ errorMessage: 'Task timed out' }), 'function');
    expect(failure).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Task timed out') });
    const unavailable = await reconcile(['--source', 'pay'], () => ({}), 'service');
    expect(unavailable.code).toBe(1);
    expect(unavailable.asked).toHaveLength(1);
  });

  it('answers a source that is not compared with those that are', async () => {
    const none = await cli.run(['reconcile']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('docs/receive/missing-events.md') });
    expect((await cli.run(['reconcile', '--source', 'shpo'])).stderr).toContain('did you mean shop?');
  });
});

describe('the next command', () => {
  it('begins as the one before did, so that it can be pasted', async () => {
    await cli.happen(['bad-1']);
    expect((await cli.run(['dlq', 'ls'])).stderr).toContain('Next: holdfast events get evt_shop.bad-1');
    const byNpm = await cli.run(['dlq', 'ls'], { env: { npm_lifecycle_event: 'holdfast' } });
    expect(byNpm.stderr).toContain('Next: npm run holdfast -- events get evt_shop.bad-1');
  });
});

describe('another environment', () => {
  it('is named in every command that is printed next', async () => {
    const { stderr } = await cli.run(['events', 'ls', '--env', 'prod']);
    expect(stderr).not.toContain('undefined');
    await cli.happen(['good-1']);
    expect((await cli.run(['events', 'ls', '--env', 'prod'])).stderr).toContain(
      'events get evt_shop.good-1 --env prod',
    );
    expect((await cli.run(['status'], { env: { HOLDFAST_ENV: 'prod' } })).stdout).toContain('prod');
    expect(await cli.run(['status', '--env', 'prdo'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean prod?'),
    });
  });
});
