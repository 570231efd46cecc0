/** The clients of the feed that a page shows, and how each is started. */
import type { Language } from '../../../portal/app/verify-code.ts';

/** In docs/send/poll/, which ships: a page links to them. */
export const POLL_FILES: Readonly<Record<Language, string>> = {
  'Node.js': 'poll.mjs',
  Python: 'poll.py',
  Go: 'poll.go',
  Java: 'Poll.java',
  Ruby: 'poll.rb',
  PHP: 'poll.php',
};

/** Before the file. */
export const POLL_PROGRAMS: Readonly<Record<Language, readonly [program: string, ...args: string[]]>> = {
  'Node.js': [process.execPath],
  Python: ['python3'],
  Go: ['go', 'run'],
  Java: ['java'],
  Ruby: ['ruby'],
  PHP: ['php'],
};

/** The wait after a failure, as each has it, and one for a test. */
export const POLL_WAITS: Readonly<Record<Language, readonly [shown: string, tested: string]>> = {
  'Node.js': ['await sleep(30_000)', 'await sleep(300)'],
  Python: ['time.sleep(30)', 'time.sleep(0.3)'],
  Go: ['time.Sleep(30 * time.Second)', 'time.Sleep(300 * time.Millisecond)'],
  Java: ['Thread.sleep(30_000)', 'Thread.sleep(300)'],
  Ruby: ['sleep 30\n', 'sleep 0.3\n'],
  PHP: ['sleep(30)', 'usleep(300000)'],
};
