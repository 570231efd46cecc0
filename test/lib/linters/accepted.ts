/** The rules of other people's linters that our templates break on purpose, each with the reason. */
export const ACCEPTED: Readonly<Record<string, string>> = {
  W3005: 'The CDK says twice that a function needs its role, once by the reference; it does no harm.',
  W6001: 'An output hands on what another stack exports, so that a person finds it where the function is.',
  CKV_AWS_18:
    'The bucket holds bodies that only two functions read; their own lines say which event each read was for.',
  CKV_AWS_21: 'A body is written once under its own hash and never changed: an older version would be the same bytes.',
  CKV_AWS_27: 'Not seen by the linter: SqsManagedSseEnabled is true on every queue, or a key of yours is set.',
  CKV_AWS_86: 'The API behind the distribution writes the access log.',
  CKV_AWS_115: 'A limit takes what others need: `reservedConcurrency` sets it where an environment wants one.',
  CKV_AWS_116: 'No invocation is lost with its function: queues have dead-letter queues, and a schedule runs again.',
  CKV_AWS_117: 'The functions call AWS and the endpoints of customers, both public; a VPC would add NAT and its price.',
  CKV_AWS_149: 'With `encryptionKey` secrets have that key; without, the one that AWS manages.',
  CKV_AWS_158: 'Logs hold no body and no secret; a key of yours does not reach them, which threats.md says.',
  CKV_AWS_173: 'Variables hold names and addresses only; secrets are read from Secrets Manager.',
  CKV_AWS_174: 'Without `edge.certificate` the host is of CloudFront, which sets the TLS version itself.',
  CKV_AWS_192: 'Nothing here runs Java; the web ACL counts requests of an address.',
};
