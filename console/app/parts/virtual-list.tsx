/** A list of any length: rows of one height, only those in sight are there. Moves by j and k, opens by Enter. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { onKey } from '../../../ui/keys.ts';

const ROW = 44;
const BEYOND = 12;

interface Props<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly render: (row: T, active: boolean) => ComponentChildren;
  /** What `render` shows beside the row: another one, and every row is rendered again. */
  readonly changed?: unknown;
  readonly onEnd: () => void;
  readonly onOpen: (row: T) => void;
  readonly onReplay: (row: T) => void;
}

interface Kept<T> {
  readonly changed: unknown;
  slots: Map<
    string,
    {
      readonly row: T;
      readonly place: number;
      readonly isActive: boolean;
      readonly of: number;
      readonly slot: ComponentChildren;
    }
  >;
}

export function VirtualList<T extends { readonly id: string }>({
  label,
  rows,
  render,
  changed,
  onEnd,
  onOpen,
  onReplay,
}: Props<T>) {
  const ref = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState<string>();
  const latest = useRef({ rows, active, onOpen, onReplay });
  latest.current = { rows, active, onOpen, onReplay };
  const measure = (): void => {
    const box = ref.current;
    if (box === null) return;
    const top = Math.floor(box.scrollTop / ROW) * ROW;
    setView(before =>
      before.top === top && before.height === box.clientHeight ? before : { top, height: box.clientHeight },
    );
  };
  useEffect(() => {
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  useEffect(() => {
    if (view.top + view.height + BEYOND * ROW >= rows.length * ROW) onEnd();
  }, [view, rows.length]);
  useEffect(() => {
    const move = (by: number) => (): void => {
      const { rows: all, active: id } = latest.current;
      const at = all.findIndex(row => row.id === id);
      const next = Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by));
      setActive(all[next]?.id);
      // Once it is drawn: who reads by ear hears the row.
      requestAnimationFrame(() =>
        ref.current?.querySelector<HTMLElement>('.slot.active a')?.focus({ preventScroll: true }),
      );
      const box = ref.current;
      if (box === null) return;
      if (next * ROW < box.scrollTop) box.scrollTop = next * ROW;
      else if ((next + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * ROW - box.clientHeight;
    };
    const withActive = (act: (row: T) => void) => (): void => {
      const row = latest.current.rows.find(it => it.id === latest.current.active);
      if (row !== undefined) act(row);
    };
    const stops = [
      onKey('j', move(1)),
      onKey('k', move(-1)),
      onKey(
        'Enter',
        withActive(row => latest.current.onOpen(row)),
      ),
      onKey(
        'r',
        withActive(row => latest.current.onReplay(row)),
      ),
    ];
    return () => stops.forEach(stop => void stop());
  }, []);
  const kept = useRef<Kept<T>>({ changed, slots: new Map() });
  if (kept.current.changed !== changed) kept.current = { changed, slots: new Map() };
  const first = Math.max(0, view.top / ROW - BEYOND);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + BEYOND);
  /** A row that is as it was is given as it was: nothing of it is looked at again while the list scrolls. */
  const slots = (inSight: readonly T[], from: number): ComponentChildren[] => {
    const before = kept.current.slots;
    const now: Kept<T>['slots'] = new Map();
    const made = inSight.map((row, n) => {
      const place = from + n;
      const isActive = row.id === active;
      const old = before.get(row.id);
      const same = old?.row === row && old.place === place && old.isActive === isActive && old.of === rows.length;
      const slot = same ? old.slot : slotOf(row, place, isActive, rows.length, render);
      now.set(row.id, { row, place, isActive, of: rows.length, slot });
      return slot;
    });
    kept.current.slots = now;
    return made;
  };
  return (
    <div class="card virtual" ref={ref} onScroll={measure} tabIndex={0} role="region" aria-label={label}>
      <div role="list" style={{ height: `${rows.length * ROW}px` }}>
        {slots(rows.slice(first, last), first)}
      </div>
    </div>
  );
}

function slotOf<T extends { readonly id: string }>(
  row: T,
  place: number,
  active: boolean,
  of: number,
  render: Props<T>['render'],
): ComponentChildren {
  return (
    <div
      role="listitem"
      key={row.id}
      class={`slot ${active ? 'active' : ''}`}
      style={{ transform: `translateY(${place * ROW}px)` }}
      aria-posinset={place + 1}
      aria-setsize={of}
    >
      {render(row, active)}
    </div>
  );
}
