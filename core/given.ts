/** The fields of `T` that always have a value, and the others as fields that may be missing. */
type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value: those that are `undefined` are left out, `null`, `''`, `0` and `false` stay. */
export function given<T extends object>(fields: T): Given<T> {
  const kept: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as unknown as Given<T>;
}

/** Names of the properties that an object of this type always has. */
export type RequiredKey<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];
