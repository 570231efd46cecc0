/** Requests as the real signer and the real sender put them on the wire, captured by a receiver on this machine. */
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { guardedSender } from '#adapters/http/guarded-sender.ts';
import { given } from '#core/given.ts';
import type { Compatibility, StoredKey } from '#core/outbound/protocol/items.ts';
import { verifyingText } from '#core/outbound/protocol/secret-text.ts';
import { signingKeys } from '#core/outbound/sign/signing-keys.ts';
import { DAY_MS } from '#core/time.ts';
import { answer, startReceiver } from '#test/hostile/raw-receiver.ts';
import { attemptOf, signAttempt } from '#test/kit/attempts.ts';

/** A request and the secret that one receiver has; whether that receiver must accept it. */
export interface Captured {
  readonly name: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** `whsec_…` or `whpk_…`. */
  readonly secret: string;
  readonly genuine: boolean;
}

type Key = Pick<StoredKey, 'kid' | 'alg' | 'createdAt' | 'notAfter'> & { readonly bytes: Uint8Array };

const shared = (kid: string, fill: number, more: Partial<Key> = {}): Key => ({
  ...{ kid, alg: 'sha256', createdAt: fill, bytes: new Uint8Array(32).fill(fill) },
  ...more,
});
const textOf = (key: Key) => verifyingText(key, nodeSigningCrypto);

const BODIES: Readonly<Record<string, string>> = {
  'a small event': '{"id":"msg_1","type":"invoice.paid","timestamp":"2026-11-22T12:00:00.000Z","data":{"id":1}}',
  'letters of every kind': '{"data":{"name":"Zoë — 日本 🎉 \\u00e9 \\ud83c\\udf89"}}',
  'big numbers': '{"data":{"id":12345678901234567890,"price":1.10,"e":1e400}}',
  'white space and doubled keys': '{ "data" : { "a":1,\r\n "a" : 2 } } \n',
  'empty data': '{"data":{}}',
  'thin, without data': '{"id":"msg_1","type":"invoice.paid","timestamp":"2026-11-22T12:00:00.000Z"}',
  'a batch': '{"batch":[{"id":"msg_1","data":{}},{"id":"msg_2","data":{}}]}',
};

/** Every case, signed at `now` (milliseconds). */
export async function captureRequests(now: number): Promise<readonly Captured[]> {
  const found: Captured[] = [];
  const old = shared('k1', 1);
  const fresh = shared('k2', 2);
  const pair: Key = { kid: 'k3', alg: 'ed25519', createdAt: 3, bytes: new Uint8Array(32).fill(3) };
  const add = async (
    name: string,
    keys: readonly Key[],
    receivers: readonly (readonly [Key, boolean])[],
    text = BODIES['a small event'] ?? '',
    at = now,
  ) => {
    const sent = await send(signingKeys(keys, now), Buffer.from(text), at);
    for (const [key, genuine] of receivers) found.push({ name, ...sent, secret: textOf(key), genuine });
  };
  for (const [name, text] of Object.entries(BODIES))
    await add(
      name,
      [old],
      [
        [old, true],
        [fresh, false],
      ],
      text,
    );
  for (const length of [24, 32, 64]) {
    const key = shared('k1', 7, { bytes: new Uint8Array(length).map((_, i) => i * 5) });
    await add(`a secret of ${length} bytes`, [key], [[key, true]]);
  }
  // A rotation: before, in the overlap (both orders of storing), after.
  await add(
    'before a rotation',
    [old],
    [
      [old, true],
      [fresh, false],
    ],
  );
  const ending = { ...old, notAfter: now + DAY_MS };
  await add(
    'in the overlap',
    [fresh, ending],
    [
      [old, true],
      [fresh, true],
    ],
  );
  await add(
    'in the overlap, stored the other way round',
    [ending, fresh],
    [
      [old, true],
      [fresh, true],
    ],
  );
  await add(
    'after the overlap',
    [fresh, { ...old, notAfter: now - 1 }],
    [
      [old, false],
      [fresh, true],
    ],
  );
  await add(
    'v1a before v1',
    [old, pair],
    [
      [old, true],
      [pair, true],
      [fresh, false],
    ],
  );
  await add(
    'v1 before v1a',
    [{ ...old, createdAt: 4 }, pair],
    [
      [old, true],
      [pair, true],
    ],
  );
  await add(
    'v1a alone',
    [pair],
    [
      [pair, true],
      [old, false],
    ],
  );
  // Its own names are the first that the svix library looks at.
  const likeSvix = await send([old], Buffer.from(BODIES['a small event'] ?? ''), now, { like: 'svix' });
  for (const key of [old, fresh])
    found.push({
      name: 'with the headers of svix beside ours',
      ...likeSvix,
      secret: textOf(key),
      genuine: key === old,
    });
  await add('ten minutes old', [old], [[old, false]], undefined, now - 600_000);
  await add('ten minutes ahead', [old], [[old, false]], undefined, now + 600_000);
  const [genuine] = found;
  if (!genuine) throw new Error('nothing was captured');
  const changed = Buffer.from(genuine.body);
  changed[10] = (changed[10] ?? 0) ^ 1;
  const change = (name: string, more: Partial<Captured>) => found.push({ ...genuine, genuine: false, name, ...more });
  const header = (name: string, value: string) => ({ headers: { ...genuine.headers, [name]: value } });
  change('a changed byte', { body: changed });
  change('another id', header('webhook-id', 'msg_other'));
  change('another time', header('webhook-timestamp', String(Number(genuine.headers['webhook-timestamp']) + 1)));
  change('no signature', header('webhook-signature', ''));
  return found;
}

async function send(
  keys: readonly Key[],
  body: Buffer,
  now: number,
  compatibility?: Compatibility,
): Promise<Pick<Captured, 'headers' | 'body'>> {
  const receiver = await startReceiver({ onRequest: socket => setTimeout(() => socket.write(answer(204)), 20) });
  const session = guardedSender({ ports: [443], ownHosts: [], allowAddresses: ['127.0.0.1'] }).open(1);
  try {
    const endpoint = { signature: 'standard' as const, headers: {}, ...given({ compatibility }) };
    const { headers } = signAttempt(attemptOf({ keys, body, now, endpoint }));
    const request = { url: `http://127.0.0.1:${receiver.port}/in`, headers, body, deadlineMs: 5_000 };
    const got = await session.send(request, new AbortController().signal);
    if (got.kind === 'failed') throw new Error(got.detail);
    return parse(Buffer.concat(receiver.received()));
  } finally {
    session.close();
    await receiver.stop();
  }
}

/** What came over the wire, read by hand. */
function parse(bytes: Buffer): Pick<Captured, 'headers' | 'body'> {
  const end = bytes.indexOf('\r\n\r\n');
  const lines = bytes.toString('latin1', 0, end).split('\r\n').slice(1);
  const headers = lines.map(line => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return { headers: Object.fromEntries(headers), body: bytes.subarray(end + 4) };
}
