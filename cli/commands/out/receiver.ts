/** `holdfast out receiver`: a receiver of webhooks on this machine, which can be told to misbehave. */
import { once } from 'node:events';
import { usageError } from '#cli/cli-error.ts';
import { wholeNumber } from '#cli/filter-options.ts';
import type { RunCommand } from '#cli/run.ts';
import { startReceiver } from '#local/sample/receiver.ts';
import { BEHAVIOUR_NAMES } from '#local/sample/receiver-behaviours.ts';

export function addOutReceiver(out: RunCommand): void {
  out
    .command('receiver')
    .description('Receive webhooks on 127.0.0.1 and print them. The path of the URL says how to misbehave')
    .option('--port <n>', 'port to listen on', '4700')
    .examples(
      ['holdfast out receiver --port 4700', 'then give an endpoint the URL http://127.0.0.1:4700/fail?times=2'],
      ['HOLDFAST_SECRET=whsec_… holdfast out receiver', 'verifies each signature, too'],
    )
    .does(async (run, { port }: { port: string }) => {
      // Of the environment, because an argument is seen by everybody on the machine.
      const secret = run.io.env['HOLDFAST_SECRET'];
      const number = wholeNumber('port', port, 1, 65_535);
      const receiver = await startReceiver({
        port: number,
        secrets: () => (secret === undefined ? [] : [secret]),
        onRequest: ({ at, path, id, headers, body, signature, answer }) => {
          const event = headers['x-webhook-event'] ?? null;
          const value = { at: new Date(at).toISOString(), path, id, event, signature, answer, bytes: body.length };
          run.out.row(value, () => `${value.at}  ${path}  ${answer}  ${event ?? '-'}  ${id}  signature ${signature}`);
        },
      }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        throw usageError(`--port: ${number}, which another program uses`, 'a free port', `e.g. --port ${number + 1}`);
      });
      run.out.note(`Listening on ${receiver.url} (Ctrl-C ends it)`);
      for (const [path, about] of BEHAVIOUR_NAMES) run.out.note(`  ${path.padEnd(16)} ${about}`);
      if (!run.io.interrupted.aborted) await once(run.io.interrupted, 'abort');
      await receiver.stop();
    });
}
