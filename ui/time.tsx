/** Times: relative to read, exact on hover, in words that do not jump. */
import { useEffect, useState } from 'preact/hooks';
import { serverNow } from './clock.ts';

const tellers = new Set<() => void>();
setInterval(() => {
  for (const tell of tellers) tell();
}, 5_000);

function useTick(): void {
  const [, again] = useState(0);
  useEffect(() => {
    const tell = (): void => again(n => n + 1);
    tellers.add(tell);
    return () => void tellers.delete(tell);
  }, []);
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000 && ms % 1_000 !== 0) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

function ago(at: number): string {
  const ms = serverNow() - at;
  if (Math.abs(ms) < 2_000) return 'now';
  return ms > 0 ? `${duration(Math.floor(ms / 1_000) * 1_000)} ago` : `in ${duration(-ms)}`;
}

export function exact(at: number): string {
  const date = new Date(at);
  return `${date.toISOString()}\n${date.toLocaleString(undefined, { timeZoneName: 'short' })}`;
}

/** Only for the time under the pointer: to format one with its zone takes a browser longer than to draw its line. */
function showExact({ currentTarget: time }: { readonly currentTarget: HTMLTimeElement }): void {
  time.title = exact(Date.parse(time.dateTime));
}

/** `14:32`, of another day with its date. */
export function clock(iso: string): string {
  const date = new Date(iso);
  const time = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const isToday = date.toDateString() === new Date(serverNow()).toDateString();
  return isToday ? time : `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${time}`;
}

export function Ago({ at }: { readonly at: number }) {
  useTick();
  return (
    <time dateTime={new Date(at).toISOString()} onPointerEnter={showExact}>
      {ago(at)}
    </time>
  );
}

/** A time of the API. */
export function At({ of, none = '–' }: { readonly of: string | null | undefined; readonly none?: string }) {
  const at = Date.parse(of ?? '');
  return Number.isNaN(at) ? <span>{none}</span> : <Ago at={at} />;
}
