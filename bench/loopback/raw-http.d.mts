/** Makes calls one after the other and parses their answers. */
export function callAll(
  calls: readonly { readonly url: string; readonly path: string; readonly headers: object; readonly body: string }[],
): Promise<void>;
