// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    Process rdma;
    try {
      rdma =
          new ProcessBuilder("rdma", "-j", "resource", "show", "qp")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
    } catch (IOException e) {
      throw new IOException(
          "The processes cannot be listed without the program rdma; install it (Debian: apt-get"
              + " install iproute2), or name a process.",
          e);
    }
    String json = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int status = rdma.waitFor();
    if (status != 0) {
      throw new IOException(
          "'rdma -j resource show qp' ended with status %d; name a process.".formatted(status));
    }
    return parse(json);
  }

  /** Reads what {@code rdma -j resource show qp} prints; nothing if there are no queue pairs. */
  static List<RdmaProcess> parse(String json) throws IOException {
    Map<Long, RdmaProcess> found = new TreeMap<>();
    try {
      JsonElement all = JsonParser.parseString(json);
      List<JsonElement> queuePairs = all.isJsonArray() ? all.getAsJsonArray().asList() : List.of();
      for (JsonElement each : queuePairs) {
        if (each instanceof JsonObject queuePair
            && queuePair.get("pid") instanceof JsonPrimitive pid
            && pid.isNumber()
            && pid.getAsLong() > 0) {
          found.merge(pid.getAsLong(), of(pid.getAsLong(), queuePair), RdmaProcess::and);
        }
      }
    } catch (JsonParseException | NumberFormatException e) {
      throw new IOException(
          "'rdma -j resource show qp' printed something that is not understood; name a process.",
          e);
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
