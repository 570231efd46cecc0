/** The code that the portal gives to customers, run in each of its languages on what our signer signs, and on what was changed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeSigningCrypto } from '#adapters/crypto/node-signing-crypto.ts';
import type { EndpointItem } from '#core/outbound/protocol/items.ts';
import { attemptSigner } from '#core/outbound/sign/sign-attempt.ts';
import { PROVIDERS } from '#providers/index.ts';
import { FORMS, type Language, verifyCode } from '../../portal/app/verify-code.ts';

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
const BODY = Buffer.from('{"type":"invoice.paid","data":{"name":"Żółw"}}');
const NOT_TEXT = Buffer.from([0x7b, 0xff, 0x00, 0xc3, 0x28, 0x0d, 0x0a, 0x7d]);

/** Where the snippets look for the secret, and the secret. */
export const SNIPPET_SECRET_ENV = 'ACME_WEBHOOK_SECRET';
export const SNIPPET_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

export interface SnippetCase {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly genuine: boolean;
}

/** Signed by us in the form `profile` at `at` (milliseconds); then touched. */
export function snippetCases(profile: string, at = Date.now()): readonly SnippetCase[] {
  const endpoint = { signature: profile, headers: {} } as Pick<EndpointItem, 'signature' | 'headers'>;
  const message = { type: 'invoice.paid', contentType: 'application/json' };
  const signed = (fills: readonly number[], now = at, body = BODY) =>
    sign({ ...{ id: 'msg_1', endpoint, message, n: 1, now }, keys: fills.map(keyOf), body }).headers;
  const form = FORMS[profile];
  const header = form?.header ?? '';
  const hasTime = form?.time !== undefined;
  const hasRoom = profile === 'standard' || profile === 't-v1';
  const good = signed([1]);
  const change = (name: string, by: (value: string) => string) => ({ ...good, [name]: by(good[name] ?? '') });
  const flipped = (text: string) => {
    // Not the last letter: of base64 it may carry no bits of its own.
    const at = text.length - 10;
    return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
  };
  const later = (text: string) => text.replace(/\d+/, digits => String(Number(digits) + 1));
  return [
    { name: 'as signed', headers: good, body: BODY, genuine: true },
    { name: 'bytes that are no text', headers: signed([1], at, NOT_TEXT), body: NOT_TEXT, genuine: true },
    { name: 'an empty body', headers: signed([1], at, Buffer.alloc(0)), body: Buffer.alloc(0), genuine: true },
    { name: 'two secrets, ours the old one', headers: signed([2, 1]), body: BODY, genuine: hasRoom },
    { name: 'two secrets, ours the new one', headers: signed([1, 2]), body: BODY, genuine: true },
    { name: 'another secret', headers: signed([2]), body: BODY, genuine: false },
    { name: 'a body with a blank more', headers: good, body: Buffer.concat([BODY, Buffer.from(' ')]), genuine: false },
    { name: 'a signature with one letter changed', headers: change(header, flipped), body: BODY, genuine: false },
    { name: 'an empty signature', headers: change(header, () => ''), body: BODY, genuine: false },
    { name: 'no headers', headers: {}, body: BODY, genuine: false },
    { name: '400 seconds old', headers: signed([1], at - 400_000), body: BODY, genuine: !hasTime },
    { name: '400 seconds ahead', headers: signed([1], at + 400_000), body: BODY, genuine: !hasTime },
    ...(form?.time === 'header'
      ? [{ name: 'another time', headers: change('webhook-timestamp', later), body: BODY, genuine: false }]
      : []),
    ...(form?.time === 'inside'
      ? [{ name: 'another time', headers: change(header, later), body: BODY, genuine: false }]
      : []),
    ...(form?.id ? [{ name: 'another id', headers: change('webhook-id', later), body: BODY, genuine: false }] : []),
  ];
}

/** What must be installed for each language. */
const PROGRAMS: Readonly<Record<Language, readonly string[]>> = {
  'Node.js': ['node', '--version'],
  Python: ['python3', '--version'],
  Go: ['go', 'version'],
  Java: ['java', '-version'],
  Ruby: ['ruby', '--version'],
  PHP: ['php', '--version'],
};

/** The program's own word about its version; undefined where it is not installed. */
export function interpreterOf(language: Language): string | undefined {
  const [program = '', ...args] = PROGRAMS[language];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? (stdout || stderr).split('\n')[0] : undefined;
}

/** What the portal's code says of each case. Throws when the program fails. */
export function askSnippet(language: Language, profile: string, cases: readonly SnippetCase[]): readonly boolean[] {
  const form = FORMS[profile];
  if (form === undefined) throw new RangeError(`no form ${profile}; there are ${Object.keys(FORMS).join(', ')}`);
  const code = verifyCode(language, form, SNIPPET_SECRET_ENV);
  if (code.includes(SNIPPET_SECRET)) throw new Error('the code holds the secret');
  const given = JSON.stringify(cases.map(({ headers, body }) => ({ headers, body: body.toString('base64') })));
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-snippet-'));
  try {
    return JSON.parse(RUNNERS[language](code, given, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const env = { ...process.env, [SNIPPET_SECRET_ENV]: SNIPPET_SECRET };
const file = (folder: string, name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const run = (program: string, args: readonly string[], input = ''): string =>
  execFileSync(program, args, { env, encoding: 'utf8', input });

const RUNNERS: Readonly<Record<Language, (code: string, cases: string, folder: string) => string>> = {
  'Node.js': (code, cases, folder) => {
    const path = file(folder, 'webhooks.mjs', code);
    const program = `const { isGenuine } = await import(${JSON.stringify(path)});
      console.log(JSON.stringify(${cases}.map(it => isGenuine(it.headers, Buffer.from(it.body, 'base64')))));`;
    return run(process.execPath, ['--input-type=module', '--eval', program]);
  },
  Python: (code, cases) => {
    const asked = 'print(json.dumps([is_genuine(it["headers"], base64.b64decode(it["body"])) for it in cases]))';
    return run('python3', ['-c', `${code}\nimport base64, json, sys\ncases = json.load(sys.stdin)\n${asked}`], cases);
  },
  Go: (code, cases, folder) => {
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
    return run('go', ['run', file(folder, 'main.go', main)], cases);
  },
  Java: (code, cases, folder) => {
    const calls = (JSON.parse(cases) as { headers: object; body: string }[]).map(({ headers, body }) => {
      const pairs = Object.entries(headers).map(
        ([key, value]) => `Map.entry(${JSON.stringify(key)}, ${JSON.stringify(value)})`,
      );
      return `isGenuine(Map.ofEntries(${pairs.join(', ')}), java.util.Base64.getDecoder().decode("${body}"))`;
    });
    const main = `  public static void main(String[] all) throws Exception {\n    System.out.println(java.util.List.of(${calls.join(', ')}));\n  }\n}\n`;
    return run('java', [file(folder, 'Webhooks.java', code.replace(/\}\s*$/, main))]);
  },
  Ruby: (code, cases, folder) => {
    // As a framework hands them over: the names and values are UTF-8, the body is bytes.
    const asked =
      "puts JSON.generate(JSON.parse($stdin.read).map { |it| genuine?(it['headers'], it['body'].unpack1('m')) })";
    return run('ruby', ['-W0', file(folder, 'webhooks.rb', `${code}\nrequire 'json'\n${asked}\n`)], cases);
  },
  PHP: (code, cases, folder) => {
    const asked =
      "echo json_encode(array_map(fn ($it) => isGenuine($it['headers'], base64_decode($it['body'])), json_decode(stream_get_contents(STDIN), true)));";
    return run('php', [file(folder, 'webhooks.php', `${code}\n${asked}\n`)], cases);
  },
};
