require 'openssl'

# headers: names in lower case. body: the bytes as they came.
def genuine?(headers, body)
  secret = ENV.fetch('WEBHOOK_SECRET')
  key = secret
  parts = headers.fetch('webhook-signature', '').split(',')
  sent = headers.fetch('webhook-timestamp', '')
  return false unless sent.match?(/\A\d+\z/) && (Time.now.to_i - sent.to_i).abs <= 300
  content = "#{sent}.".b + body.b
  expected = 'sha256=' + OpenSSL::HMAC.hexdigest('SHA256', key, content)
  parts.any? { |part| OpenSSL.secure_compare(part, expected) }
end
