/** What the suite puts into Secrets Manager and its functions must find there. */
export const SECRET = 'whsec_0123456789abcdef0123456789abcdef';
export const API_CREDENTIAL = 'the-key-of-the-api';
