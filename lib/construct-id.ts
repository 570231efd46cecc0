/** `standard-webhooks` as `StandardWebhooks`. */
export function toConstructId(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
