/** The protocol's own inspector as client. Long run only: it is installed from npm for this, half a minute. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { isLongRun } from '#test/kit/long-run.ts';
import { type Json, plainTexts } from './agent-world.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

it.runIf(isLongRun())(
  'sees tools and prompts, why events died, and a dry run whose token is of its session alone',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-inspector-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder, INSPECTOR], {
      stdio: 'pipe',
    });
    const env = { ...process.env, MCP_CATALOG_PATH: join(folder, 'catalog.json') };
    const ask = async (...asked: readonly string[]): Promise<Json> => {
      const server = [process.execPath, join(import.meta.dirname, 'served.ts'), '--allow', 'replay'];
      const given = [join(folder, 'node_modules/.bin/mcp-inspector'), '--cli', '--method', ...asked, '--', ...server];
      const { stdout } = await promisify(execFile)(process.execPath, given, { env });
      return JSON.parse(stdout);
    };
    const call = async (name: string, ...args: readonly string[]): Promise<Json> => {
      const given = args.length === 0 ? [] : ['--tool-arg', ...args];
      const { content } = await ask('tools/call', '--tool-name', name, ...given);
      return JSON.parse(content[0].text);
    };
    const { tools } = await ask('tools/list');
    expect(tools.map(({ name }: Json) => name)).toContain('replay');
    expect((await ask('prompts/list')).prompts.length).toBe(3);
    const { groups } = await call('explain');
    expect(groups).toMatchObject([{ source: 'shop', count: 2, cause_in_words: 'the handler gave it up' }]);
    expect(plainTexts(groups)).not.toContain('order.paid');
    const given = ['ids=["bad-1"]', 'why=tested'];
    const { dry_run: dry, would, confirm } = await call('replay', ...given);
    expect([dry, would.replay]).toEqual([true, 1]);
    await expect(call('replay', ...given, `confirm=${confirm}`)).rejects.toThrow(/'replay' returned isError/);
  },
  240_000,
);
