/** Keys of the page. None is taken while somebody types, or while a dialog is open. */

const handlers = new Map<string, Set<() => void>>();
let afterG = false;

export function onKey(key: string, handler: () => void): () => void {
  const all = handlers.get(key) ?? new Set();
  handlers.set(key, all.add(handler));
  return () => all.delete(handler);
}

addEventListener('keydown', event => {
  const target = event.target as HTMLElement;
  const typing = /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && (target as HTMLInputElement).type !== 'checkbox';
  if (event.metaKey || event.ctrlKey || event.altKey || typing || document.querySelector('dialog[open]')) return;
  // Enter on a link or a button is theirs.
  if (event.key === 'Enter' && /^(?:A|BUTTON|SUMMARY)$/.test(target.tagName)) return;
  const key = afterG ? `g ${event.key}` : event.key;
  afterG = event.key === 'g' && !afterG;
  const found = handlers.get(key);
  if (found === undefined || found.size === 0) return;
  event.preventDefault();
  for (const handler of found) handler();
});
