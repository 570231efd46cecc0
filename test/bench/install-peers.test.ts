import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installPeers } from '#bench/side-by-side/install-peers.ts';

const PEERS = join(import.meta.dirname, '../../bench/peers');
const folder = mkdtempSync(join(tmpdir(), 'peers-'));
for (const file of ['package.json', 'package-lock.json']) cpSync(join(PEERS, file), join(folder, file));
afterAll(() => rmSync(folder, { recursive: true }));

/** Nothing listens there, and nothing is cached. */
const NO_REGISTRY = {
  npm_config_registry: 'http://127.0.0.1:9/',
  npm_config_noproxy: '127.0.0.1',
  npm_config_cache: join(folder, 'cache'),
  npm_config_fetch_retries: '0',
};

describe('the packages of the peers', () => {
  it("are refused with npm's own words when they cannot be fetched", async () => {
    const refused = installPeers(folder, NO_REGISTRY);
    await expect(refused).rejects.toThrow(/^npm ci in .* ended with 1\. It said:\nnpm error code ECONNREFUSED/);
  });

  it('are fetched again after a run that was cut off, and when the lock file has changed since', async () => {
    const record = join(folder, 'node_modules/.package-lock.json');
    mkdirSync(join(folder, 'node_modules/pg'), { recursive: true });
    await expect(installPeers(folder, NO_REGISTRY)).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(record)).toBe(false);

    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    writeFileSync(record, '{}');
    utimesSync(record, 0, 0);
    await expect(installPeers(folder, NO_REGISTRY)).rejects.toThrow('ECONNREFUSED');
  });

  it('stay as they are when they are there', async () => {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
    await expect(installPeers(folder, NO_REGISTRY)).resolves.toBeUndefined();
  });
});
