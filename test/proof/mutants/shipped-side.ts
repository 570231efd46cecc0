/** What may notice a bug of what ships, and of what says whether it works. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cwd } from 'node:process';
import { defineGateway } from '#core/config/gateway-config.ts';
import { resolveConfig } from '#core/config/resolve-config.ts';
import { LEASE_CONTROL } from '#core/inbound/sweep/sweeper-record.ts';
import { bundleFunctions, metafilePath } from '#lib/bundling/bundle-functions.ts';
import { describeSweeper, isSweeperLate, readSweeperView } from '#operator/health/sweeper.ts';
import { PROVIDERS } from '#providers/index.ts';
import { classesInSeveral, withoutTheirClient } from '../../lib/synth/bundle-faults.ts';
import type { Side } from './probe.ts';

const gateway = defineGateway({
  sources: { default: { provider: 'generic' } },
  environments: { all: { account: '123456789012', region: 'eu-central-1', outbound: {} } },
});

/** A function that reads several files lazily, as it would be deployed. */
async function ofBundle(): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-shipped-'));
  try {
    const configs = [resolveConfig(gateway, 'all', PROVIDERS)];
    await bundleFunctions({ configs, project: cwd(), outputFolder: folder, functions: ['delivery-api'] });
    const metafile = JSON.parse(readFileSync(metafilePath(join(folder, 'all/delivery-api')), 'utf8'));
    return [...withoutTheirClient(metafile), ...classesInSeveral(metafile)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The sweeper took its lease a moment ago, as each minute, and has crashed for ten minutes. */
async function ofCrashingSweeper(): Promise<readonly string[]> {
  const now = 1_800_000_000_000;
  const record = { wellAt: now - 600_000, error: { at: now - 1_000, text: 'TypeError: no operation' } };
  const control = {
    read: async (name: string) => ({
      value: name === LEASE_CONTROL ? String(now + 50_000) : JSON.stringify(record),
      version: 1,
    }),
  };
  const view = await readSweeperView(control, undefined);
  const said = describeSweeper(view, now);
  const isWrong = isSweeperLate(view, now) && /no run of the sweeper has ended well for 10 min.*TypeError/.test(said);
  return isWrong ? [] : [`ten minutes of crashes are called "${said}"`];
}

export const SIDE: Side = { scenarios: { ofBundle, ofCrashingSweeper }, journeys: [] };
