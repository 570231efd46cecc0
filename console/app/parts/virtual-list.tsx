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
  readonly onEnd: () => void;
  readonly onOpen: (row: T) => void;
  readonly onReplay: (row: T) => void;
}

export function VirtualList<T extends { readonly id: string }>({
  label,
  rows,
  render,
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
    if (view.top + view.height + 40 * ROW >= rows.length * ROW) onEnd();
  }, [view, rows.length]);
  useEffect(() => {
    const move = (by: number) => (): void => {
      const { rows: all, active: id } = latest.current;
      const at = all.findIndex(row => row.id === id);
      const next = Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + by));
      setActive(all[next]?.id);
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
  const first = Math.max(0, view.top / ROW - BEYOND);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / ROW) + BEYOND);
  return (
    <div class="card virtual" ref={ref} onScroll={measure} tabIndex={0} role="region" aria-label={label}>
      <div role="list" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(first, last).map((row, n) => (
          <div
            role="listitem"
            key={row.id}
            class={`slot ${row.id === active ? 'active' : ''}`}
            style={{ transform: `translateY(${(first + n) * ROW}px)` }}
            aria-posinset={first + n + 1}
            aria-setsize={rows.length}
          >
            {render(row, row.id === active)}
          </div>
        ))}
      </div>
    </div>
  );
}
