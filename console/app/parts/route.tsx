/** Addresses: every screen and every list has one that can be pasted into a chat. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<() => void>();
addEventListener('popstate', () => tellAll());

function tellAll(): void {
  for (const tell of listeners) tell();
}

export function go(href: string, { replace = false } = {}): void {
  if (href === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', href);
  else {
    history.pushState(null, '', href);
    scrollTo(0, 0);
  }
  tellAll();
}

export function usePlace(): { readonly path: string; readonly query: URLSearchParams } {
  const read = (): string => location.pathname + location.search;
  const [, set] = useState(read());
  useEffect(() => {
    const tell = (): void => set(read());
    listeners.add(tell);
    return () => void listeners.delete(tell);
  }, []);
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

interface LinkProps {
  readonly href: string;
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
  readonly 'data-id'?: string;
}

/** A link inside the page; a new tab stays a new tab. */
export function Link({ href, ...rest }: LinkProps) {
  const click = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(href);
  };
  return <a href={href} onClick={click} {...rest} />;
}

/** An address with some of its query changed; an empty value takes the name away. */
export function withQuery(path: string, query: URLSearchParams, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === '' ? path : `${path}?${text}`;
}
