/** The release this code belongs to; a test keeps it equal to package.json. */
export const VERSION = '0.1.0';
