/**
 * What most sources never need, as one file of its own in a bundle: public keys, tokens and certificates, handshakes,
 * spellings of URLs. It is read with the first request that asks for any of it. One file, because each further one would
 * split what both sides share, and a cold start reads every split.
 */
export { matchPublicKey } from './find-public-keys.ts';
export { answerHandshake } from './handshake.ts';
export { verifySns } from './named/sns.ts';
export { urlCandidates } from './url-variants.ts';
export { verifyJwt } from './verify-jwt.ts';
