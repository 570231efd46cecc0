/**
 * The ledger of assumptions:
 * 1. At least sixty rules, each once, each with its source; what it names is there.
 * 2. A comment of the product that says what a service of AWS takes, refuses or answers is one that the ledger has.
 * 3. So is each quota of the growth model.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_QUOTAS } from '#bench/growth/quotas.ts';
import { AWS_RULES, renderAwsPage } from '#test/written/aws-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('has at least sixty rules, each once, with its source', () => {
  expect(AWS_RULES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(AWS_RULES.map(({ rule }) => rule)).size).toBe(AWS_RULES.length);
  for (const { source, rule } of AWS_RULES) expect(source, rule).toMatch(/^[a-z0-9.-]+\/\S+$/);
});

it('names tests and words of the code that are there', () => {
  for (const { shownBy, inCode, rule } of AWS_RULES) {
    if (shownBy !== undefined) expect(existsSync(join(ROOT, 'test', shownBy)), `${rule} ${shownBy}`).toBe(true);
    if (inCode !== undefined) expect(read(inCode[0]), rule).toContain(inCode[1]);
  }
});

it('shows what nothing proves on top', () => {
  const page = renderAwsPage();
  const [top] = page.split('## The others');
  for (const { rule, shownBy } of AWS_RULES) expect(top?.includes(rule), rule).toBe(shownBy === undefined);
});

const SERVICE =
  '(?:AWS|DynamoDB|SQS|SNS|Lambda|API Gateway|CloudWatch|CloudFormation|CloudFront|S3|Secrets Manager|EventBridge|KMS|IAM)';
const SAYS = new RegExp(
  String.raw`\b${SERVICE}('s)? (?:[a-z]+ )?(?:takes|refuses|accepts|stops|answers|waits at most|allows|keeps)\b`,
);
/** No limit, or the other side of one that is there. */
const OURS = [/AWS takes a clock/, /as S3 answers it/];

/** Comment lines that say what a service does. */
function claims(text: string): readonly string[] {
  return text.split('\n').filter(line => /^\s*(?:\/\/|\/?\*)/.test(line) && SAYS.test(line));
}

it('has every limit of AWS that a comment of the product names', () => {
  const known = AWS_RULES.flatMap(({ inCode }) => (inCode === undefined ? [] : [inCode[1]]));
  const unknown = ['core', 'lib', 'adapters', 'lambdas', 'bench/growth'].flatMap(folder =>
    filesBelow(folder)
      .filter(file => !file.startsWith('adapters/memory'))
      .flatMap(file =>
        claims(read(file))
          .filter(line => !known.some(words => line.includes(words)) && !OURS.some(ours => ours.test(line)))
          .map(line => `${file}: ${line.trim()}`),
      ),
  );
  expect(unknown, 'write the rule into test/written/aws-rules.ts').toEqual([]);
});

it('finds a comment that names an unknown limit', () => {
  expect(claims('// SQS takes seven messages an hour.\nconst SQS = 7;')).toHaveLength(1);
});

it('has every quota of the growth model', () => {
  const named = AWS_RULES.flatMap(({ inCode }) => (inCode?.[0] === 'bench/growth/quotas.ts' ? [inCode[1]] : []));
  expect(named.sort()).toEqual(Object.keys(DEFAULT_QUOTAS).sort());
});
