/** `holdfast sources shapes`: what the events of a source look like, and when a provider changed them. */
import { toIso } from '#core/time.ts';
import { listShapes } from '#operator/sources/shapes.ts';
import type { RunCommand } from '../../run.ts';

export function addSourcesShapes(sources: RunCommand): void {
  sources
    .command('shapes')
    .argument('<source>')
    .description('Show the structure of each event type, and when it changed. Names and types, never a value')
    .option('--type <type>', 'show the paths of this type')
    .examples(
      ['holdfast sources shapes stripe', 'each type, and what changed last'],
      ['holdfast sources shapes stripe --type invoice.paid', 'each path with its type'],
    )
    .does(async (run, name: string, { type }: { type?: string }) => {
      const all = await listShapes(run, name);
      const found = type === undefined ? all : all.filter(shape => shape.type === type);
      const asIso = found.map(({ learnUntil, changes, ...shape }) => ({
        ...shape,
        learn_until: toIso(learnUntil),
        changes: changes.map(change => ({ ...change, at: toIso(change.at) })),
      }));
      run.out.result(asIso, () => {
        if (found.length === 0) return ['No event of it was seen yet.'];
        if (type !== undefined)
          return run.out.table(
            ['PATH', 'TYPE', 'THERE'],
            found.flatMap(({ paths }) =>
              paths.map(({ path, types, optional }) => [path, types, optional ? 'sometimes' : 'always']),
            ),
          );
        return run.out.table(
          ['TYPE', 'PATHS', 'CHANGED', 'LAST CHANGE'],
          found.map(({ type: of, paths, changes: [last] }) => [
            of,
            String(paths.length),
            last === undefined ? '-' : run.out.ago(last.at),
            last === undefined ? '' : wordsOf(last),
          ]),
        );
      });
    });
}

interface Changed {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

function wordsOf({ added, removed, changed }: Changed): string {
  const kinds = [
    ['added', added],
    ['removed', removed],
    ['changed', changed],
  ] as const;
  return kinds.flatMap(([kind, paths]) => (paths.length === 0 ? [] : [`${kind} ${paths.join(', ')}`])).join('; ');
}
