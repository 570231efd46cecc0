/** Terminals of any width. What they show: terminals.txt beside this file, held by test/written/written.test.ts. */
import { expect, it } from 'vitest';
import { COMMANDS, evening, WIDTHS } from './terminals.ts';

it.each([...WIDTHS, 200])('at %i columns no id, URL or error is cut, and every line fits', async columns => {
  const cli = await evening();
  for (const command of COMMANDS) {
    const { stdout } = await cli.run(command.split(' '), { columns, env: { NO_COLOR: '1' } });
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    expect(stdout).not.toContain('…');
    if (command === 'dlq ls') expect(stdout.replace(/\s+/g, ' ')).toContain('see migration 42');
  }
  cli.world.stop();
});
