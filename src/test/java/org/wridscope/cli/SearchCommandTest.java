// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code lab --explore} and {@code lab --exhaustive}: what they find is a file that repeats it. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SearchCommandTest {
  /** One whose order hangs a shared completion queue, without a fault. */
  private static final String SEED = "4";

  @TempDir private Path folder;

  private static JsonObject json(Path file) throws IOException {
    return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
  }

  private static CommandRun explore(Path reduced, Path verdict, String... more) {
    String[] options = {
      "lab",
      "--explore=1",
      "--seed=" + SEED,
      "--cq=shared",
      "--reduce-to=" + reduced,
      "--verdict=" + verdict
    };
    String[] all = new String[options.length + more.length];
    System.arraycopy(options, 0, all, 0, options.length);
    System.arraycopy(more, 0, all, options.length, more.length);
    return CommandRun.real(all);
  }

  @Test
  void whatIsFound_isWritten_andRepeatedByOneCommand() throws Exception {
    Path file = folder.resolve("hang.json");
    CommandRun found = explore(file, folder.resolve("search.json"));
    assertThat(found.status()).isEqualTo(1);
    assertThat(found.out())
        .contains("\n./wridscope lab %s repeats it; --step goes through it\n".formatted(file));
    JsonObject search = json(folder.resolve("search.json"));
    assertThat(search.get("verdict").getAsString()).isEqualTo("not as expected");
    assertThat(search.get("broken").getAsInt()).isEqualTo(1);
    assertThat(search.getAsJsonArray("violations").get(0).getAsJsonObject().get("seed").toString())
        .isEqualTo(SEED);
    JsonObject reduced = search.getAsJsonObject("reduced");
    assertThat(reduced.get("seed").getAsString()).isEqualTo(SEED);
    assertThat(reduced.get("fault-rules").getAsInt()).isZero();
    for (JsonElement choice : reduced.getAsJsonArray("choices")) {
      assertThat(choice.getAsJsonObject().keySet()).containsExactly("at", "take", "does");
    }
    assertThat(json(file).getAsJsonArray("choices")).isEqualTo(reduced.getAsJsonArray("choices"));

    CommandRun again =
        CommandRun.real("lab", file.toString(), "--verdict=" + folder.resolve("run.json"));
    assertThat(again.status()).as("as long as it breaks").isEqualTo(1);
    JsonObject run = json(folder.resolve("run.json"));
    assertThat(run.get("in-turn").getAsBoolean()).isFalse();
    assertThat(run.getAsJsonArray("choices")).isEqualTo(reduced.getAsJsonArray("choices"));
    assertThat(run.getAsJsonArray("runs").get(0).getAsJsonObject().getAsJsonArray("problems"))
        .isEqualTo(reduced.getAsJsonArray("problems"));
    assertThat(again.out())
        .contains("The schedule differs from turns in ")
        .contains(": at choice ");
    assertThat(CommandRun.real("lab", file.toString(), "--cq=split").status())
        .as("with the mistake mended")
        .isZero();
  }

  @Test
  void anExistingFile_isReplacedOnlyWithForce() throws Exception {
    Path file = folder.resolve("hang.json");
    Files.writeString(file, "{\"title\": \"Mine\"}");
    CommandRun refused = explore(file, folder.resolve("search.json"));
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).startsWith("wridscope: --reduce-to: ");
    assertThat(file).hasContent("{\"title\": \"Mine\"}");
    assertThat(explore(file, folder.resolve("search.json"), "--force").status()).isEqualTo(1);
    assertThat(json(file).get("title").getAsString()).isEqualTo("Seed " + SEED + ", reduced");
    assertThat(explore(folder.resolve("same.json"), folder.resolve("same.json")).err())
        .startsWith("wridscope: --verdict: ");
  }

  @Test
  void whereNothingIsFound_nothingIsWritten() throws Exception {
    Path file = folder.resolve("hang.json");
    Path verdict = folder.resolve("search.json");
    CommandRun run =
        CommandRun.real(
            "lab", "--explore=20", "--reduce-to=" + file, "--verdict=" + verdict, "--seed=11");
    assertThat(run.status()).as(run.out()).isZero();
    assertThat(run.out())
        .matches(
            "20 runs in .*; \\d+ without faults, all completed; 0 broke.*\n(  .+: .+ \\d+\n)*");
    assertThat(folder).isDirectoryContaining("glob:**search.json");
    assertThat(folder).isDirectoryNotContaining("glob:**hang*");
    JsonObject search = json(verdict);
    assertThat(search.get("verdict").getAsString()).isEqualTo("as expected");
    assertThat(search.get("runs").getAsInt()).isEqualTo(20);
    assertThat(search.get("without-faults").getAsInt())
        .isPositive()
        .isEqualTo(search.get("without-faults-completed").getAsInt());
    assertThat(search.getAsJsonArray("violations")).isEmpty();
    assertThat(search.has("reduced")).isFalse();
    assertThat(search.get("seconds").getAsDouble()).isPositive();
  }

  @Test
  void allOrders_haveAVerdict() throws Exception {
    Path verdict = folder.resolve("orders.json");
    CommandRun run = CommandRun.real("lab", "--exhaustive=3", "--verdict=" + verdict);
    assertThat(run.status()).as(run.out()).isZero();
    JsonObject orders = json(verdict);
    assertThat(orders.get("verdict").getAsString()).isEqualTo("as expected");
    assertThat(orders.get("scenario").getAsString()).isEqualTo("smallest");
    assertThat(orders.get("depth").getAsInt()).isEqualTo(3);
    assertThat(orders.get("complete").getAsBoolean()).isFalse();
    assertThat(orders.get("states").getAsLong()).isGreaterThan(3);
    assertThat(orders.get("broken").getAsInt()).isZero();
  }

  @Test
  void faults_makeMoreOrders() throws Exception {
    Path verdict = folder.resolve("orders.json");
    CommandRun run = CommandRun.real("lab", "--exhaustive=3", "--faults", "--verdict=" + verdict);
    assertThat(run.status()).as(run.out()).isZero();
    long withFaults = json(verdict).get("runs").getAsLong();
    assertThat(CommandRun.real("lab", "--exhaustive=3", "--verdict=" + verdict).status()).isZero();
    assertThat(withFaults).isGreaterThan(2 * json(verdict).get("runs").getAsLong());
    assertThat(CommandRun.of(CommandRun.SUCCESS, "lab", "--faults").err())
        .startsWith(
            "wridscope: Unknown option: '--faults'; --faults is an option of 'lab exhaustive'\n");
  }

  @Test
  void withoutASearch_thereIsNothingToReduce() {
    assertThat(CommandRun.of(CommandRun.SUCCESS, "lab", "--reduce-to=x").err())
        .startsWith(
            "wridscope: Unknown option: '--reduce-to=x'; --reduce-to is an option of 'lab explore'\n");
  }
}
