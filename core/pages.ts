/** Page by page, each asked for when it is wanted: whoever has enough stops. */
export async function* everyPage<Page extends { readonly cursor?: string | null | undefined }>(
  read: (cursor: string | undefined) => Promise<Page>,
): AsyncGenerator<Page> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
}
