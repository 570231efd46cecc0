/** What begins before the rest of the page has come: the answers of the first screen are asked for, its colours are known. */
import { askEarly, keepToken, takeToken } from './parts/api.ts';
import { FIRST_ASKED } from './parts/first-asked.ts';

takeToken();
askEarly('/api/hello');
for (const path of FIRST_ASKED[location.pathname] ?? []) askEarly(path);

// While the answers come: the browser makes the page wait for what it keeps.
keepToken();
export const keptTheme: string = localStorage.getItem('theme') ?? 'system';
document.documentElement.dataset['theme'] = keptTheme;
