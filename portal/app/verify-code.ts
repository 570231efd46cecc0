// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the code that is written here has templates of its own
/**
 * Code that verifies a request, in six languages, for each form of signature. It depends on nothing but the language. The
 * secret is named, never written: each is a function of the request's headers (lower case) and its exact bytes.
 */

/** How a form signs. Absent pieces: the form has none. */
interface Form {
  readonly header: string;
  /** Where the time is: a header, or the first part of the signature's header. */
  readonly time?: 'header' | 'inside';
  readonly id?: true;
  /** The key is what `whsec_` hides, or the whole text of the secret. */
  readonly key: 'decoded' | 'text';
  readonly digest: 'base64' | 'hex';
  /** The text before each signature, and between them. */
  readonly before: string;
  readonly between: string;
}

export const FORMS: Readonly<Record<string, Form>> = {
  standard: {
    ...{ header: 'webhook-signature', time: 'header', id: true, key: 'decoded', digest: 'base64' },
    ...{ before: 'v1,', between: ' ' },
  },
  'timestamp-sha256': {
    ...{ header: 'webhook-signature', time: 'header', key: 'text', digest: 'hex', before: 'sha256=', between: ',' },
  },
  'body-sha256': { header: 'x-webhook-signature', key: 'text', digest: 'hex', before: 'sha256=', between: ',' },
  't-v1': {
    ...{ header: 'x-webhook-signature', time: 'inside', key: 'text', digest: 'hex', before: 'v1=', between: ',' },
  },
};

/**
 * What verifies an endpoint's requests: a form that the code is written for, a key pair, or both while one replaces the
 * other. Standard Webhooks signs by the kind of each secret; the other forms are keyed by its text, whatever it is.
 */
export function verifiedBy({ signature, secret_algs: algs = [] }: SignedEndpoint): {
  readonly form?: Form;
  readonly hasPair: boolean;
} {
  const form = FORMS[signature === 'standard-v1a' ? 'standard' : signature];
  if (form !== FORMS['standard']) return { ...(form && { form }), hasPair: false };
  const [isShared, hasPair] = algs.length
    ? [algs.includes('sha256'), algs.includes('ed25519')]
    : [signature === 'standard', signature === 'standard-v1a'];
  return { ...(isShared && form && { form }), hasPair };
}
interface SignedEndpoint {
  readonly signature: string;
  readonly secret_algs?: readonly string[];
}

export const LANGUAGES = ['Node.js', 'Python', 'Go', 'Java', 'Ruby', 'PHP'] as const;
export type Language = (typeof LANGUAGES)[number];

/** `env`: the environment variable in which the reader keeps the secret. */
export function verifyCode(language: Language, form: Form, env: string): string {
  return `${WRITERS[language](form, env)}\n`;
}

const lines = (...all: readonly (string | false)[]): string => all.filter(each => each !== false).join('\n');

const WRITERS: Readonly<Record<Language, (form: Form, env: string) => string>> = {
  'Node.js': ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      "import { createHmac, timingSafeEqual } from 'node:crypto';",
      '',
      `const secret = process.env.${env};`,
      key === 'decoded' ? "const key = Buffer.from(secret.replace('whsec_', ''), 'base64');" : 'const key = secret;',
      '',
      '/** headers: names in lower case. body: the bytes as they came, a Buffer. */',
      'export function isGenuine(headers, body) {',
      `  const parts = (headers['${header}'] ?? '').split('${between}');`,
      time === 'header' && "  const time = headers['webhook-timestamp'];",
      time === 'inside' && "  const time = parts[0].replace('t=', '');",
      time !== undefined && '  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;',
      `  const hmac = createHmac('sha256', key)${id ? "\n    .update(`${headers['webhook-id']}.`)" : ''}${time ? '\n    .update(`${time}.`)' : ''}${id || time ? '\n    ' : ''}.update(body);`,
      `  const expected = Buffer.from('${before}' + hmac.digest('${digest}'));`,
      '  return parts.some(part => {',
      '    const given = Buffer.from(part);',
      '    return given.length === expected.length && timingSafeEqual(given, expected);',
      '  });',
      '}',
    ),
  Python: ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      `import ${digest === 'base64' || key === 'decoded' ? 'base64, ' : ''}hashlib, hmac, os${time ? ', time' : ''}`,
      '',
      `secret = os.environ["${env}"]`,
      key === 'decoded' ? 'key = base64.b64decode(secret.removeprefix("whsec_"))' : 'key = secret.encode()',
      '',
      '',
      'def is_genuine(headers: dict[str, str], body: bytes) -> bool:',
      '    """headers: names in lower case. body: the bytes as they came."""',
      `    parts = headers.get("${header}", "").split("${between}")`,
      time === 'header' && '    sent = headers.get("webhook-timestamp", "")',
      time === 'inside' && '    sent = parts[0].removeprefix("t=")',
      time !== undefined && '    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:',
      time !== undefined && '        return False',
      `    content = ${id ? "f\"{headers.get('webhook-id', '')}.{sent}.\".encode() + " : time ? 'f"{sent}.".encode() + ' : ''}body`,
      '    mac = hmac.new(key, content, hashlib.sha256)',
      digest === 'base64'
        ? `    expected = "${before}" + base64.b64encode(mac.digest()).decode()`
        : `    expected = "${before}" + mac.hexdigest()`,
      '    return any(hmac.compare_digest(part.encode(), expected.encode()) for part in parts)',
    ),
  Go: ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      'package webhooks',
      '',
      'import (',
      '\t"crypto/hmac"',
      '\t"crypto/sha256"',
      (digest === 'base64' || key === 'decoded') && '\t"encoding/base64"',
      digest === 'hex' && '\t"encoding/hex"',
      time !== undefined && '\t"math"',
      '\t"net/http"',
      '\t"os"',
      time !== undefined && '\t"strconv"',
      '\t"strings"',
      time !== undefined && '\t"time"',
      ')',
      '',
      '// IsGenuine: body is the bytes as they came.',
      'func IsGenuine(headers http.Header, body []byte) bool {',
      key === 'decoded'
        ? `\tkey, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("${env}"), "whsec_"))`
        : `\tkey := []byte(os.Getenv("${env}"))`,
      key === 'decoded' ? '\tif err != nil || len(key) == 0 {' : '\tif len(key) == 0 {',
      '\t\treturn false',
      '\t}',
      `\tparts := strings.Split(headers.Get("${header}"), "${between}")`,
      time === 'header' && '\tsent := headers.Get("webhook-timestamp")',
      time === 'inside' && '\tsent := strings.TrimPrefix(parts[0], "t=")',
      time !== undefined && '\tseconds, notANumber := strconv.ParseInt(sent, 10, 64)',
      time !== undefined && '\tif notANumber != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {',
      time !== undefined && '\t\treturn false',
      time !== undefined && '\t}',
      '\tmac := hmac.New(sha256.New, key)',
      id === true && '\tmac.Write([]byte(headers.Get("webhook-id") + "." + sent + "."))',
      id === undefined && time !== undefined && '\tmac.Write([]byte(sent + "."))',
      '\tmac.Write(body)',
      `\texpected := "${before}" + ${digest === 'base64' ? 'base64.StdEncoding' : 'hex'}.EncodeToString(mac.Sum(nil))`,
      '\tfor _, part := range parts {',
      '\t\tif hmac.Equal([]byte(part), []byte(expected)) {',
      '\t\t\treturn true',
      '\t\t}',
      '\t}',
      '\treturn false',
      '}',
    ),
  Java: ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      'import static java.nio.charset.StandardCharsets.UTF_8;',
      '',
      'import java.security.MessageDigest;',
      (digest === 'base64' || key === 'decoded') && 'import java.util.Base64;',
      digest === 'hex' && 'import java.util.HexFormat;',
      'import java.util.Map;',
      'import javax.crypto.Mac;',
      'import javax.crypto.spec.SecretKeySpec;',
      '',
      'public class Webhooks {',
      '  /** headers: names in lower case. body: the bytes as they came. */',
      '  public static boolean isGenuine(Map<String, String> headers, byte[] body) throws Exception {',
      `    String secret = System.getenv("${env}");`,
      key === 'decoded'
        ? '    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));'
        : '    byte[] key = secret.getBytes(UTF_8);',
      `    String[] parts = headers.getOrDefault("${header}", "").split("${between}");`,
      time === 'header' && '    String sent = headers.getOrDefault("webhook-timestamp", "");',
      time === 'inside' && '    String sent = parts[0].replaceFirst("^t=", "");',
      time !== undefined && '    if (!sent.matches("\\\\d{1,12}")) return false;',
      time !== undefined &&
        '    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sent)) > 300) return false;',
      '    Mac mac = Mac.getInstance("HmacSHA256");',
      '    mac.init(new SecretKeySpec(key, "HmacSHA256"));',
      id === true && '    mac.update((headers.getOrDefault("webhook-id", "") + "." + sent + ".").getBytes(UTF_8));',
      id === undefined && time !== undefined && '    mac.update((sent + ".").getBytes(UTF_8));',
      '    byte[] digest = mac.doFinal(body);',
      digest === 'base64'
        ? `    String expected = "${before}" + Base64.getEncoder().encodeToString(digest);`
        : `    String expected = "${before}" + HexFormat.of().formatHex(digest);`,
      '    boolean found = false;',
      '    for (String part : parts) found |= MessageDigest.isEqual(part.getBytes(UTF_8), expected.getBytes(UTF_8));',
      '    return found;',
      '  }',
      '}',
    ),
  Ruby: ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      "require 'openssl'",
      '',
      '# headers: names in lower case. body: the bytes as they came.',
      'def genuine?(headers, body)',
      `  secret = ENV.fetch('${env}')`,
      key === 'decoded' ? "  key = secret.delete_prefix('whsec_').unpack1('m0')" : '  key = secret',
      `  parts = headers.fetch('${header}', '').split('${between}')`,
      time === 'header' && "  sent = headers.fetch('webhook-timestamp', '')",
      time === 'inside' && "  sent = parts.first.to_s.delete_prefix('t=')",
      time !== undefined && '  return false unless sent.match?(/\\A\\d+\\z/) && (Time.now.to_i - sent.to_i).abs <= 300',
      `  content = ${id ? '"#{headers[\'webhook-id\']}.#{sent}.".b + ' : time ? '"#{sent}.".b + ' : ''}body.b`,
      digest === 'base64'
        ? `  expected = '${before}' + [OpenSSL::HMAC.digest('SHA256', key, content)].pack('m0')`
        : `  expected = '${before}' + OpenSSL::HMAC.hexdigest('SHA256', key, content)`,
      '  parts.any? { |part| OpenSSL.secure_compare(part, expected) }',
      'end',
    ),
  PHP: ({ header, time, id, key, digest, before, between }, env) =>
    lines(
      '<?php',
      '// $headers: names in lower case. $body: the bytes as they came, file_get_contents("php://input").',
      'function isGenuine(array $headers, string $body): bool',
      '{',
      `    $secret = getenv('${env}');`,
      key === 'decoded'
        ? "    $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);"
        : '    $key = $secret;',
      "    if ($key === false || $key === '') return false;",
      `    $parts = explode('${between}', $headers['${header}'] ?? '');`,
      time === 'header' && "    $sent = $headers['webhook-timestamp'] ?? '';",
      time === 'inside' && "    $sent = preg_replace('/^t=/', '', $parts[0]);",
      time !== undefined && '    if (!ctype_digit($sent) || abs(time() - (int) $sent) > 300) return false;',
      `    $content = ${id ? "($headers['webhook-id'] ?? '') . '.' . $sent . '.' . " : time ? "$sent . '.' . " : ''}$body;`,
      digest === 'base64'
        ? `    $expected = '${before}' . base64_encode(hash_hmac('sha256', $content, $key, true));`
        : `    $expected = '${before}' . hash_hmac('sha256', $content, $key);`,
      '    foreach ($parts as $part) {',
      '        if (hash_equals($expected, $part)) return true;',
      '    }',
      '    return false;',
      '}',
    ),
};
