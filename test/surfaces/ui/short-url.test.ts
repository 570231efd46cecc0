import { expect, it } from 'vitest';
import { shortUrl } from '../../../ui/short-url.ts';

it('keeps of a long URL the host and the end, which tells endpoints apart, and the rest whole', () => {
  expect(shortUrl('https://hooks.acme.com/500')).toBe('https://hooks.acme.com/500');
  const long = shortUrl(`https://hooks.acme.com/${'a'.repeat(200)}/orders/500`);
  expect(long).toMatch(/^https:\/\/hooks\.acme\.com….*a\/orders\/500$/);
  expect(long).toHaveLength(72);
  for (const text of [`https://${'h'.repeat(300)}.com/end`, 'x'.repeat(5_000), `${'/'.repeat(500)}end`])
    expect(shortUrl(text)).toHaveLength(72);
  expect(shortUrl(`https://${'h'.repeat(300)}.com/end`)).toMatch(/\.com\/end$/);
});
