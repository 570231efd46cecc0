/** `npm run deploy` as a program, up to the moment at which it would hand over to the CDK. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '#local/shell/workspace.ts';
import { freePort } from '#test/kit/servers/free-port.ts';

let folder = '';
const asked: string[] = [];
/** The stacks of the account. Undefined: whichever is asked for. */
let there: readonly string[] | undefined;
/** An AWS where the stack is deployed and no secret has a value. */
const aws = createServer(async (request, response) => {
  const target = String(request.headers['x-amz-target']);
  const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
  asked.push(`${form.get('Action') ?? target} ${form.get('StackName') ?? ''}`.trim());
  if (target.endsWith('DescribeSecret')) response.end('{}');
  else if (form.get('Action') === 'DescribeStacks' && there !== undefined) {
    const members = there.filter(name => [name, null].includes(form.get('StackName')));
    const ofEach = members.map(
      name =>
        `<member><StackName>${name}</StackName><CreationTime>2026-11-22T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus><EnableTerminationProtection>${name !== 'holdfast-pr-7-data'}</EnableTerminationProtection></member>`,
    );
    if (members.length === 0 && form.has('StackName'))
      response
        .writeHead(400)
        .end('<ErrorResponse><Error><Code>ValidationError</Code><Message>none</Message></Error></ErrorResponse>');
    else
      response.end(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks>${ofEach.join('')}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      );
  } else if (target.endsWith('GetSecretValue')) response.writeHead(400).end('{"__type":"ResourceNotFoundException"}');
  else
    response.end(
      '<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackStatus>CREATE_COMPLETE</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>',
    );
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-deploy-'));
  await mkdir(join(folder, 'handlers'));
  await symlink(join(PACKAGE_ROOT, 'node_modules'), join(folder, 'node_modules'));
  const sources = "{ stripe: { provider: 'stripe' }, asana: { provider: 'asana' } }";
  await writeFile(
    join(folder, 'gateway.config.ts'),
    `export const gateway = { sources: ${sources}, environments: { prod: { region: 'eu-central-1' } } };\n`,
  );
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const compilerOptions = { noEmit: true, skipLibCheck: true, types: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', 'handlers'] }));
  await new Promise<void>(resolve => aws.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  aws.close();
  await rm(folder, { recursive: true, force: true });
});

const CONFIG =
  "export const gateway = { sources: { stripe: { provider: 'stripe' } }, environments: { prod: { region: 'eu-central-1', disposable: false } }, prefix: 'payments' };\n";

const HANDLERS = 'export const handlers = { find: () => undefined };\n';
const KEYS = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };

async function deploy(handlers: string, env: NodeJS.ProcessEnv, ...options: readonly string[]) {
  await writeFile(join(folder, 'handlers/index.ts'), handlers);
  const none = { AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, AWS_EC2_METADATA_DISABLED: 'true' };
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [join(PACKAGE_ROOT, 'local/deploy.ts'), 'prod', '--yes', ...options], {
    cwd: folder,
    env: { PATH, HOME: folder, NODE_COMPILE_CACHE, NO_COLOR: '1', ...none, ...env },
  });
  const [stdout, stderr, code] = await Promise.all([
    child.stdout.toArray(),
    child.stderr.toArray(),
    new Promise(resolve => child.once('close', resolve)),
  ]);
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString().trimEnd() };
}
const deployed = () => ({ ...KEYS, AWS_ENDPOINT_URL: `http://127.0.0.1:${(aws.address() as AddressInfo).port}` });

it('checks the types first, and deploys nothing that does not compile', async () => {
  const { code, stderr } = await deploy(`${HANDLERS}export const amount: number = 'five';\n`, deployed());
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Nothing was deployed: the types are wrong\.\n\nhandlers\/index\.ts\(2,14\): error TS2322/);
});

it('prints a command that asks for each secret that is missing, and none with the secret in it', async () => {
  const { code, stdout, stderr } = await deploy(HANDLERS, deployed());
  expect(code).toBe(1);
  expect(stdout).toContain('Check the types');
  expect(stderr).toMatch(/^Not deployed: stripe, asana in prod would answer 503/);
  expect(stderr).toContain('\n  npm run holdfast -- sources set-secret stripe --env prod\n');
  // Its provider brings the secret itself.
  expect(stderr).toContain('\n  npm run holdfast -- sources pair asana --env prod');
  expect(stderr).not.toMatch(/secret-string|put-secret-value/);
});

it('says in one sentence that there are no credentials, or that nothing answers', async () => {
  const without = await deploy(HANDLERS, {});
  expect(without).toMatchObject({
    code: 4,
    stderr: 'No AWS credentials: sign in (aws sso login), or choose a profile with AWS_PROFILE.',
  });
  expect(await deploy(HANDLERS, {}, '--destroy')).toMatchObject({
    code: without.code,
    stderr: without.stderr,
  });
  const closed = await deploy(HANDLERS, { ...KEYS, AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` });
  expect(closed.code).toBe(1);
  expect(closed.stderr).toMatch(/^Nothing answers on this machine \(connect ECONNREFUSED .*\?$/);
});

describe('a name that holds no data, beside one that does', () => {
  afterEach(() => {
    there = undefined;
  });
  /** What CloudFormation was asked to change. */
  const changes = () =>
    asked.filter(each => !/^(?:DescribeStacks|GetTemplate|\S+\.(?:DescribeSecret|GetSecretValue))\b/.test(each));

  it('after a changed prefix is refused before anything is changed', async () => {
    await writeFile(join(folder, 'gateway.config.ts'), CONFIG);
    there = ['holdfast-prod-data', 'holdfast-prod-gateway'];
    asked.length = 0;
    const { code, stderr } = await deploy(HANDLERS, deployed());
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Not deployed, and nothing was changed: payments-holdfast-prod-data is not there, but holdfast-prod-data, /,
    );
    expect(stderr).toContain('npm run deploy -- prod --beside');
    expect(changes()).toEqual([]);
  });
});
