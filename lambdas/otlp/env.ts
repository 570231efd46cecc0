/** Environment of the `otlp` function: none, its endpoint is in the configuration. */
export const otlpEnv = {};
