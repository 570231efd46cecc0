/** `holdfast console`: the same as these commands on a page, for one person, on this machine. */
import { once } from 'node:events';
import { EXIT, type ExitCode, usageError } from '../cli-error.ts';
import { wholeNumber } from '../filter-options.ts';
import type { Run, RunCommand } from '../run.ts';

interface ConsoleOptions {
  readonly port?: string;
  readonly write?: boolean;
  readonly readOnly?: boolean;
  readonly open?: boolean;
}

export function addConsole(program: RunCommand): void {
  program
    .command('console')
    .description('Serve a page on this machine that shows what arrived and died, and can run it again. Ctrl-C ends it')
    .option('--port <n>', 'port on 127.0.0.1 (default: 4580, or the next free one)')
    .option('--write', 'allow changes in prod, too: replay, pause, purge')
    .option('--read-only', 'allow no changes (default in prod)')
    .option('--open', 'open the page in your browser')
    .examples(
      ['holdfast console --open', 'the local gateway of npm start'],
      ['holdfast console --env prod', 'with your own AWS credentials; it only looks, unless you add --write'],
    )
    .does(serve);
}

async function serve(run: Run, options: ConsoleOptions): Promise<ExitCode> {
  if (options.write && options.readOnly) throw usageError('--write and --read-only', 'one of them', 'leave one out');
  const port = options.port === undefined ? undefined : wholeNumber('port', options.port, 1, 65_535);
  const readOnly = options.readOnly === true || (/^prod/.test(run.environment) && options.write !== true);
  // Before anything is served: wrong credentials are better known here than on the page.
  const { place } = await run.gateway();
  const page = await run.startConsole({ operator: run, readOnly, program: run.program, port });
  try {
    const does = readOnly ? 'only looks' : 'may change things';
    run.out.row({ url: page.url, read_only: readOnly, place }, () => page.url);
    run.out.note(
      `${run.environment} in ${place}; it ${does}. Whoever has the address has your rights here. Ctrl-C ends it`,
    );
    if (options.open) page.open();
    if (!run.io.interrupted.aborted) await once(run.io.interrupted, 'abort');
    return EXIT.ok;
  } finally {
    await page.close();
  }
}
