/** CPU time of blocks of work in one process, in interleaved rounds. */
import { interleave } from './rounds.ts';

/** Work of one block: runs `count` events. */
export type Block = (count: number) => Promise<void> | void;

/**
 * CPU microseconds (user and system, all threads) of one event, by variant and round. Blocks take turns, so that a busy
 * neighbour slows all alike.
 */
export function cpuPerEvent<Name extends string>(
  variants: Readonly<Record<Name, { readonly block: Block; readonly count: number }>>,
  rounds: number,
): Promise<Readonly<Record<Name, number[]>>> {
  const measured = Object.fromEntries(
    Object.entries<{ block: Block; count: number }>(variants).map(([name, { block, count }]) => [
      name,
      async (): Promise<number> => {
        const before = process.cpuUsage();
        await block(count);
        const { user, system } = process.cpuUsage(before);
        return (user + system) / count;
      },
    ]),
  ) as Record<Name, () => Promise<number>>;
  return interleave(measured, rounds);
}
