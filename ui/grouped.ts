/** `12,345.678`, as `toLocaleString('en')` writes it, but `0` for its `-0`. A browser takes longer for its first one than for a whole screen. */
export function grouped(value: number): string {
  const [whole = '', thousandths = '0'] = Math.abs(value).toFixed(3).split('.');
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= 3) groups.unshift(whole.slice(Math.max(0, end - 3), end));
  const text = `${groups.join(',')}${String(Number(`0.${thousandths}`)).slice(1)}`;
  return value < 0 && text !== '0' ? `-${text}` : text;
}
