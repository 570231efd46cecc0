import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Amazon's DynamoDB Local, which has no option for it, on 127.0.0.1 only. Argument: the port. */
public class LoopbackDynamoDb {
  public static void main(String[] args) throws Exception {
    String[] options = {"-inMemory", "-sharedDb", "-disableTelemetry", "-port", args[0]};
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(options);
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    Server server = (Server) field.get(proxy);
    for (var connector : server.getConnectors()) ((ServerConnector) connector).setHost("127.0.0.1");
    proxy.safeStart();
    proxy.join();
  }
}
