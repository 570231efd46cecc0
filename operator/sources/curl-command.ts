/** A command to paste into a shell that sends this request, byte for byte. */
export function formatCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = [`curl -i ${quote(url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  lines.push(`--data-binary ${quote(body)}`);
  return lines.join(' \\\n    ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
