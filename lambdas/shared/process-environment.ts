/** The process environment: the one place of lambdas/ that reads it. */
// biome-ignore lint/style/noProcessEnv: each function checks its own variables with readEnv.
export const environment: Readonly<Record<string, string | undefined>> = process.env;
