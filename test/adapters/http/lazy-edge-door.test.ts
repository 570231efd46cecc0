import { expect, it } from 'vitest';
import { nodeCrypto } from '#adapters/crypto/node-crypto.ts';
import { lazyEdgeDoor } from '#adapters/http/lazy-edge-door.ts';

it('judges by the rules of core, with the secret of the edge', async () => {
  const asked: string[] = [];
  const secrets = {
    get: async (id: string) => {
      asked.push(id);
      return { kind: 'secret', secret: { current: 'of-the-edge' } } as const;
    },
  };
  const door = lazyEdgeDoor({ direct: 'refused' }, { secrets, crypto: nodeCrypto });
  const request = { method: 'POST', rawQuery: '', body: new Uint8Array(), sourceIp: '130.176.0.1' };
  const headers = { 'x-holdfast-edge': 'of-the-edge', 'x-forwarded-for': '198.51.100.7, 130.176.0.1' };
  expect(await door({ ...request, headers })).toMatchObject({ sourceIp: '198.51.100.7' });
  expect(await door({ ...request, headers: {} })).toMatchObject({ status: 403 });
  expect(asked).toEqual(['holdfast-edge']);
});
