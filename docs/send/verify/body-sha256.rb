require 'openssl'

# headers: names in lower case. body: the bytes as they came.
def genuine?(headers, body)
  secret = ENV.fetch('WEBHOOK_SECRET')
  key = secret
  parts = headers.fetch('x-webhook-signature', '').split(',')
  content = body.b
  expected = 'sha256=' + OpenSSL::HMAC.hexdigest('SHA256', key, content)
  parts.any? { |part| OpenSSL.secure_compare(part, expected) }
end
