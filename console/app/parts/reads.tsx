/** A screen that reads much says so first: the person begins it. */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { grouped } from '../../../ui/grouped.ts';
import type { Loaded } from '../../../ui/load.ts';
import { Button, Empty, Shown } from '../../../ui/parts.tsx';
import type { ReadsFirst } from '../../wire.ts';
import { useLoad } from './load.ts';

/** What may take much reading. */
export interface Told<T> extends Loaded<T> {
  readonly first: ReadsFirst | undefined;
  readonly isBegun: boolean;
  begin(): void;
}

/** What a person began is not asked for again by itself. */
export function useTold<T extends object>(path: string, everyMs?: number): Told<T> {
  const [begun, setBegun] = useState<string>();
  const isBegun = begun === path;
  const asked = isBegun ? withRead(path) : path;
  const { data, reload, ...view } = useLoad<T | ReadsFirst>(asked, isBegun ? undefined : everyMs);
  /** Of what the person began: says anew how much it reads. */
  const again = useCallback(() => (isBegun ? setBegun(undefined) : reload()), [isBegun, reload]);
  const first = data !== undefined && 'reads' in data ? data : undefined;
  return {
    ...view,
    data: data === undefined || 'reads' in data ? undefined : data,
    first,
    isBegun,
    begin: () => setBegun(path),
    reload: again,
  };
}

export function withRead(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}read=yes`;
}

export function ShownTold<T extends object>({
  of,
  children,
}: {
  readonly of: Told<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { first, busy, isBegun, problem, begin } = of;
  if (first !== undefined && problem === undefined) return <Reads of={first} busy={busy && isBegun} onBegin={begin} />;
  return <Shown of={of}>{children}</Shown>;
}

/** Up to this many, the screen says how many and reads at once, as a command does. Above, it waits for a click. */
const READ_AT_ONCE = 3_000;

export function Reads({
  of,
  busy = false,
  onBegin,
}: {
  readonly of: ReadsFirst;
  readonly busy?: boolean;
  readonly onBegin: () => void;
}) {
  const { reads } = of;
  const { units, dollars } = reads;
  const [many, what] = 'events' in reads ? [reads.events, 'events'] : [reads.endpoints, 'endpoints'];
  const ofFirst = 'events' in reads ? undefined : reads.ofFirst;
  const asks = many > READ_AT_ONCE || ofFirst !== undefined;
  useEffect(() => {
    if (!asks) onBegin();
  }, [asks]);
  return (
    <Empty title={`Reads ${ofFirst === undefined ? 'about' : 'more than'} ${grouped(many)} ${what}`}>
      <p>
        {grouped(units)} read units, about ${dollars.toFixed(6)}
        {ofFirst === undefined ? '' : `, for the first ${ofFirst} applications`}.
      </p>
      {busy || !asks ? <p class="loading">Reading …</p> : <Button word="Read them" look="primary" onClick={onBegin} />}
    </Empty>
  );
}
