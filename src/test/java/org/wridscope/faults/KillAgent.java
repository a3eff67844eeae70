// SPDX-License-Identifier: Apache-2.0
package org.wridscope.faults;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.UnicastRemoteObject;
import org.wridscope.telemetry.Role;

/** Starts ends in the machine where it runs, for a judge in another. Argument: its address. */
public final class KillAgent implements KillEnds {
  private static final int PORT = 4445;

  /** RMI refers to it only weakly until the judge does. */
  private static final KillAgent AGENT = new KillAgent();

  private KillAgent() {}

  public static void main(String[] arguments) {
    System.setProperty("java.rmi.server.hostname", arguments[0]);
    try (var server = new ServerSocket(PORT)) {
      System.out.println("waits for the judge of kills");
      serve(server);
      System.exit(0);
    } catch (IOException e) {
      System.err.println(e);
      System.exit(1);
    }
  }

  /** Until the judge ends, and its connection with it. */
  private static void serve(ServerSocket server) throws IOException {
    try (Socket judge = server.accept();
        var out = new ObjectOutputStream(judge.getOutputStream())) {
      out.writeObject(UnicastRemoteObject.exportObject(AGENT, 0));
      out.flush();
      int _ = judge.getInputStream().read();
    }
  }

  /** Connects to an agent, which ends with the connection. */
  static Socket connect(String host) throws IOException {
    return new Socket(host, PORT);
  }

  /** The machine at the other end of a connection. */
  static KillEnds over(Socket connection) throws IOException, ClassNotFoundException {
    return (KillEnds) new ObjectInputStream(connection.getInputStream()).readObject();
  }

  @Override
  public KillEnd start(KillSetting setting, String qemu, Role role, String uri)
      throws IOException, InterruptedException {
    var end = new LocalEnd(setting, qemu, role, uri);
    UnicastRemoteObject.exportObject(end, 0);
    return end;
  }
}
