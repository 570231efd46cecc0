/** Names of the properties that an object of this type always has. */
export type RequiredKey<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K }[keyof T];
