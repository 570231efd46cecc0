/** What stays the same when one failure hits many events: ids, hashes and numbers are replaced. The pattern of a pattern is itself. */
export function errorPattern(error: string): string {
  return error
    .slice(0, 400)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '…')
    .replace(/\b(?=[\w-]{0,200}\d)[\w-]{1,200}\b/g, '…')
    .replace(/…(?:[.:,/]…)+/g, '…');
}
