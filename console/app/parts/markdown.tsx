/** Pages of our own docs as elements, never as HTML: headings, lists, tables, code with a copy button. */
import type { ComponentChildren } from 'preact';
import { Copy } from '../../../ui/parts.tsx';

export function Markdown({ text }: { readonly text: string }) {
  const blocks: ComponentChildren[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const until = (test: (line: string) => boolean): string[] => {
      const from = at;
      while (at < lines.length && test(lines[at] ?? '')) at += 1;
      return lines.slice(from, at);
    };
    if (line.trim() === '' || /^<!--.*-->$/.test(line)) at += 1;
    else if (line.startsWith('```')) {
      at += 1;
      blocks.push(<Code text={until(it => !it.startsWith('```')).join('\n')} />);
      at += 1;
    } else if (/^#{1,6} /.test(line)) {
      at += 1;
      const level = line.indexOf(' ');
      const Tag = level <= 2 ? 'h2' : 'h3';
      blocks.push(<Tag>{inline(line.slice(level + 1))}</Tag>);
    } else if (line.startsWith('|')) blocks.push(<Table lines={until(it => it.startsWith('|'))} />);
    else if (/^(?:[-*]|\d+\.) /.test(line)) {
      const Tag = /^\d/.test(line) ? 'ol' : 'ul';
      const items = until(it => /^(?:[-*]|\d+\.) /.test(it) || /^ {2,}\S/.test(it));
      blocks.push(
        <Tag>
          {items.map((item, n) => (
            <li key={n}>{inline(item.replace(/^\s*(?:[-*]|\d+\.) /, ''))}</li>
          ))}
        </Tag>,
      );
    } else if (/^---+$/.test(line)) {
      at += 1;
      blocks.push(<hr />);
    } else
      blocks.push(<p>{inline(until(it => it.trim() !== '' && !/^(?:```|#{1,6} |\||[-*] )/.test(it)).join(' '))}</p>);
  }
  return <div class="markdown">{blocks}</div>;
}

function Code({ text }: { readonly text: string }) {
  return (
    <div class="code">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} what="these commands" />
    </div>
  );
}

function Table({ lines }: { readonly lines: readonly string[] }) {
  const rows = lines
    .filter(line => !/^\|[\s|:-]+\|?$/.test(line))
    .map(line => line.replace(/^\||\|\s*$/g, '').split('|'));
  const [head = [], ...body] = rows;
  const does = head.findIndex(cell => cell.trim() === 'do');
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, n) => (
            <th key={n} scope="col">
              {inline(cell.trim())}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((row, n) => (
          <tr key={n}>
            {row.map((cell, m) => (
              <td key={m}>{inline(m === does ? inSteps(cell.trim()) : cell.trim())}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a runbook's table says to do is a number of its repair: said as one. */
function inSteps(cell: string): string {
  const parts = cell.split(/(`[^`]*`)/);
  return parts.map((part, n) => (n % 2 === 0 ? part.replace(/(?<![\w.-])\d(?![\w.-])/g, 'repair $&') : part)).join('');
}

/** Code, bold, and links: https ones leave in a new tab, those into docs/ are words. */
function inline(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map(part => {
    if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('**')) return <b>{part.slice(2, -2)}</b>;
    const [, label = '', href = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
    if (label === '') return part;
    if (!/^https:\/\//.test(href)) return label;
    return (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    );
  });
}
