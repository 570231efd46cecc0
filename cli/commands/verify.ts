/** `holdfast verify` and `sign`: why a captured request fails, and what a genuine one looks like. */
import { given } from '#core/given.ts';
import { readMoment } from '#core/inbound/search/event-filter.ts';
import type { ProviderSpec } from '#core/provider/provider-spec.ts';
import { toIso } from '#core/time.ts';
import { parseCapturedRequest } from '#operator/refused/captured-request.ts';
import { readVectors, type SignatureVector } from '#operator/refused/vector-file.ts';
import { judgeRequest, judgeVectors, providerOf, type Whose } from '#operator/refused/verify-captured.ts';
import { formatCurl } from '#operator/sources/curl-command.ts';
import { signAsProvider } from '#operator/sources/sign-as-provider.ts';
import { readSourceSecret } from '#operator/sources/source-secret.ts';
import { EXIT, type ExitCode, usageError } from '../cli-error.ts';
import { refuseBeside } from '../filter-options.ts';
import { collect, readGivenSecret, readHeaders, readInput } from '../read-input.ts';
import type { Run, RunCommand } from '../run.ts';

interface Options {
  readonly provider?: string;
  readonly source?: string;
  readonly secretFile?: string;
  readonly url?: string;
  readonly at?: string;
  readonly header?: readonly string[];
  readonly curl?: boolean;
}

export function addVerify(program: RunCommand): void {
  whose(program.command('verify'))
    .argument(
      '<file>',
      'the captured request (headers, an empty line, the exact body), or vectors in JSON; - for stdin',
    )
    .description('Say whether a captured request is genuine, or why not; or check signature vectors')
    .option('--at <time>', 'verify as if this were the time (default: now)')
    .examples(
      ['holdfast verify request.http --source stripe', "with the source's stored secret"],
      ['HOLDFAST_SECRET=… holdfast verify request.http --provider github', 'without a deployment'],
      ['holdfast verify test/acme-vectors.json --provider acme', 'the vectors of a provider that you describe'],
    )
    .does(verify);

  whose(program.command('sign'))
    .argument('<file>', 'the body, byte for byte (- for stdin)')
    .description('Sign a body as a provider would, and print the headers')
    .option('--header <name:value>', 'a header of the request (repeat it for more)', collect, [] as readonly string[])
    .option('--curl', 'print a curl command instead')
    .option('--at <time>', 'sign as if this were the time (default: now)')
    .examples(
      ['holdfast sign body.json --source stripe --curl', 'a command to paste'],
      ['holdfast sign body.json --provider generic --secret-file secret.txt --json', 'headers as JSON'],
    )
    .does(sign);
}

function whose(command: RunCommand): RunCommand {
  return command
    .option('--source <name>', 'take the provider, the settings and the stored secret of this source')
    .option('--provider <id>', 'the provider, if there is no source')
    .option(
      '--secret-file <file>',
      'a file with the secret (default: HOLDFAST_SECRET, else the stored secret of --source)',
    )
    .option('--url <url>', 'the public URL that the provider knows, for providers that sign it');
}

async function readWhose(run: Run, options: Options): Promise<Whose> {
  const now = run.clock.now();
  const nowMs = options.at === undefined ? now : readMoment(options.at, now);
  if (nowMs === undefined)
    throw usageError(
      `--at: "${options.at}"`,
      'a time (2026-11-21T03:00Z) or how long ago (5m)',
      'write it in one of these forms',
    );
  const source = options.source === undefined ? undefined : run.source(options.source);
  const spec = source?.spec ?? specOf(run, options.provider);
  const current = await readGivenSecret(run, options.secretFile);
  const secret = current !== undefined ? { current } : source && (await readSourceSecret(run, source));
  const publicUrl = options.url ?? source?.publicUrl;
  return { spec, secret, settings: source?.settings ?? {}, nowMs, ...given({ publicUrl }) };
}

function specOf(run: Run, id: string | undefined): ProviderSpec {
  if (id === undefined) throw usageError('Neither --source nor --provider', 'one of them', 'e.g. --provider stripe');
  return providerOf(run, id);
}

const VECTORS_HAVE = ['at', 'url', 'secret-file'];

async function verify(run: Run, file: string, options: Options): Promise<ExitCode> {
  const bytes = await readInput(run, file);
  const vectors = readVectors(bytes);
  if (vectors !== undefined) {
    // Each has its own.
    refuseBeside('vectors', { at: options.at, url: options.url, 'secret-file': options.secretFile }, VECTORS_HAVE);
    return verifyVectors(run, vectors, options);
  }
  const whose = await readWhose(run, options);
  const { spec } = whose;
  const judgement = await judgeRequest(run, parseCapturedRequest(bytes), { ...whose, source: options.source });
  if (judgement.genuine) {
    const { scheme, matchedSecret } = judgement;
    run.out.result({ verified: true, provider: spec.id, scheme, matched_secret: matchedSecret }, () => [
      `${run.out.paint('green', 'Genuine')}: ${spec.title}, scheme ${scheme}, ${matchedSecret} secret`,
    ]);
    return EXIT.ok;
  }
  const { cause, hint, reasons } = judgement;
  const value = {
    verified: false,
    provider: spec.id,
    cause,
    hint,
    explanations: reasons.map(({ id, text }) => ({ id, text })),
    verified_as_of: toIso(whose.nowMs),
  };
  run.out.result(value, () => [
    `${run.out.paint('red', 'Not genuine')}: ${cause}${hint === undefined ? '' : ` (${hint})`}`,
    ...reasons.map(({ text }) => `  ${text}`),
    ...(reasons.length === 0 ? [`  ${CAUSES[cause] ?? 'No common mistake explains it'}`] : []),
  ]);
  return EXIT.failure;
}

/** Each vector must come out as it says. With --provider or --source only those of that provider are looked at. */
async function verifyVectors(run: Run, all: readonly SignatureVector[], options: Options): Promise<ExitCode> {
  const asked = options.source === undefined ? undefined : run.source(options.source).spec;
  const only = asked?.id ?? options.provider;
  const vectors = all.filter(({ provider }) => only === undefined || provider === undefined || provider === only);
  if (vectors.length === 0)
    throw usageError(
      `The file has no vector of "${only}"`,
      'at least one',
      `add one with "provider": "${only}", or leave --provider out`,
    );
  const results = await judgeVectors(run, vectors, provider => asked ?? specOf(run, provider ?? options.provider));
  const wrong = results.filter(({ ok }) => !ok);
  run.out.result({ checked: results.length, wrong: wrong.length, vectors: results }, () =>
    results.flatMap(({ id, provider, ok, verified, cause, explanations }) => [
      `${ok ? run.out.paint('green', 'ok   ') : run.out.paint('red', 'WRONG')}  ${provider}  ${id}: ${verified ? 'genuine' : `not genuine, ${cause}`}`,
      ...explanations.map(text => `         ${text}`),
    ]),
  );
  return wrong.length === 0 ? EXIT.ok : EXIT.failure;
}

const CAUSES: Readonly<Record<string, string>> = {
  mismatch:
    'Neither a changed body nor a known other secret explains it: compare the secret with the one the provider shows',
  missing: 'The signature header is not there: was it dropped on the way, or is the request of somebody else?',
  no_key: 'No secret was given: --source, --secret-file or HOLDFAST_SECRET',
  key_unknown: 'The address of its key is not one that a genuine request has named, and it did not answer',
  key_fetch: "The provider's published key could not be fetched from here",
  binding:
    'The signature is good, but over something else (another body, audience or URL): give --url as the provider knows it',
};

/** Where the source is deployed; without one, a place to put it. */
async function deployedUrl(run: Run, source: string | undefined): Promise<string> {
  if (source === undefined) return 'https://example.com/webhooks/source';
  return `${(await run.gateway()).apiUrl}${run.source(source).paths[0]}`;
}

async function sign(run: Run, file: string, options: Options): Promise<void> {
  const { spec, secret, ...whose } = await readWhose(run, options);
  const body = await readInput(run, file);
  const headers = readHeaders(options.header ?? []);
  if (secret === undefined)
    throw usageError('No secret', 'HOLDFAST_SECRET, --secret-file or --source', 'e.g. --secret-file secret.txt');
  const given = { body, headers: { 'content-type': 'application/json', ...headers } };
  const signed = signAsProvider({ spec, ...whose }, given, { secret: secret.current, nowMs: whose.nowMs });
  if (options.curl) {
    const url = whose.publicUrl ?? (await deployedUrl(run, options.source));
    const curl = formatCurl(`${url}${signed.query}`, signed.headers, Buffer.from(signed.body).toString('utf8'));
    run.out.result({ curl }, () => [curl]);
    return;
  }
  const rawQuery = signed.query === '' ? undefined : signed.query.slice(1);
  run.out.result({ headers: signed.headers, raw_query: rawQuery }, () =>
    Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}`),
  );
  if (signed.body !== body) run.out.note('The signature is in the body: send it with --curl, or from a program');
}
