/** What a start reads to warm its client: of no application, and where every role of the delivery stack may look. */
export const PRIME_REGISTRY = { pk: 'A#_prime', sk: '_prime' } as const;
