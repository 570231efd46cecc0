import { styleText } from 'node:util';

/** Progress lines on stdout: one per finished step, with its time; colours only on a terminal that wants them. */
export interface Progress {
  /**
   * Runs one step and prints it when done. `note` may change what is printed behind the title; `isGood` says whether a
   * result counts as done or failed.
   */
  step<T>(
    title: string,
    work: (note: (text: string) => void) => Promise<T>,
    isGood?: (result: T) => boolean,
  ): Promise<T>;
  line(text?: string): void;
}

export type Style = 'bold' | 'dim' | 'green' | 'red' | 'cyan' | 'yellow';

/** Colours a text where stdout shows colours (a terminal, and NO_COLOR is not set). */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

function formatSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Progress for a person: on a terminal the running step is shown and replaced by its result. */
export function terminalProgress(): Progress {
  const live = process.stdout.isTTY === true;
  return {
    async step(title, work, isGood = () => true) {
      const startedAt = performance.now();
      let detail = '';
      const show = (): void => {
        if (live)
          process.stdout.write(`\r\x1b[2K  ${paint('dim', '…')} ${title}${detail && ` ${paint('dim', detail)}`}`);
      };
      show();
      const end = (mark: string): void => {
        if (live) process.stdout.write('\r\x1b[2K');
        const took = paint('dim', formatSeconds(performance.now() - startedAt));
        console.log(`  ${mark} ${title}${detail && ` ${paint('dim', detail)}`} ${took}`);
      };
      try {
        const result = await work(text => {
          detail = text;
          show();
        });
        end(isGood(result) ? paint('green', '✓') : paint('red', '✗'));
        return result;
      } catch (error) {
        end(paint('red', '✗'));
        throw error;
      }
    },
    line: (text = '') => console.log(text),
  };
}

/** No output: for tests. */
export const silentProgress: Progress = {
  step: (_title, work) => work(() => undefined),
  line: () => undefined,
};
