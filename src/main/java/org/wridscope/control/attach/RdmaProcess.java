// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.wridscope.text.Legible;

/**
 * A process that has queue pairs.
 *
 * @param command its name
 * @param devices names of the devices that the queue pairs are on
 */
public record RdmaProcess(long pid, String command, SortedSet<String> devices, int queuePairs) {
  private static final int MAX_NAME = 64;

  /**
   * The processes of this machine that have queue pairs, as far as this user may see them; those of
   * the kernel are left out.
   *
   * @throws IOException if {@code rdma} of iproute2 cannot tell them; one sentence
   */
  public static List<RdmaProcess> list() throws IOException, InterruptedException {
    String json;
    try {
      json = RdmaTool.show("qp");
    } catch (IOException e) {
      throw new IOException(e.getMessage() + " Name a process instead.", e);
    }
    return parse(json);
  }

  /** Reads what {@code rdma -j resource show qp} prints; nothing if there are no queue pairs. */
  static List<RdmaProcess> parse(String json) throws IOException {
    Map<Long, RdmaProcess> found = new TreeMap<>();
    for (JsonObject queuePair : RdmaTool.objects(json)) {
      long pid = RdmaTool.number(queuePair, "pid").orElse(0);
      if (pid > 0) {
        found.merge(pid, of(pid, queuePair), RdmaProcess::and);
      }
    }
    return new ArrayList<>(found.values());
  }

  private static RdmaProcess of(long pid, JsonObject queuePair) {
    return new RdmaProcess(
        pid, text(queuePair, "comm"), new TreeSet<>(List.of(text(queuePair, "ifname"))), 1);
  }

  private static String text(JsonObject queuePair, String member) {
    return queuePair.get(member) instanceof JsonPrimitive text
        ? Legible.of(text.getAsString(), MAX_NAME)
        : "?";
  }

  private RdmaProcess and(RdmaProcess more) {
    var all = new TreeSet<>(devices);
    all.addAll(more.devices);
    return new RdmaProcess(pid, command, all, queuePairs + more.queuePairs);
  }
}
