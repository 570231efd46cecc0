/** The producer's colour as the page's two themes want it: lighter or darker until text in it can be read. */

type Colour = readonly [red: number, green: number, blue: number];

const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
/** WCAG 2.2, 1.4.3, and a little more for rounding. */
const CONTRAST = 4.6;
const STEPS = 50;

/** Grounds on which the page writes in the colour (ui/style.css). */
const LIGHT: readonly Colour[] = [of('#ffffff'), of('#fbfbf9'), of('#f6f6f3')];
const DARK: readonly Colour[] = [of('#0f1214'), of('#171b1e'), of('#1c2125')];

/** A style sheet that sets the colour in both themes. `accent`: `#rrggbb`. */
export function themeCss(accent: string): string {
  const light = variables(of(accent), { grounds: LIGHT, towards: BLACK, soft: WHITE, share: 0.88 });
  const dark = variables(of(accent), { grounds: DARK, towards: WHITE, soft: of('#171b1e'), share: 0.8 });
  return [
    `:root{${light}}`,
    `@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${dark}}}`,
    `:root[data-theme="dark"]{${dark}}`,
    '',
  ].join('\n');
}

interface Theme {
  readonly grounds: readonly Colour[];
  /** Where the colour goes to be read. */
  readonly towards: Colour;
  /** With this mixed in, by that share, it is the ground of what is chosen. */
  readonly soft: Colour;
  readonly share: number;
}

function variables(accent: Colour, { grounds, towards, soft, share }: Theme): string {
  const chosen = mix(accent, soft, share);
  const readable = (colour: Colour): boolean => [...grounds, chosen].every(each => contrast(colour, each) >= CONTRAST);
  let step = 0;
  while (step < STEPS && !readable(mix(accent, towards, step / STEPS))) step++;
  const colour = mix(accent, towards, step / STEPS);
  const ink = contrast(colour, WHITE) >= CONTRAST ? WHITE : BLACK;
  return `--accent:${hex(colour)};--accent-ink:${hex(ink)};--accent-soft:${hex(chosen)}`;
}

function of(text: string): Colour {
  const at = (from: number): number => Number.parseInt(text.slice(from, from + 2), 16);
  return [at(1), at(3), at(5)];
}
const hex = (colour: Colour): string => `#${colour.map(part => part.toString(16).padStart(2, '0')).join('')}`;
const mix = (a: Colour, b: Colour, share: number): Colour => {
  const [red, green, blue] = a.map((part, at) => Math.round(part + ((b[at] ?? 0) - part) * share));
  return [red ?? 0, green ?? 0, blue ?? 0];
};

/** Of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(a: Colour, b: Colour): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((one, two) => two - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
