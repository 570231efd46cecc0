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

/** The same of AWS Control Tower's proactive controls, as cfn-guard knows them. */
export const ACCEPTED_CONTROLS: Readonly<Record<string, string>> = {
  api_gw_v2_authorization_type_configured_check:
    'Providers have no credentials of AWS: a webhook proves itself by its signature, which `ingest` checks.',
  cloudfront_access_logs_enabled_check: 'The API behind the distribution writes the access log.',
  cloudfront_custom_ssl_certificate_check:
    'Without `edge.certificate` the host is of CloudFront, under its own certificate.',
  cloudfront_default_root_object_configured_check: 'The distribution has no pages: every path leads to the API.',
  cloudfront_origin_failover_enabled_check:
    'CloudFront repeats only GET, HEAD and OPTIONS at a second origin, and webhooks are POST.',
  cloudfront_security_policy_check:
    'Without `edge.certificate` the host is of CloudFront, which sets the TLS version itself.',
  cloudfront_sni_enabled_check: 'Without `edge.certificate` there is no certificate of ours to choose by name.',
  cloudwatch_log_group_encrypted_check:
    'Logs hold no body and no secret; a key of yours does not reach them, which threats.md says.',
  cloudwatch_log_group_retention_period_check:
    'It asks for a year; lines of an event are of use as long as its dead letter may be replayed.',
  kms_create_grant_aws_service_check:
    'The key of the alarm topics holds no data of yours, and nobody but the account may make grants on it.',
  lambda_function_public_access_prohibited_check:
    'Not seen by the linter: each permission names its API in SourceArn, joined from references.',
  lambda_inside_vpc_check:
    'The functions call AWS and the endpoints of customers, both public; a VPC would add NAT and its price.',
  s3_bucket_default_encryption_kms_check: 'With `encryptionKey` the bucket has that key; without, the one of S3.',
  s3_bucket_logging_enabled_check:
    'The bucket holds bodies that only two functions read; their own lines say which event each read was for.',
  s3_bucket_object_lock_enabled_check: 'Bodies end with the retention that you set, and an erasure must be able to.',
  s3_bucket_versioning_enabled_check:
    'A body is written once under its own hash and never changed: an older version would be the same bytes.',
  s3_event_notifications_enabled_check: 'Nothing follows from an object that the record of its event does not say.',
  sqs_dlq_check: 'The queues without one are dead-letter queues themselves.',
};
