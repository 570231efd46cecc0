/** A command to paste into a shell that sends this request, byte for byte. */
export function formatCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = [`curl -i ${shellWord(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellWord(`${name}: ${value}`)}`);
  lines.push(`--data-binary ${shellWord(body)}`);
  return lines.join(' \\\n    ');
}

/** A text that a shell takes as it is. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
