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
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.wridscope.process.TimeLimit;
import org.wridscope.text.Format;

/** The program {@code rdma} of iproute2, see rdma-resource(8). */
final class RdmaTool {
  /** It asks the kernel, which answers at once unless a device hangs. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private RdmaTool() {}

  /**
   * The resources of a kind, as JSON.
   *
   * @param kind such as {@code qp}
   * @throws IOException if it cannot tell them; one sentence
   */
  static String show(String kind) throws IOException, InterruptedException {
    return run(LIMIT, "rdma", "-j", "resource", "show", kind);
  }

  /** The same, with details. */
  static String showDetails(String kind) throws IOException, InterruptedException {
    return run(LIMIT, "rdma", "-j", "-d", "resource", "show", kind);
  }

  static String run(Duration limit, String... command) throws IOException, InterruptedException {
    Process rdma;
    try {
      rdma =
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
    } catch (IOException e) {
      throw new IOException(
          "The program rdma is missing; install it (Debian: apt-get install iproute2).", e);
    }
    var time = new TimeLimit(rdma, limit);
    String told = String.join(" ", command);
    try {
      String json =
          new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      int status = rdma.waitFor();
      if (status != 0 && !time.hasPassed()) {
        throw new IOException("'%s' ended with status %d.".formatted(told, status));
      }
      if (!time.hasPassed()) {
        return json;
      }
    } catch (IOException e) {
      if (!time.hasPassed()) {
        throw e;
      }
    } finally {
      rdma.destroyForcibly();
    }
    throw new IOException(
        "'%s' took longer than %s and was ended."
            .formatted(told, Format.duration(limit.toNanos())));
  }

  /**
   * The objects of what it printed; none if there are no resources.
   *
   * @throws IOException if it is something else; one sentence
   */
  static List<JsonObject> objects(String json) throws IOException {
    try {
      JsonElement all = JsonParser.parseString(json);
      List<JsonElement> each = all.isJsonArray() ? all.getAsJsonArray().asList() : List.of();
      return each.stream()
          .filter(JsonElement::isJsonObject)
          .map(JsonElement::getAsJsonObject)
          .toList();
    } catch (JsonParseException e) {
      throw new IOException("The program rdma printed something that is not understood.", e);
    }
  }

  /** A whole number of an object; empty if it has none. */
  static OptionalLong number(JsonObject of, String member) {
    try {
      return of.get(member) instanceof JsonPrimitive value && value.isNumber()
          ? OptionalLong.of(value.getAsBigDecimal().longValueExact())
          : OptionalLong.empty();
    } catch (NumberFormatException | ArithmeticException e) {
      return OptionalLong.empty();
    }
  }
}
