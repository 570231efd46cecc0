import { describe, expect, it } from 'vitest';
import type { ProviderSpec, Scheme } from '#core/provider/provider-spec.ts';
import { schemeId } from '#core/provider/spec-defaults.ts';
import { DAY_MS } from '#core/time.ts';
import { identifyRequest } from '#core/verification/identify-request.ts';
import type { RawRequest } from '#core/verification/raw-request.ts';
import { type Verdict, verifyRequest } from '#core/verification/verify-request.ts';
import { PROVIDERS } from '#providers/index.ts';
import { type Genuine, genuineRequest, NOW_MS, needsForm, needsJson } from './genuine-request.ts';

const pairs = Object.values(PROVIDERS).flatMap(spec =>
  spec.verify.map(scheme => [`${spec.id} / ${schemeId(scheme, spec)}`, spec, scheme] as const),
);

const check = ({ spec, request, context }: Genuine, changed: Partial<RawRequest> = {}): Promise<Verdict> =>
  verifyRequest(spec, { ...request, ...changed }, context);

const verified = expect.objectContaining({ kind: 'verified' });
const refusedFor = (...causes: string[]) =>
  expect.objectContaining({ kind: 'refused', cause: expect.stringMatching(`^(?:${causes.join('|')})$`) });

const isMac = ({ alg }: Scheme) => alg.startsWith('hmac') || alg === 'digest-sha256';
const isStatic = ({ alg }: Scheme) => alg === 'token' || alg === 'basic';
const isSigned = (scheme: Scheme) => !isStatic(scheme) && scheme.alg !== 'jwt' && scheme.code !== 'sns';
/** The whole body is bound, byte for byte. */
const bindsBody = ({ message = '', bind = [], code }: Scheme) =>
  code !== 'sns' && (/\{body\}|\(body\)/.test(message) || bind.some(({ of = 'body' }) => of === 'body'));

/** The header that carries the signature, if one does. */
function signatureHeader({ sig }: Scheme): string | undefined {
  const [from] = [sig.from].flat();
  return from?.startsWith('header:') ? from.slice('header:'.length) : undefined;
}

function withHeader(genuine: Genuine, name: string, change: (value: string) => string | undefined): Genuine {
  const { [name]: value = '', ...others } = genuine.request.headers;
  const changed = change(value);
  const headers = changed === undefined ? others : { ...others, [name]: changed };
  return { ...genuine, request: { ...genuine.request, headers } };
}

/** Another character of the same alphabets, near the end of the signature but not in its last bits. */
function flipSignature(value: string): string {
  const at = value.replace(/=+$/, '').length - 6;
  return value.slice(0, at) + (value[at] === 'a' ? 'b' : 'a') + value.slice(at + 1);
}

function flipBody(body: Uint8Array): Uint8Array {
  const copy = new Uint8Array(body);
  const at = Math.floor(copy.length / 2);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

/** Registers a test only where it says something, so that a skipped test is always a mistake. */
function onlyIf(condition: boolean): (title: string, test: () => Promise<void>) => void {
  return condition ? (title, test) => it(title, test) : () => undefined;
}

describe.each(pairs)('%s', (_name, spec: ProviderSpec, scheme: Scheme) => {
  const genuine = genuineRequest(spec, scheme);
  const header = signatureHeader(scheme);
  const whenHeader = onlyIf(header !== undefined);
  const whenBound = onlyIf(bindsBody(scheme));

  it('accepts what it signed, and identifies it', async () => {
    const verdict = await check(genuine);
    expect(verdict).toEqual(verified);
    if (verdict.kind !== 'verified') return;
    const options = { crypto: genuine.context.crypto, settings: genuine.context.settings, dedupOnBody: false, verdict };
    const identified = identifyRequest(spec, genuine.request, options);
    expect(identified.kind).not.toBe('nothing');
    if (identified.kind === 'nothing') return;
    expect(identified.key === undefined || /^[\x21-\x7e]{1,256}$/.test(identified.key)).toBe(true);
    expect(identified.eventType.length).toBeGreaterThan(0);
    if (spec.identity.items !== undefined) {
      expect(identified).toMatchObject({ kind: 'batch', refusedItems: 0 });
      if (identified.kind === 'batch') expect(identified.items.length).toBeGreaterThan(1);
    }
  });

  it('counts as signed a moment ago only if a captured copy is refused a year later', async () => {
    const verdict = await check(genuine);
    const { nowMs } = genuine.context;
    const later = await verifyRequest(genuine.spec, genuine.request, {
      ...genuine.context,
      nowMs: nowMs + 365 * DAY_MS,
    });
    const isFresh = verdict.kind === 'verified' && verdict.signedFresh === true;
    expect(later).toEqual(isFresh ? refusedFor('stale') : verified);
  });

  it('refuses another key', async () => {
    expect(await check(genuineRequest(spec, scheme, { wrongKey: true }))).toEqual(refusedFor('mismatch'));
  });

  it('refuses a request without its signature', async () => {
    if (header === undefined) {
      const { rawQuery, ...rest } = genuine.request;
      const bare = { ...rest, rawQuery: rawQuery.replace(/\w+=[^&]*/g, ''), body: Buffer.from('{"id":1}') };
      expect(await verifyRequest(genuine.spec, bare, genuine.context)).toEqual(refusedFor('missing'));
    } else expect(await check(withHeader(genuine, header, () => undefined))).toEqual(refusedFor('missing'));
  });

  whenHeader('refuses a signature with one character changed', async () => {
    const causes = scheme.alg === 'basic' ? ['mismatch', 'malformed'] : ['mismatch'];
    expect(await check(withHeader(genuine, header ?? '', flipSignature))).toEqual(refusedFor(...causes));
  });

  whenHeader('refuses a truncated signature', async () => {
    const causes = isMac(scheme) || scheme.alg === 'ed25519' ? ['malformed'] : ['mismatch', 'malformed'];
    expect(await check(withHeader(genuine, header ?? '', value => value.slice(0, -8)))).toEqual(refusedFor(...causes));
  });

  whenHeader('refuses a signature of the wrong alphabet', async () => {
    const junk = await check(
      withHeader(genuine, header ?? '', value => value.replace(/[^=,; ]{12}$|.{12}==?$/, '!!!!')),
    );
    expect(junk).toEqual(refusedFor('malformed', 'missing', ...(isStatic(scheme) ? ['mismatch'] : [])));
    const nothing = await check(withHeader(genuine, header ?? '', () => ''));
    expect(nothing).toEqual(refusedFor('missing'));
  });

  whenHeader('refuses a signature header that came twice with different values', async () => {
    const twice = withHeader(genuine, header ?? '', value => `${value}, ${flipSignature(value)}`);
    const isCommaList = scheme.sig.parse?.item === ',';
    // In a comma list the second header only adds signatures, as a rotation would.
    expect(await check(twice)).toEqual(isCommaList ? verified : refusedFor('duplicate_header'));
    const joinedTightly = withHeader(genuine, header ?? '', value => `${value},${flipSignature(value)}`);
    expect(await check(joinedTightly)).toEqual(isCommaList ? verified : refusedFor('duplicate_header'));
  });

  whenHeader('accepts a signature header that came twice with one value', async () => {
    expect(await check(withHeader(genuine, header ?? '', value => `${value}, ${value}`))).toEqual(verified);
  });

  whenBound('refuses a changed, re-serialised, BOM-prefixed or emptied body', async () => {
    const { body } = genuine.request;
    const causes = ['mismatch', 'binding', ...(needsJson(scheme) ? ['malformed', 'missing'] : [])];
    expect(await check(genuine, { body: flipBody(body) })).toEqual(refusedFor(...causes));
    expect(await check(genuine, { body: Buffer.concat([Buffer.from('\ufeff'), body]) })).toEqual(refusedFor(...causes));
    expect(await check(genuine, { body: Buffer.concat([body, Buffer.from('\n')]) })).toEqual(refusedFor(...causes));
    expect(await check(genuine, { body: new Uint8Array() })).toEqual(refusedFor(...causes));
    const again = Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString()), null, 1));
    expect(await check(genuine, { body: again })).toEqual(refusedFor(...causes));
  });

  whenBound('verifies any signed bytes: not UTF-8, with a BOM, with $&, empty', async () => {
    if (needsJson(scheme)) return;
    const bodies = [Buffer.from([0xff, 0xfe, 0x80, 0x7b]), Buffer.from('\ufeff{"a":1}\r\n'), Buffer.from("{$&$'$`}")];
    // A guard against handshake answers may refuse an empty body: no provider with one sends any.
    for (const body of scheme.guard ? bodies : [...bodies, Buffer.alloc(0)]) {
      expect(await check(genuineRequest(spec, scheme, { body }))).toEqual(verified);
    }
  });

  const { time } = scheme;
  onlyIf(time?.past !== undefined)(
    'refuses a stale time, to the second, after its signature was found good',
    async () => {
      const age = (time?.past ?? 0) * 1_000;
      expect(await check(genuineRequest(spec, scheme, { signedAtMs: NOW_MS - age }))).toEqual(verified);
      expect(await check(genuineRequest(spec, scheme, { signedAtMs: NOW_MS - age - 1_000 }))).toEqual(
        refusedFor('stale'),
      );
      const forged = genuineRequest(spec, scheme, { signedAtMs: NOW_MS - age - 1_000, wrongKey: true });
      expect(await check(forged)).toEqual(refusedFor('mismatch'));
    },
  );

  onlyIf(time?.future !== undefined)('refuses a time in the future', async () => {
    const lead = (time?.future ?? 0) * 1_000;
    expect(await check(genuineRequest(spec, scheme, { signedAtMs: NOW_MS + lead }))).toEqual(verified);
    expect(await check(genuineRequest(spec, scheme, { signedAtMs: NOW_MS + lead + 1_000 }))).toEqual(
      refusedFor('future'),
    );
  });

  const timeHeader = time?.from.startsWith('header:') ? time.from.slice('header:'.length) : undefined;
  onlyIf(timeHeader !== undefined)('refuses a missing, malformed, changed or doubled timestamp header', async () => {
    const name = timeHeader ?? '';
    const withTime = (change: (value: string) => string | undefined) => check(withHeader(genuine, name, change));
    expect(await withTime(() => undefined)).toEqual(refusedFor('missing'));
    for (const junk of [
      'abc',
      '+1790000000',
      '0x6AB1',
      '1790000000abc',
      '1.79e9',
      ' 1790000000',
      '-5',
      '1790000000.5',
    ]) {
      expect(await withTime(() => junk)).toEqual(refusedFor('malformed'));
    }
    expect(await withTime(value => value.replace(/\d(?=\D*$)/, digit => String((Number(digit) + 1) % 10)))).toEqual(
      refusedFor('mismatch'),
    );
    expect(await withTime(value => `${value}, ${value.replace(/\d/, '9')}`)).toEqual(
      refusedFor('duplicate_header', 'mismatch'),
    );
    expect(await withTime(value => `${value}, ${value}`)).toEqual(
      scheme.signedHeaders === undefined ? verified : refusedFor('mismatch'),
    );
  });

  onlyIf(scheme.alg === 'jwt')('refuses an expired token, one from the future and one for somebody else', async () => {
    const at = (signedAtMs: number) => check(genuineRequest(spec, scheme, { signedAtMs }));
    if (!scheme.timeless) {
      expect(await at(NOW_MS - 400_000)).toEqual(refusedFor('stale'));
      expect(await at(NOW_MS + 400_000)).toEqual(refusedFor('future'));
    }
    if (!Object.values(scheme.claims ?? {}).some(wanted => /^(?:config:|url$)/.test(wanted))) return;
    const settings = Object.fromEntries(Object.keys(genuine.context.settings).map(name => [name, 'other']));
    const other = { ...genuine.context, settings, publicUrl: 'https://elsewhere.example.com/x' };
    expect(await verifyRequest(genuine.spec, genuine.request, other)).toEqual(refusedFor('binding'));
  });

  /** Forms whose signed text could be the whole body of this one. */
  const others = spec.verify.filter(
    ({ alg, encoding, message = '' }) =>
      scheme.message === '{body}' && message !== '{body}' && alg === scheme.alg && encoding === scheme.encoding,
  );
  onlyIf(others.length > 0)('refuses what was signed in another form as a body', async () => {
    for (const { message = '' } of others) {
      const text = message.replace('{ts}', String(NOW_MS / 1_000)).replace('{body}', '{"id":1}');
      expect(await check(genuineRequest(spec, scheme, { body: Buffer.from(text) }))).toEqual(refusedFor('binding'));
    }
  });

  onlyIf(scheme.key?.provider === 'x5c')('refuses certificates that lead to another root', async () => {
    const verdict = await verifyRequest(spec, genuine.request, genuine.context);
    expect(verdict).toEqual(refusedFor('mismatch'));
  });

  // Where the request brings certificates, the pinned root takes the place of a secret.
  onlyIf(scheme.key?.provider !== 'x5c')('refuses everything without a secret', async () => {
    const { keys: _keys, ...context } = genuine.context;
    const verdict = await verifyRequest(genuine.spec, genuine.request, { ...context, secret: undefined });
    expect(verdict).toEqual(refusedFor('no_key', 'key_fetch'));
    const empty = await verifyRequest(genuine.spec, genuine.request, { ...context, secret: { current: '' } });
    expect(empty).toEqual(refusedFor('no_key', 'key_fetch'));
  });

  onlyIf(isSigned(scheme) && !needsForm(scheme))(
    'survives every prefix and every single byte of its headers',
    async () => {
      const name = header ?? Object.keys(genuine.request.headers)[0] ?? '';
      const value = genuine.request.headers[name] ?? '';
      for (let at = 0; at < value.length; at += 3) {
        const verdict = await check(withHeader(genuine, name, () => value.slice(0, at)));
        if (header !== undefined && at < value.length - 4 && scheme.sig.parse?.item !== ',') {
          expect(verdict.kind).toBe('refused');
        }
      }
    },
  );
});
