/** Parts of a screen, one at a time; which one is in the address. */
import type { ComponentChildren } from 'preact';
import { go, usePlace, withQuery } from './route.tsx';

interface TabsProps {
  readonly label: string;
  /** The name in the address (`''` for the first) and the word on the tab. */
  readonly tabs: readonly (readonly [name: string, word: string])[];
  readonly tab: string;
  readonly children?: ComponentChildren;
}

/** Left and right move between the tabs. */
export function Tabs({ label, tabs, tab, children }: TabsProps) {
  const { query } = usePlace();
  const choose = (name: string): void => go(withQuery(location.pathname, query, { tab: name }), { replace: true });
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const at = tabs.findIndex(([name]) => name === tab);
    const [next = ''] = tabs[(at + by + tabs.length) % tabs.length] ?? [];
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="card tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(([name, word]) => (
          <button
            type="button"
            key={name}
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => choose(name)}
          >
            {word}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {children}
      </div>
    </section>
  );
}
