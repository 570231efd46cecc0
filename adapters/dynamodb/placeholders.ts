import { type AttributeMap, toAttributes } from './marshal.ts';

/**
 * Names and values of one request's expressions. Every attribute name becomes a placeholder, because many of ours
 * (status, owner, size, result …) are reserved words; equal names share one.
 */
export class Placeholders {
  readonly #names = new Map<string, string>();
  readonly #values: unknown[] = [];

  name(attribute: string): string {
    let placeholder = this.#names.get(attribute);
    if (placeholder === undefined) {
      placeholder = `#${this.#names.size}`;
      this.#names.set(attribute, placeholder);
    }
    return placeholder;
  }

  value(value: unknown): string {
    this.#values.push(value);
    return `:${this.#values.length - 1}`;
  }

  /** The request parameters; a parameter nobody uses must be absent. */
  parameters(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: AttributeMap } {
    const names = Object.fromEntries([...this.#names].map(([attribute, placeholder]) => [placeholder, attribute]));
    const values = toAttributes(Object.fromEntries(this.#values.map((value, at) => [`:${at}`, value])));
    return {
      ...(this.#names.size > 0 ? { ExpressionAttributeNames: names } : {}),
      ...(this.#values.length > 0 ? { ExpressionAttributeValues: values } : {}),
    };
  }
}
