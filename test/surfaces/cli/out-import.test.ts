/**
 * `holdfast out import` over the real API and engine: the exports of test/fixtures/moving/ are created with their secrets, and
 * receivers that verify as before take what is sent to them on sockets.
 */
import { spawn } from 'node:child_process';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { resolveOutbound } from '#core/config/outbound-config.ts';
import type { DeliveryApi, DeliveryCall } from '#operator/delivery-api.ts';
import { type Json, producerWorld } from '#test/kit/producer-world.ts';
import { CliWorld, temporaryFile } from './cli-world.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SYSTEMS = ['svix', 'convoy', 'outpost'] as const;
type System = (typeof SYSTEMS)[number];
/** An export of a system, or the script that makes one. */
const block = (system: System, language: 'json' | 'js'): string =>
  readFileSync(
    join(ROOT, language === 'json' ? `test/fixtures/moving/${system}.json` : `operator/moving/export/${system}.mjs`),
    'utf8',
  );
const SECRETS = [
  ...[
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'C2FVsBQIhrscChlQIMV',
    'an-old-secret-of-25-bytes',
    'another-old-secret-of-25b',
  ],
  ...['the-secret-before-that-one', '9f86d081884c7d659a2feaa0c55ad015'],
];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The CLI, the API and the engine; `calls` may be refused by `fails`. */
function importing(real = false) {
  const world = producerWorld(Date.now(), real);
  const cli = new CliWorld();
  const calls: DeliveryCall[] = [];
  let fails = (_call: DeliveryCall): boolean => false;
  let isLate = false;
  const api: DeliveryApi = {
    url: world.api.url,
    send: async call => {
      calls.push(call);
      if (!fails(call)) return world.api.send(call);
      if (isLate) await world.api.send(call);
      throw new Error('the machine went away');
    },
  };
  const { deployment } = cli.gateway;
  const outbound = resolveOutbound({}, { emulated: true, retentionDays: 30 });
  const gateway = {
    delivery: () => Promise.resolve(api),
    deployment: { ...deployment, emulated: true, config: { ...deployment.config, outbound } },
  };
  const run = async (system: System, text: string, ...more: string[]) => {
    const file = temporaryFile(`${system}.json`);
    writeFileSync(file, text, { mode: 0o600 });
    return cli.run(['out', 'import', '--from', system, file, ...more], { gateway, realTime: true });
  };
  return {
    ...{ ...world, run, cli, gateway },
    writes: () => calls.splice(0).filter(({ method }) => method !== 'GET'),
    /** `late`: what was asked is done, and the answer is lost. */
    failing: (when: typeof fails, late = false) => {
      fails = when;
      isLate = late;
    },
  };
}

const body = async (request: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
};
const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
const mac = (secret: string, content: string): string => createHmac('sha256', secret).update(content).digest('hex');
const one = (headers: IncomingHttpHeaders, name: string): string => String(headers[name] ?? '');

/** As the documents of each system tell a receiver to verify, with the secret that it has had. */
const RECEIVERS: Readonly<Record<string, (headers: IncomingHttpHeaders, text: string) => boolean>> = {
  // The svix library looks at these three and hands them to this one.
  '/svix': (headers, text) => {
    const given = ['id', 'timestamp', 'signature'].map(name => [`webhook-${name}`, one(headers, `svix-${name}`)]);
    new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(text, Object.fromEntries(given));
    new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(text, headers as Record<string, string>);
    return headers['x-tenant'] === 'acme';
  },
  '/convoy-simple': (headers, text) => same(one(headers, 'x-convoy-signature'), mac('an-old-secret-of-25-bytes', text)),
  '/convoy-advanced': (headers, text) => {
    const pairs = one(headers, 'x-convoy-signature')
      .split(',')
      .map(pair => [pair.split('=')[0], pair.slice(pair.indexOf('=') + 1)]);
    const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
    const signatures = pairs.filter(([name]) => name !== 't').map(([, value]) => value ?? '');
    const isFresh = Math.abs(Date.now() / 1_000 - Number(time)) <= 300;
    // A receiver that has the new secret, and one that still has the old one.
    const both = ['another-old-secret-of-25b', 'the-secret-before-that-one'];
    return (
      isFresh &&
      headers['x-api-key'] === 'k-1' &&
      both.every(secret => signatures.some(each => same(each, mac(secret, `${time},${text}`))))
    );
  },
  '/outpost': (headers, text) => {
    const signatures = one(headers, 'x-acme-signature').replace(/^v0=/, '').split(',');
    const expected = mac('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', text);
    return (
      signatures.some(each => same(each, expected)) &&
      headers['x-acme-topic'] === 'invoice.paid' &&
      headers['x-tenant'] === 'acme'
    );
  },
};

describe('receivers of before take what is sent now', () => {
  it.each([
    ['svix', ['/svix']],
    ['convoy', ['/convoy-advanced', '/convoy-simple']],
    ['outpost', ['/outpost']],
  ] as const)('%s', async (system, paths) => {
    const taken: string[] = [];
    const origin = await serve(async (request, response) => {
      const text = (await body(request)).toString('utf8');
      let isGenuine = false;
      try {
        isGenuine = RECEIVERS[request.url ?? '']?.(request.headers, text) === true && text === DATA;
      } finally {
        if (isGenuine) taken.push(request.url ?? '');
        response.writeHead(isGenuine ? 204 : 401).end();
      }
    });
    const DATA = system === 'convoy' ? '{"data": {"amount": 100.0}}' : '{"amount": 100.0}';
    const { run, publish, settle, call } = importing(true);
    const imported = await run(system, block(system, 'json').replaceAll('https://hooks.acme.com', origin), '--yes');
    expect(imported.code, imported.stderr).toBe(system === 'convoy' ? 0 : 5);
    expect((await publish('uid:acme', `{"key":"k1","type":"invoice.paid","data":${DATA}}`)).status).toBe(202);
    await settle();
    const { body: page } = await call('GET /v1/apps/{app}/endpoints', { app: 'uid:acme' });
    const open = page.data.filter(({ gate }: Json) => gate === 'open');
    expect(taken.sort(), JSON.stringify(open)).toEqual(paths);
    expect(open).toHaveLength(paths.length);
  });
});

describe('an import', () => {
  it.each(SYSTEMS)(
    'of %s: a dry run creates nothing, a second run nothing new, and no secret is printed',
    async system => {
      const { run, writes } = importing();
      const text = block(system, 'json');
      const dry = await run(system, text, '--dry-run');
      expect(dry).toMatchObject({ code: 0, stdout: expect.stringMatching(/TO CREATE[\s\S]*applications +1 +0/) });
      expect(writes()).toEqual([]);
      const first = await run(system, text, '--yes');
      expect(writes().length).toBeGreaterThan(2);
      const again = await run(system, text, '--yes', '--json');
      expect(writes()).toEqual([]);
      const { types, applications, endpoints } = JSON.parse(again.stdout);
      expect([types.made, applications.made, endpoints.made]).toEqual([0, 0, 0]);
      const printed = JSON.stringify([dry, first, again]);
      for (const secret of SECRETS) expect(printed).not.toContain(secret);
      // In the form that it has for us.
      for (const secret of SECRETS) expect(printed).not.toContain(Buffer.from(secret).toString('base64').slice(0, 20));
    },
  );

  it('says of each thing that stays behind why, and what to do', async () => {
    const svix = await importing().run('svix', block('svix', 'json'), '--dry-run');
    expect(svix.stdout).toMatch(
      /endpoint acme\/ep_2Xt: it signs with a key pair[^\n]*\n {4}give the customer a new secret/,
    );
    expect(svix.stdout).toMatch(/header x-api-key: Svix does not show its value/);
    expect(svix.stderr).toContain('1 of them is not created at all.');
    const outpost = await importing().run('outpost', block('outpost', 'json'), '--dry-run');
    expect(outpost.stdout).toContain('destination acme/des_2: it is of the type aws_sqs');
  });

  it.each(SYSTEMS)('of %s that stops after any call is finished by the next run', async system => {
    const text = block(system, 'json');
    const whole = importing();
    await whole.run(system, text, '--yes');
    const state = async ({ call }: ReturnType<typeof importing>) => {
      const { body: page } = await call('GET /v1/apps/{app}/endpoints', { app: 'uid:acme' });
      const endpoints = page.data
        .toSorted((a: Json, b: Json) => a.uid.localeCompare(b.uid))
        .map(({ uid, gate, metadata, url }: Json) => ({ uid, gate, metadata, url }));
      const secrets = await Promise.all(
        endpoints.map(async ({ uid }: Json) => {
          const shown = await call('GET /v1/apps/{app}/endpoints/{ep}/secret', { app: 'uid:acme', ep: `uid:${uid}` });
          return shown.body.data.map((each: Json) => each.secret);
        }),
      );
      return { endpoints, secrets };
    };
    const expected = await state(whole);
    expect(JSON.stringify(expected)).not.toContain('unfinished');
    const all = whole.writes().length;
    expect(all).toBeGreaterThan(2);
    for (let n = 0; n < 2 * all; n++) {
      const stopAt = Math.floor(n / 2);
      const broken = importing();
      let left = stopAt;
      broken.failing(({ method }) => method !== 'GET' && left-- <= 0, n % 2 === 1);
      expect((await broken.run(system, text, '--yes')).code).toBe(1);
      broken.failing(() => false);
      await broken.run(system, text, '--yes');
      const { endpoints, secrets } = await state(broken);
      expect({ endpoints, secrets }, `stopped at write ${stopAt}, ${n % 2 === 1 ? 'done' : 'not done'}`).toEqual(
        expected,
      );
    }
  });

  it('of svix carries the versions of a schema, the newest first', async () => {
    const { run, call } = importing();
    await run('svix', block('svix', 'json'), '--yes');
    const { body: type } = await call('GET /v1/event-types/{name}', { name: 'invoice.paid' });
    expect(type).toMatchObject({ group: 'invoice', version: '2', schema: { required: ['amount'] }, validate: 'off' });
    expect(type.earlier).toMatchObject([{ version: '1', schema: { type: 'object' } }]);
  });

  it('of a type whose schema is of an older draft brings the type, and says what is wrong with the schema', async () => {
    const { run, call } = importing();
    const older = { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'https://acme.com/a', type: 'object' };
    const event_types = [
      { name: 'a.fits', description: '', schemas: { 1: older } },
      { name: 'a.other', description: 'kept', schemas: { 1: { ...older, definitions: {} } } },
    ];
    const { stdout } = await run('svix', JSON.stringify({ event_types }), '--yes');
    expect(stdout).toMatch(/event types +2 +0/);
    expect(stdout).toMatch(/event type a\.other: its schema: [^\n]*definitions/);
    const shown = async (name: string) => (await call('GET /v1/event-types/{name}', { name })).body;
    expect(await shown('a.fits')).toMatchObject({ schema: { type: 'object' } });
    expect(await shown('a.other')).toMatchObject({ schema: null, description: 'kept' });
  });

  it('leaves an endpoint alone that somebody else made under the name', async () => {
    const { run, call } = importing();
    await call('PUT /v1/apps/{app}', { app: 'uid:acme' }, { name: 'Acme' });
    const path = { app: 'uid:acme', ep: 'uid:billing' };
    const made = await call('PUT /v1/apps/{app}/endpoints/{ep}', path, { url: 'https://other.acme.com/' });
    const { code, stdout } = await run('svix', block('svix', 'json'), '--yes');
    expect(code).toBe(5);
    expect(stdout).toContain('endpoint acme/billing: an endpoint of this name is there that no import made');
    expect(stdout).toContain('application acme: format: it is there with the format standard');
    const shown = await call('GET /v1/apps/{app}/endpoints/{ep}/secret', path);
    expect(shown.body.data[0].secret).toBe(made.body.secret);
  });

  it('asks, and wants --yes without a terminal', async () => {
    const { run, writes } = importing();
    const asked = await run('svix', block('svix', 'json'));
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('1 event types, 1 applications, 2 endpoints'),
    });
    expect(writes()).toEqual([]);
  });

  it('warns where others can read the file', async () => {
    const { cli, gateway } = importing();
    const file = temporaryFile('svix.json');
    writeFileSync(file, block('svix', 'json'));
    chmodSync(file, 0o644);
    const args = ['out', 'import', '--from', 'svix', file, '--dry-run'];
    expect((await cli.run(args, { gateway, realTime: true })).stderr).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    expect((await cli.run(args, { gateway, realTime: true })).stderr).not.toContain('chmod');
  });

  it('takes one object on each line, and pages as the API answers them', async () => {
    const whole = JSON.parse(block('svix', 'json'));
    const [app] = whole.applications;
    const lines = [
      { event_types: { data: whole.event_types, done: true } },
      { applications: [{ ...app, endpoints: { data: app.endpoints, iterator: null } }] },
      { applications: [{ id: 'app_2', name: 'Second', metadata: {}, endpoints: [] }] },
    ];
    const { run } = importing();
    const { stdout } = await run('svix', lines.map(each => JSON.stringify(each)).join('\n'), '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ types: { made: 1 }, applications: { made: 2 }, endpoints: { made: 2 } });
  });

  it.each([
    ['', 'The file is empty'],
    ['{"applications":[}\n"whsec_canary"', 'Line 1 of the file is not a JSON object'],
    ['{"a":1}', 'The file holds nothing that svix exports'],
    ['[]', 'Line 1 of the file is not a JSON object'],
  ])('of %j is refused, and the file is not repeated', async (text, told) => {
    const { code, stderr } = await importing().run('svix', text, '--dry-run');
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('canary');
  });
});

describe('the scripts of the guide', () => {
  const node = (file: string, env: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [file], { env: { ...process.env, ...env } });
      let out = '';
      let wrong = '';
      child.stdout.on('data', data => (out += data));
      child.stderr.on('data', data => (wrong += data));
      child.on('close', code => (code === 0 ? resolve(out) : reject(new Error(wrong))));
    });
  /** What each path answers; lists are cut into pages of one, as each system pages. */
  const ANSWERS: Readonly<Record<System, (whole: Json, path: string, query: URLSearchParams) => Json>> = {
    svix: (whole, path, query) => {
      const [app] = whole.applications;
      const endpoint = app.endpoints.find(({ id }: Json) => path.includes(`/endpoint/${id}/`));
      if (path.endsWith('/secret')) return endpoint.secret;
      if (path.endsWith('/headers')) return endpoint.headers;
      if (path.endsWith('/transformation')) return undefined;
      const list = path.endsWith('/event-type')
        ? whole.event_types
        : path.endsWith('/app')
          ? whole.applications
          : app.endpoints;
      const at = Number(query.get('iterator') ?? 0);
      return { data: list.slice(at, at + 1), iterator: String(at + 1), done: at + 1 >= list.length };
    },
    convoy: (whole, path, query) => {
      const data = (value: Json) => ({ status: true, message: 'ok', data: value });
      if (path.endsWith('/prj_1')) return data(whole.project);
      if (path.endsWith('/event-types')) return data(whole.event_types);
      if (path.endsWith('/filters')) return data([]);
      const list = path.endsWith('/endpoints') ? whole.endpoints : whole.subscriptions;
      const at = Number(query.get('next_page_cursor') ?? 0);
      const pagination = { has_next_page: at + 1 < list.length, next_page_cursor: String(at + 1) };
      return data({ content: list.slice(at, at + 1), pagination });
    },
    outpost: (whole, path) => {
      if (path.endsWith('/topics')) return whole.topics;
      if (path.endsWith('/destinations')) return whole.tenants[0].destinations;
      return { models: whole.tenants, pagination: { next: null } };
    },
  };

  it.each(SYSTEMS)('%s: export what the guide shows, out of answers of the documented shape', async system => {
    const whole = JSON.parse(block(system, 'json'));
    const tokens = new Set<string>();
    const bare = structuredClone(whole);
    const origin = await serve((request, response) => {
      tokens.add(request.headers.authorization ?? '');
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
      const answer = ANSWERS[system](bare, pathname, searchParams);
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    const script = temporaryFile('export.mjs');
    writeFileSync(script, block(system, 'js'));
    const name = system.toUpperCase();
    const env = { [`${name}_URL`]: origin, [`${name}_TOKEN`]: 'a-token', CONVOY_PROJECT: 'prj_1' };
    const printed = await node(script, { ...env, DESTINATIONS_WEBHOOK_HEADER_PREFIX: 'x-acme-' });
    expect(JSON.parse(printed)).toEqual(whole);
    expect([...tokens]).toEqual(['Bearer a-token']);
  });
});
