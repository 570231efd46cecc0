/** The live stream, one for the page. When it breaks it says so, and comes back from where it was. */
import { useEffect, useState } from 'preact/hooks';
import { setServerNow } from '../../../ui/clock.ts';
import type { LiveMessage, Problem } from '../../wire.ts';
import { linesOf, send } from './api.ts';

type Connection = 'connecting' | 'live' | 'broken';
type Listener = (message: LiveMessage) => void;

const RETRY_MS = 1_000;
/** The server tells something every five seconds. */
const SILENT_MS = 12_000;

const listeners = new Set<Listener>();
const stateListeners = new Set<() => void>();
let state: { connection: Connection; trouble: Problem | undefined } = { connection: 'connecting', trouble: undefined };

function setState(change: Partial<typeof state>): void {
  state = { ...state, ...change };
  for (const tell of stateListeners) tell();
}

/** Runs until the page goes. */
export async function runLive(): Promise<void> {
  let seq: number | undefined;
  for (;;) {
    const controller = new AbortController();
    try {
      let quiet = setTimeout(() => controller.abort(), SILENT_MS);
      const response = await send(`/api/live${seq === undefined ? '' : `?after=${seq}`}`, {
        signal: controller.signal,
      });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      for await (const part of linesOf(response, '\n\n')) {
        clearTimeout(quiet);
        quiet = setTimeout(() => controller.abort(), SILENT_MS);
        const message = JSON.parse(part.replace(/^data: /, '')) as LiveMessage;
        seq = message.seq;
        take(message);
      }
      clearTimeout(quiet);
    } catch {
      // Said by the state; it is tried again until the page goes.
    }
    setState({ connection: 'broken' });
    await new Promise(resolve => setTimeout(resolve, RETRY_MS));
  }
}

function take(message: LiveMessage): void {
  if (message.kind === 'hello' || message.kind === 'beat') setServerNow(message.now);
  if (message.kind === 'trouble') setState({ trouble: message });
  else if (message.kind === 'well' || message.kind === 'hello') setState({ connection: 'live', trouble: undefined });
  else setState({ connection: 'live' });
  for (const listener of listeners) listener(message);
}

export function onLive(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useLiveState(): typeof state {
  const [, again] = useState(0);
  useEffect(() => {
    const tell = (): void => again(n => n + 1);
    stateListeners.add(tell);
    return () => void stateListeners.delete(tell);
  }, []);
  return state;
}
