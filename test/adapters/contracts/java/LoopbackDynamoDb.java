import com.amazonaws.services.dynamodbv2.local.main.ServerRunner;
import com.amazonaws.services.dynamodbv2.local.server.DynamoDBProxyServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Amazon's DynamoDB Local, which has no option for it, on 127.0.0.1 only. Arguments: the port, then where its data is. */
public class LoopbackDynamoDb {
  public static void main(String[] args) throws Exception {
    var options = new ArrayList<>(List.of("-sharedDb", "-disableTelemetry", "-port", args[0]));
    options.addAll(Arrays.asList(args).subList(1, args.length));
    DynamoDBProxyServer proxy = ServerRunner.createServerFromCommandLineArgs(options.toArray(new String[0]));
    var field = DynamoDBProxyServer.class.getDeclaredField("server");
    field.setAccessible(true);
    Server server = (Server) field.get(proxy);
    for (var connector : server.getConnectors()) ((ServerConnector) connector).setHost("127.0.0.1");
    proxy.safeStart();
    proxy.join();
  }
}
