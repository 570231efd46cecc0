require 'openssl'

# headers: names in lower case. body: the bytes as they came.
def genuine?(headers, body)
  secret = ENV.fetch('WEBHOOK_SECRET')
  key = secret.delete_prefix('whsec_').unpack1('m0')
  parts = headers.fetch('webhook-signature', '').split(' ')
  sent = headers.fetch('webhook-timestamp', '')
  return false unless sent.match?(/\A\d+\z/) && (Time.now.to_i - sent.to_i).abs <= 300
  content = "#{headers['webhook-id']}.#{sent}.".b + body.b
  expected = 'v1,' + [OpenSSL::HMAC.digest('SHA256', key, content)].pack('m0')
  parts.any? { |part| OpenSSL.secure_compare(part, expected) }
end
