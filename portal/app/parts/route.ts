/** Addresses behind the #: the page is one file, wherever it is shown, and the server never sees where one is. */
import { useEffect, useState } from 'preact/hooks';
import { decodeUri } from '../../../ui/text.tsx';

export interface Place {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function read(): Place {
  const [path = '', query = ''] = location.hash.replace(/^#/, '').split('?');
  const parts = path.split('/').filter(part => part !== '');
  return { parts: parts.map(decodeUri), query: new URLSearchParams(query) };
}

export function usePlace(): Place {
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const tell = (): void => setPlace(read());
    addEventListener('hashchange', tell);
    return () => removeEventListener('hashchange', tell);
  }, []);
  return place;
}

export const hrefOf = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

/** The same place with some of its query changed; an empty value takes the name away. No step back leads here. */
export function changeQuery({ parts, query }: Place, changes: Readonly<Record<string, string>>): void {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  location.replace(`${hrefOf(...parts)}${next.size === 0 ? '' : `?${next}`}`);
}

export function go(...parts: readonly string[]): void {
  location.hash = hrefOf(...parts);
}
