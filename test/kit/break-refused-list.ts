/** Makes a step of the sweeper fail that nothing but its own report depends on: it lists refused requests. */
import { MemoryPayloadStore } from '#adapters/memory/memory-payload-store.ts';

/** While the work lasts, no store in memory can list refused requests: it throws this. */
export async function whileListingFails<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const { listRefused } = MemoryPayloadStore.prototype;
  MemoryPayloadStore.prototype.listRefused = () => Promise.reject(error);
  try {
    return await work();
  } finally {
    MemoryPayloadStore.prototype.listRefused = listRefused;
  }
}
