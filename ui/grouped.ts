/** `12,345.678`, as `toLocaleString('en')` writes it. A browser takes longer for its first one than for a whole screen. */
export function grouped(value: number): string {
  const [whole = '', thousandths = '0'] = Math.abs(value).toFixed(3).split('.');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  return `${value < 0 ? '-' : ''}${groups.join(',')}${String(Number(`0.${thousandths}`)).slice(1)}`;
}
