/**
 * Runs the code that the documents print. 000 and 001 lost their indentation in print: it is put back, and `function`
 * is `def`. The functions that 001 and 004 use and do not print are given to them; nothing of their own text changes.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const printed = (name: string): string =>
  readFileSync(new URL(`../../fixtures/documents/${name}.txt`, import.meta.url), 'utf8');

/** What 001 uses without printing it. */
const GIVEN_TO_001 = `
import hashlib, hmac, json, os, sys, time
REJECT = "reject"
current_unix_timestamp = lambda: int(time.time())
hmac_sha256 = lambda key, msg: hmac.new(key.encode(), msg.encode(), hashlib.sha256).digest()
hmac_compare_digest = hmac.compare_digest
hex = lambda mac: mac.hex()
`;

/** One level in a function, one more for the statement behind a line that ends with a colon. */
function indented(code: string): string {
  let inside = false;
  let deeper = false;
  const lines = code.split('\n').map(line => {
    const isHead = /^(?:function|def) /.test(line);
    const text = line.replace(/^function /, 'def ');
    if (isHead || line.trim() === '') {
      inside = isHead || inside;
      return text;
    }
    const level = inside ? (deeper ? 2 : 1) : 0;
    deeper = /:\s*(?:#.*)?$/.test(line) && !line.startsWith('#');
    return '    '.repeat(level) + text;
  });
  return lines.join('\n');
}

export interface PythonCall {
  readonly of: '000' | '001' | '003';
  readonly call: string;
  /** Texts; bytes are written as latin-1 by the caller's own expression. */
  readonly args: Readonly<Record<string, string>>;
}

/** The results, in order. `call`: an expression over `args`, e.g. `verify_webhook(secret, body.encode(), header)`. */
export function askPython(calls: readonly PythonCall[]): readonly unknown[] {
  const program = `${GIVEN_TO_001}
of = {"000": {}, "001": {}, "003": {}}
for name, code in json.loads(sys.argv[1]).items():
    of[name].update(globals())
    exec(code, of[name])
print(json.dumps([eval(it["call"], of[it["of"]], it["args"]) for it in json.load(sys.stdin)]))`;
  const codes = {
    '000': `WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"]\n${indented(printed('000-verify-signature'))}`,
    '001': indented(printed('001-signatures')),
    '003': printed('003-verify-webhook'),
  };
  const out = execFileSync('python3', ['-c', program, JSON.stringify(codes)], {
    input: JSON.stringify(calls),
    encoding: 'utf8',
    env: { ...process.env, WEBHOOK_SECRET: SECRET },
  });
  return JSON.parse(out);
}

/** A secret of a platform's own: the documents' samples have no form for one. */
export const SECRET = 'a platform of 2019: its own secret';

/** The types that 004 imports without printing it, without the exceptions that it does not declare. */
const GIVEN_TO_004 = `
import static java.nio.charset.StandardCharsets.UTF_8;
public class Printed {
  static String bytesToHex(byte[] bytes) { return java.util.HexFormat.of().formatHex(bytes); }
  static class SecretKeySpec {
    final javax.crypto.spec.SecretKeySpec spec;
    SecretKeySpec(byte[] key, String algorithm) { spec = new javax.crypto.spec.SecretKeySpec(key, algorithm); }
  }
  static class Mac {
    final javax.crypto.Mac mac;
    Mac(javax.crypto.Mac mac) { this.mac = mac; }
    static Mac getInstance(String name) {
      try { return new Mac(javax.crypto.Mac.getInstance(name)); } catch (Exception e) { throw new RuntimeException(e); }
    }
    void init(SecretKeySpec key) {
      try { mac.init(key.spec); } catch (Exception e) { throw new RuntimeException(e); }
    }
    byte[] doFinal(byte[] bytes) { return mac.doFinal(bytes); }
  }
  public static void main(String[] args) {
    System.out.println(WebhookSigner.sign(args[0], args[1], Long.parseLong(args[2])));
    System.out.println(WebhookSigner.buildHeader(args[0], args[1]));
  }
`;

/** `sign(body, secret, time)` and `buildHeader(body, secret)` of 004. Needs a JDK of 17 or newer. */
export function askJava(
  body: string,
  secret: string,
  seconds: number,
): { readonly sign: string; readonly header: string } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-printed-'));
  try {
    const path = join(folder, 'Printed.java');
    writeFileSync(path, `${GIVEN_TO_004}\n${printed('004-webhook-signer')}\n}\n`);
    // The arguments in UTF-8, whatever the machine's language is.
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const out = execFileSync('java', [path, body, secret, String(seconds)], { encoding: 'utf8', env });
    const [sign = '', header = ''] = out.split('\n');
    return { sign, header };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
