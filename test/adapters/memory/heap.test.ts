import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from '#adapters/memory/heap.ts';

it('gives the smallest first, whatever is put in and taken out between', () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }), { maxLength: 60 });
  fc.assert(
    fc.property(steps, list => {
      const heap = new Heap<number>((a, b) => a < b);
      let model: number[] = [];
      for (const step of list) {
        if (step === undefined) {
          const smallest = model.toSorted((a, b) => a - b)[0];
          expect(heap.peek()).toBe(smallest);
          expect(heap.pop()).toBe(smallest);
          model = model.toSorted((a, b) => a - b).slice(1);
        } else {
          heap.push(step);
          model.push(step);
        }
        expect(heap.size).toBe(model.length);
      }
    }),
  );
});
