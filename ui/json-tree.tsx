/** A body as a tree: opens to a bounded depth, searches, and copies the path of a value. */
import { useMemo, useState } from 'preact/hooks';
import { grouped } from './grouped.ts';
import { useAct } from './load.ts';
import { Button, Trouble } from './parts.tsx';
import { visible } from './text.tsx';

const OPEN_DEPTH = 3;
const CHILDREN_SHOWN = 200;
const TEXT_SHOWN = 2_000;
const LINES_LIMIT = 5_000;

type Path = string;

function childPath(path: Path, name: string, inList: boolean): Path {
  if (inList) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

export function JsonTree({ value, search }: { readonly value: unknown; readonly search: string }) {
  const [copied, setCopied] = useState('');
  const matching = useMemo(() => (search === '' ? undefined : matches(value, search.toLowerCase())), [value, search]);
  const { problem, act } = useAct();
  const copy = (path: Path): void => {
    act(async () => {
      await navigator.clipboard.writeText(path);
      setCopied(path);
    });
  };
  return (
    <div class="json">
      <p class="faint json-note" aria-live="polite">
        {copied === '' ? 'Click a name to copy its path.' : `Copied ${visible(copied)}`}
        {matching === undefined ? '' : ` ${matching.hits} found.`}
      </p>
      {problem === undefined ? null : <Trouble of={problem} />}
      <Node name="" value={value} path="" depth={0} copy={copy} matching={matching} last />
    </div>
  );
}

interface Matching {
  readonly open: ReadonlySet<Path>;
  readonly hit: ReadonlySet<Path>;
  readonly hits: number;
}

/** The paths of values that have the text, and of everything above them. Bounded in depth and number. */
function matches(root: unknown, text: string): Matching {
  const [open, hit] = [new Set<Path>(), new Set<Path>()];
  let seen = 0;
  const walk = (value: unknown, path: Path, name: string, depth: number): boolean => {
    if (depth > 100 || seen++ > LINES_LIMIT * 10) return false;
    const isNode = typeof value === 'object' && value !== null;
    let found = name.toLowerCase().includes(text) || (!isNode && String(value).toLowerCase().includes(text));
    if (found) hit.add(path);
    if (isNode)
      for (const [key, child] of Object.entries(value))
        found = walk(child, childPath(path, key, Array.isArray(value)), key, depth + 1) || found;
    if (found) open.add(path);
    return found;
  };
  walk(root, '', '', 0);
  return { open, hit, hits: hit.size };
}

interface NodeProps {
  readonly name: string;
  readonly value: unknown;
  readonly path: Path;
  readonly depth: number;
  readonly copy: (path: Path) => void;
  readonly matching: Matching | undefined;
  readonly last: boolean;
}

function Node({ name, value, path, depth, copy, matching, last }: NodeProps) {
  const isNode = typeof value === 'object' && value !== null;
  const [choice, setChoice] = useState<boolean>();
  const [more, setMore] = useState(CHILDREN_SHOWN);
  const open = choice ?? (matching === undefined ? depth < OPEN_DEPTH : matching.open.has(path));
  const label =
    path === '' ? null : (
      <button
        type="button"
        class={`key ${matching?.hit.has(path) ? 'hit' : ''}`}
        onClick={() => copy(path)}
        title={`Copy ${visible(path)}`}
      >
        {visible(name)}
      </button>
    );
  if (!isNode)
    return (
      <div class="line">
        {label}
        {label === null ? '' : ': '}
        <Value of={value} />
        {last ? '' : ','}
      </div>
    );
  const entries = Object.entries(value);
  const [begin, end] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const count = `${entries.length} ${Array.isArray(value) ? 'items' : 'fields'}`;
  return (
    <div class="line">
      <button
        type="button"
        class="fold"
        aria-expanded={open}
        aria-label={`${open ? 'Close' : 'Open'} ${visible(path) || 'the body'}, ${count}`}
        onClick={() => setChoice(!open)}
      >
        {open ? '▾' : '▸'}
      </button>
      {label}
      {label === null ? '' : ': '}
      {begin}
      {open ? (
        <div class="children">
          {entries.slice(0, more).map(([key, child], n) => (
            <Node
              key={key}
              name={key}
              value={child}
              path={childPath(path, key, Array.isArray(value))}
              depth={depth + 1}
              copy={copy}
              matching={matching}
              last={n === entries.length - 1}
            />
          ))}
          {entries.length > more ? (
            <Button
              word={`${grouped(entries.length - more)} more`}
              look="small"
              onClick={() => setMore(more + 1_000)}
            />
          ) : null}
        </div>
      ) : (
        <span class="faint"> {count} </span>
      )}
      {end}
      {last ? '' : ','}
    </div>
  );
}

function Value({ of }: { readonly of: unknown }) {
  const kind = of === null ? 'null' : typeof of;
  const text = typeof of === 'string' ? JSON.stringify(of.slice(0, TEXT_SHOWN)) : String(of);
  const rest = typeof of === 'string' && of.length > TEXT_SHOWN ? ` … ${grouped(of.length)} characters` : '';
  return (
    <>
      <span class={`value ${kind}`}>{visible(text)}</span>
      <span class="faint">{rest}</span>
    </>
  );
}
