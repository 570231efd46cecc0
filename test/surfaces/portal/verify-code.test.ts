/**
 * The code that the portal gives to customers, run: it takes what our signer signs, under two keys while one ends, and
 * refuses what was changed, is late, or has another secret. Node and Python by default, Go and Java in the long run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import { attemptSigner } from '#core/outbound/drain/sign-attempt.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { PROVIDERS } from '#providers/index.ts';
import { isLongRun } from '#test/kit/long-run.ts';
import { FORMS, LANGUAGES, type Language, verifyCode } from '../../../portal/app/verify-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-verify-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ids = [
  'standard-webhooks',
  'standard-webhooks-v1a',
  'generic-timestamp-sha256',
  'generic-sha256-body',
  'generic-t-v1',
];
const sign = attemptSigner({
  ...{ specs: Object.fromEntries(ids.map(id => [id, PROVIDERS[id]])) as never, crypto: nodeSigningCrypto },
  ...{ headerPrefix: 'x-webhook-', userAgent: 'test' },
});
const keyOf = (fill: number) => ({ kid: `k${fill}`, alg: 'sha256' as const, bytes: new Uint8Array(32).fill(fill) });
const BODY = '{"type":"invoice.paid","data":{"name":"Żółw"}}';
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

interface Case {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly genuine: boolean;
}
/** Signed by us; then touched. */
function casesOf(profile: string): readonly Case[] {
  const endpoint = { signature: profile, headers: {} } as Pick<EndpointItem, 'signature' | 'headers'>;
  const message = { type: 'invoice.paid', contentType: 'application/json' };
  const signed = (fills: readonly number[], now = Date.now()) =>
    sign({ ...{ id: 'msg_1', endpoint, message, n: 1, now }, keys: fills.map(keyOf), body: Buffer.from(BODY) }).headers;
  const hasTime = FORMS[profile]?.time !== undefined;
  const hasRoom = profile === 'standard' || profile === 't-v1';
  return [
    { headers: signed([1]), body: BODY, genuine: true },
    { headers: signed([2, 1]), body: BODY, genuine: hasRoom },
    { headers: signed([2]), body: BODY, genuine: false },
    { headers: signed([1]), body: `${BODY} `, genuine: false },
    { headers: signed([1], Date.now() - 400_000), body: BODY, genuine: !hasTime },
    { headers: {}, body: BODY, genuine: false },
  ];
}

const given = (cases: readonly Case[]): string =>
  JSON.stringify(cases.map(({ headers, body }) => ({ headers, body: Buffer.from(body).toString('base64') })));
const env = { ...process.env, ACME_WEBHOOK_SECRET: SECRET };

const RUNNERS: Readonly<Partial<Record<Language, (code: string, cases: string, name: string) => string>>> = {
  'Node.js': (code, cases, name) => {
    writeFileSync(join(folder, `${name}.mjs`), code);
    const program = `const { isGenuine } = await import(${JSON.stringify(join(folder, `${name}.mjs`))});
      console.log(JSON.stringify(${cases}.map(it => isGenuine(it.headers, Buffer.from(it.body, 'base64')))));`;
    return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env, encoding: 'utf8' });
  },
  Python: (code, cases) =>
    execFileSync(
      'python3',
      [
        '-c',
        `${code}\nimport base64, json, sys\nprint(json.dumps([is_genuine(it["headers"], base64.b64decode(it["body"])) for it in json.load(sys.stdin)]))`,
      ],
      { env, encoding: 'utf8', input: cases },
    ),
  ...(isLongRun()
    ? {
        Go: (code: string, cases: string, name: string) => {
          const main = `${code.replace('package webhooks', 'package main').replace('import (', 'import (\n\t"encoding/json"\n\t"fmt"')}
func main() {
	var cases []struct {
		Headers map[string]string
		Body    []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	verdicts := []bool{}
	for _, each := range cases {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		verdicts = append(verdicts, IsGenuine(headers, each.Body))
	}
	text, _ := json.Marshal(verdicts)
	fmt.Println(string(text))
}
`;
          const file = join(folder, `${name}.go`);
          writeFileSync(file, main);
          return execFileSync('go', ['run', file], { env, encoding: 'utf8', input: cases });
        },
        Java: (code: string, cases: string, name: string) => {
          const at = join(folder, `${name}.java`);
          const calls = (JSON.parse(cases) as { headers: object; body: string }[]).map(({ headers, body }) => {
            const pairs = Object.entries(headers).map(
              ([key, value]) => `Map.entry(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
            );
            return `isGenuine(Map.ofEntries(${pairs.join(', ')}), java.util.Base64.getDecoder().decode("${body}"))`;
          });
          const main = `  public static void main(String[] all) throws Exception {\n    System.out.println(java.util.List.of(${calls.join(', ')}));\n  }\n}\n`;
          writeFileSync(at, code.replace(/\}\s*$/, main));
          return execFileSync('java', [at], { env, encoding: 'utf8' });
        },
      }
    : {}),
};

describe.each(Object.keys(RUNNERS) as Language[])('in %s', language => {
  it.each(Object.keys(FORMS))('takes what we sign as %s, and nothing else', { timeout: 240_000 }, profile => {
    const cases = casesOf(profile);
    const code = verifyCode(language, FORMS[profile] as never, 'ACME_WEBHOOK_SECRET');
    expect(code).not.toContain('whsec_A');
    const output = RUNNERS[language]?.(code, given(cases), profile.replace('-', '_')) ?? '';
    expect(JSON.parse(output)).toEqual(cases.map(({ genuine }) => genuine));
  });
});

it('is there in six languages, names the secret, and never has its value', () => {
  for (const language of LANGUAGES)
    for (const form of Object.values(FORMS))
      expect(verifyCode(language, form, 'ACME_WEBHOOK_SECRET')).toContain('ACME_WEBHOOK_SECRET');
});
