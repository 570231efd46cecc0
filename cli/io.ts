/** What a command sees of the terminal and the machine; tests give their own. */
import { userInfo } from 'node:os';

interface Stream {
  write(data: string | Uint8Array): void;
  readonly isTTY: boolean;
  readonly columns: number;
}

export interface Io {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly stdinIsTTY: boolean;
  /** All of stdin, once. */
  readStdin(): Promise<Buffer>;
  /** Asks at the terminal; `hidden` shows nothing of the answer. Only where `stdinIsTTY`. */
  ask(question: string, hidden?: boolean): Promise<string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Who is at the keyboard, for the records of replays and pauses. */
  readonly user: string;
}

export const NOBODY_READS = 'nobody reads';
/** By a person, not because nobody reads on. */
export const isStopped = ({ interrupted }: Pick<Io, 'interrupted'>): boolean =>
  interrupted.aborted && interrupted.reason !== NOBODY_READS;

export const STOPPED = 'Stopped. Run it again for the rest: what was done stays.';

export function processIo(): Io {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      const { aborted, reason } = interrupted.signal;
      if (aborted && reason === NOBODY_READS) process.stderr.write(`${STOPPED}\n`);
      // The second time, leave whatever is going on.
      if (aborted) process.exit(130);
      interrupted.abort();
    });
  }
  // `holdfast … | head` closes our stdout: that is no failure. What follows events ends; a replay goes on to its last one.
  let unwritten: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    interrupted.abort(NOBODY_READS);
    if (error.code === 'EPIPE' || unwritten !== undefined) return;
    // A full disk: somebody wants the rest and does not get it.
    unwritten = error;
    process.stderr.write(`Cannot write to stdout: ${error.message}\n`);
  });
  process.on('exit', code => {
    if (unwritten !== undefined && code === 0) process.exitCode = 1;
  });
  // Nobody reads the notes: what was asked for is done all the same, and the exit code says how it went.
  process.stderr.on('error', () => {});
  return {
    stdout: streamOf(process.stdout),
    stderr: streamOf(process.stderr),
    stdinIsTTY: process.stdin.isTTY === true,
    readStdin,
    ask: askAtTerminal,
    env: process.env,
    interrupted: interrupted.signal,
    user: process.env['HOLDFAST_BY'] ?? userName(),
  };
}

function streamOf(stream: NodeJS.WriteStream): Stream {
  return {
    write: data => void stream.write(data),
    isTTY: stream.isTTY === true,
    columns: stream.columns ?? 120,
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

/** One line from the terminal. The terminal itself would echo a secret, so a hidden one is read key by key. */
function askAtTerminal(question: string, hidden = false): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(question);
  return new Promise(resolve => {
    let text = '';
    if (hidden) stdin.setRawMode(true);
    const finish = (answer: string): void => {
      if (hidden) stdin.setRawMode(false);
      stdin.off('data', onData);
      stdin.pause();
      if (hidden) stderr.write('\n');
      resolve(answer);
    };
    const onData = (data: Buffer): void => {
      for (const char of data.toString('utf8')) {
        if (char === '\u0003') process.exit(130);
        if (char === '\r' || char === '\n') {
          finish(text);
          return;
        }
        text = char === '\u007f' || char === '\b' ? text.slice(0, -1) : text + char;
      }
    };
    stdin.on('data', onData);
    stdin.resume();
  });
}
