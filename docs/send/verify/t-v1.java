import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Webhooks {
  /** headers: names in lower case. body: the bytes as they came. */
  public static boolean isGenuine(Map<String, String> headers, byte[] body) throws Exception {
    String secret = System.getenv("WEBHOOK_SECRET");
    byte[] key = secret.getBytes(UTF_8);
    String[] parts = headers.getOrDefault("x-webhook-signature", "").split(",");
    String sent = parts[0].replaceFirst("^t=", "");
    if (!sent.matches("\\d{1,12}")) return false;
    if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(sent)) > 300) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((sent + ".").getBytes(UTF_8));
    byte[] digest = mac.doFinal(body);
    String expected = "v1=" + HexFormat.of().formatHex(digest);
    boolean found = false;
    for (String part : parts) found |= MessageDigest.isEqual(part.getBytes(UTF_8), expected.getBytes(UTF_8));
    return found;
  }
}
