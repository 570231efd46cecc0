/** Replaces `kept-connections.ts` beside the small client, which keeps connections of its own (connections.ts). */
export const keptConnections = (): object => ({});
