require 'openssl'

# headers: names in lower case. body: the bytes as they came.
def genuine?(headers, body)
  secret = ENV.fetch('WEBHOOK_SECRET')
  key = secret
  parts = headers.fetch('x-webhook-signature', '').split(',')
  sent = parts.first.to_s.delete_prefix('t=')
  return false unless sent.match?(/\A\d+\z/) && (Time.now.to_i - sent.to_i).abs <= 300
  content = "#{sent}.".b + body.b
  expected = 'v1=' + OpenSSL::HMAC.hexdigest('SHA256', key, content)
  parts.any? { |part| OpenSSL.secure_compare(part, expected) }
end
