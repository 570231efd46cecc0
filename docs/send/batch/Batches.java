import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Set;
import java.util.function.BiConsumer;

public class Batches {
  public static void readBatch(byte[] body, Set<String> seen, BiConsumer<String, JsonNode> handle) throws Exception {
    for (JsonNode item : new ObjectMapper().readTree(body).get("batch")) {
      String id = item.get("id").asText();
      if (seen.contains(id)) continue;
      handle.accept(item.get("type").asText(), item.get("body"));
      seen.add(id);
    }
  }
}
