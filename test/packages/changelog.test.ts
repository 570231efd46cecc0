/** Changes are noted as one file each, and joined at a release. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readChanges, withRelease } from '#packages/changelog.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-changes-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('joins the files by kind, above the sections before', () => {
  writeFileSync(join(folder, 'README.md'), 'how it is done');
  writeFileSync(join(folder, 'b.md'), 'fixed\nThe sweeper ends.\n');
  writeFileSync(join(folder, 'a.md'), 'added\n\nA key.\nIt is off.\n');
  writeFileSync(join(folder, 'c.md'), 'fixed\n- `holdfast` exports: `a`.\n');
  const section = '### Added\n- A key.\n  It is off.\n';
  const fixed = '### Fixed\n- The sweeper ends.\n- `holdfast` exports: `a`.\n';
  const release = (before: string) => withRelease(before, '0.2.0', '2026-11-24', readChanges(folder));
  expect(release('# Changelog\n\n## 0.1.0 (2026-11-01)\n\n- old\n')).toBe(
    `# Changelog\n\n## 0.2.0 (2026-11-24)\n\n${section}\n${fixed}\n## 0.1.0 (2026-11-01)\n\n- old\n`,
  );
  // What waits in the changelog itself is released with them, kind by kind.
  const waiting = '## Unreleased\n\n### Changed\n- Slow is fast.\n\n### Fixed\n- One.\n- Two.\n';
  expect(release(`# Changelog\n\n${waiting}\n## 0.1.0 (2026-11-01)\n`)).toBe(
    `# Changelog\n\n## 0.2.0 (2026-11-24)\n\n${section}\n### Changed\n- Slow is fast.\n\n${fixed}- One.\n- Two.\n\n## 0.1.0 (2026-11-01)\n`,
  );
});

it.each([
  ['new\nA key.', /changes\/x\.md: the first line is "new"\. Write one of added, changed, fixed, removed\./],
  ['added\n', /says nothing/],
])('refuses %j', (text, problem) => {
  writeFileSync(join(folder, 'x.md'), text);
  expect(() => readChanges(folder)).toThrow(problem);
});

it('can read every change of this checkout', () => {
  expect(() => readChanges()).not.toThrow();
});
