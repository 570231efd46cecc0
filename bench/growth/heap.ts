/** A binary heap of things by time. */
export class Heap<T> {
  private readonly items: { readonly at: number; readonly value: T }[] = [];

  push(at: number, value: T): void {
    const items = this.items;
    let place = items.push({ at, value }) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.at <= at) break;
      items[place] = above;
      place = parent;
    }
    items[place] = { at, value };
  }

  /** The earliest, or undefined when there is nothing. */
  pop(): { readonly at: number; readonly value: T } | undefined {
    const items = this.items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = left + 1;
      let least = left;
      if (right < items.length && (items[right]?.at ?? 0) < (items[left]?.at ?? 0)) least = right;
      const child = items[least];
      if (child === undefined || child.at >= last.at) break;
      items[place] = child;
      place = least;
    }
    items[place] = last;
    return first;
  }
}
