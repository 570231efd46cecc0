/** Whether a file below docs/ is in the package: pages, and the programs that they link to. Pictures are not. */
export const isPage = (path: string): boolean => /\.(?:md|json|go|java|mjs|php|py|rb)$/.test(path);
