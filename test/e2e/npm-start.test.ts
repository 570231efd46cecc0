import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { findPython } from '#local/python.ts';
import { copyApp, freePort } from './gateway-under-test.ts';
import { reportMissingPython } from './needs-python.ts';
import { startGateway } from './start-gateway.ts';

const python = await findPython();
reportMissingPython(python);

describe('npm start', () => {
  it('says in one line what to install when there is no Python', async () => {
    const app = await copyApp('no-python');
    const run = startGateway(['--once'], { root: app, env: { HOLDFAST_PYTHON: '/there/is/no/python' } });
    expect(await run.exitCode).toBe(1);
    expect(run.stderr().trim().split('\n')).toEqual([
      expect.stringMatching(/^Python 3\.10 or newer was not found\. Install it/),
    ]);
    await rm(app, { recursive: true, force: true });
  });

  it.skipIf(!python)('names a busy port and how to choose another', async () => {
    const server = createServer();
    const port = await new Promise<number>(resolve => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    const run = startGateway(['--once', '--port', String(port)]);
    expect(await run.exitCode).toBe(1);
    expect(run.stderr()).toMatch(
      new RegExp(`^Port ${port} is in use by another program\\. Choose another one: npm start -- --port`),
    );
    server.close();
  });

  it('refuses an AWS_ENDPOINT_URL of the real AWS, and one where nothing answers', async () => {
    const real = startGateway(['--once'], { env: { AWS_ENDPOINT_URL: 'https://dynamodb.eu-west-1.amazonaws.com' } });
    expect(await real.exitCode).toBe(1);
    expect(real.stderr()).toContain('npm run deploy -- dev');
    const silent = startGateway(['--once'], { env: { AWS_ENDPOINT_URL: `http://127.0.0.1:${await freePort()}` } });
    expect(await silent.exitCode).toBe(1);
    expect(silent.stderr()).toContain('Nothing answers at AWS_ENDPOINT_URL');
  });
});
