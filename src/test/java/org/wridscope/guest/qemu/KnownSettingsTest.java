// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.stream.BlockListing;

/**
 * The answers of QEMU 7.2, 10.0 and 11.1, and what is done with each of their settings. A new
 * version gets a file here.
 */
final class KnownSettingsTest {
  /** Sockets are created here, whose paths must be short. */
  @TempDir private Path folder;

  private String temporary = "";
  private ScriptedQemu qemu;

  @BeforeEach
  void start() throws IOException {
    temporary = System.setProperty("java.io.tmpdir", folder.toString());
    qemu = new ScriptedQemu(folder);
  }

  @AfterEach
  void close() throws IOException {
    System.setProperty("java.io.tmpdir", temporary);
    qemu.close();
  }

  static JsonObject answers(String version) throws IOException {
    String name = "qmp-%s.json".formatted(version);
    try (Reader in =
        new InputStreamReader(
            Objects.requireNonNull(KnownSettingsTest.class.getResourceAsStream(name), name),
            StandardCharsets.UTF_8)) {
      return JsonParser.parseReader(in).getAsJsonObject();
    }
  }

  private static Map<String, Boolean> capabilities(JsonObject answers) {
    var capabilities = new TreeMap<String, Boolean>();
    answers
        .getAsJsonArray("query-migrate-capabilities")
        .forEach(each ->
            capabilities.put(
                each.getAsJsonObject().get("capability").getAsString(),
                each.getAsJsonObject().get("state").getAsBoolean()));
    return capabilities;
  }

  /** Makes the QEMU answer as one of a version. */
  private void become(String version) throws IOException {
    JsonObject answers = answers(version);
    qemu.capabilities.clear();
    qemu.capabilities.putAll(capabilities(answers));
    JsonObject parameters = answers.getAsJsonObject("query-migrate-parameters");
    parameters.entrySet().forEach(each -> qemu.parameters.add(each.getKey(), each.getValue()));
    qemu.version = answers.getAsJsonObject("query-version").get("qemu").toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"7.2", "10.0", "11.1"})
  void everySettingOfAVersion_hasADecision(String version) throws IOException {
    JsonObject answers = answers(version);
    assertThat(KnownSettings.CAPABILITIES).containsKeys(capabilities(answers).keySet().toArray(String[]::new));
    assertThat(answers.getAsJsonObject("query-migrate-parameters").keySet())
        .allMatch(KnownSettings::isKnownParameter, "has a decision");
    String newest = answers("11.1").getAsJsonObject("query-version").get("qemu").toString();
    assertThat(newest)
        .contains("\"major\":" + KnownSettings.NEWEST.replace(".", ",").split(",")[0])
        .contains("\"minor\":" + KnownSettings.NEWEST.replace(".", ",").split(",")[1]);
  }

  @Test
  void everyParameter_hasOneDecision_andAllAreOfAVersion() throws IOException {
    var names = new TreeSet<String>();
    for (Set<String> each :
        List.of(KnownSettings.NEUTRAL.keySet(), KnownSettings.SET, KnownSettings.KEPT)) {
      assertThat(Collections.disjoint(names, each)).isTrue();
      names.addAll(each);
    }
    Set<String> present = new HashSet<>();
    for (String version : List.of("7.2", "10.0", "11.1")) {
      JsonObject answers = answers(version);
      present.addAll(answers.getAsJsonObject("query-migrate-parameters").keySet());
      names.removeAll(answers.getAsJsonObject("query-migrate-parameters").keySet());
      present.addAll(capabilities(answers).keySet());
    }
    // QEMU tells it only once it was set.
    assertThat(names).containsExactly("block-bitmap-mapping");
    assertThat(present).containsAll(KnownSettings.CAPABILITIES.keySet());
  }

  private RunningQemu guest() {
    return new RunningQemu(
        qemu.address(), DirtyLogChoice.COMPARE, Throttle.OFF, new RecordingGuards(), Patience.DEFAULT);
  }

  private void take() throws IOException {
    try (RunningQemu guest = guest()) {
      guest.attach(() -> {});
      guest.stop(() -> {}, () -> {});
    }
  }

  /** With every capability on that may be, and every parameter set that is changed. */
  @ParameterizedTest
  @ValueSource(strings = {"7.2", "10.0", "11.1"})
  void guestOfAVersion_isTakenWithPlainSettings_whichAreRestored(String version)
      throws IOException {
    become(version);
    qemu.capabilities.replaceAll((name, _) ->
        KnownSettings.CAPABILITIES.get(name) != KnownSettings.Capability.REFUSED);
    KnownSettings.NEUTRAL.forEach((name, neutral) -> {
      if (qemu.parameters.has(name)) {
        qemu.parameters.add(
            name, neutral.isNumber() ? new JsonPrimitive(7) : new JsonPrimitive("cpr-exec"));
      }
    });
    Map<String, Boolean> capabilities = new TreeMap<>(qemu.capabilities);
    JsonObject parameters = qemu.parameters.deepCopy();
    take();
    qemu.capabilitiesThen.forEach((name, on) ->
        assertThat(on)
            .as(name)
            .isEqualTo(KnownSettings.CAPABILITIES.get(name) == KnownSettings.Capability.KEPT));
    KnownSettings.NEUTRAL.forEach((name, neutral) -> {
      if (parameters.has(name)) {
        assertThat(qemu.parametersThen.get(name)).as(name).isEqualTo(neutral);
      }
    });
    assertThat(qemu.capabilities).isEqualTo(capabilities);
    assertThat(qemu.parameters).isEqualTo(parameters);
  }

  /** A guard restores it, too, if this process ends. */
  @Test
  void mode_isGuarded() throws IOException {
    become("11.1");
    qemu.parameters.addProperty("mode", "cpr-exec");
    var guards = new RecordingGuards();
    try (var guest =
        new RunningQemu(
            qemu.address(), DirtyLogChoice.COMPARE, Throttle.OFF, guards, Patience.DEFAULT)) {
      guest.attach(() -> {});
      GuardedSettings guarded = guards.settings;
      assertThat(guarded).isNotNull();
      assertThat(guarded.parameters().get("mode")).isEqualTo(new JsonPrimitive("cpr-exec"));
    }
  }

  @Test
  void modeOfADestination_isNormalMeanwhile() throws IOException {
    become("11.1");
    qemu.status = "inmigrate";
    qemu.running = false;
    qemu.parameters.addProperty("mode", "cpr-reboot");
    try (var waiting =
        new WaitingQemu(qemu.address(), false, new RecordingGuards(), Patience.DEFAULT)) {
      waiting.prepare(
          List.of(
              new BlockListing("ram0", ScriptedQemu.RAM),
              new BlockListing("vga.vram", ScriptedQemu.OWN)),
          false);
      assertThat(qemu.parameters.get("mode")).isEqualTo(new JsonPrimitive("normal"));
    }
    assertThat(qemu.parameters.get("mode")).isEqualTo(new JsonPrimitive("cpr-reboot"));
  }

  @Test
  void settingsOfANewerQemu_stayAsTheyAre() throws IOException {
    become("11.1");
    qemu.version = "{\"micro\": 0, \"minor\": 0, \"major\": 13}";
    qemu.capabilities.put("x-quantum-ram", false);
    qemu.parameters.addProperty("x-quantum-size", 5);
    JsonObject parameters = qemu.parameters.deepCopy();
    assertThatCode(this::take).doesNotThrowAnyException();
    assertThat(qemu.capabilitiesThen).containsEntry("x-quantum-ram", false);
    assertThat(qemu.parametersThen.get("x-quantum-size")).isEqualTo(new JsonPrimitive(5));
    assertThat(qemu.parameters).isEqualTo(parameters);
  }

  @Test
  void capabilityOfANewerQemuThatIsOn_isRefusedWithItsVersion() throws IOException {
    become("11.1");
    qemu.version = "{\"micro\": 0, \"minor\": 0, \"major\": 13}";
    qemu.capabilities.put("x-quantum-ram", true);
    Map<String, Boolean> before = new TreeMap<>(qemu.capabilities);
    assertThatThrownBy(this::take)
        .hasMessageContaining("The capability x-quantum-ram of QEMU 13.0.0")
        .hasMessageContaining("no QEMU up to 11.1 has");
    assertThat(qemu.capabilities).isEqualTo(before);
    assertThat(qemu.executed).doesNotContain("migrate", "migrate-set-capabilities");
  }

  /** The list has more columns since 8.2, and so the blocks of a source are compared with it. */
  @ParameterizedTest
  @ValueSource(strings = {"7.2", "10.0", "11.1"})
  void listOfRamBlocks_isRead(String version) throws IOException {
    qemu.status = "inmigrate";
    qemu.human.put("info ramblock", answers(version).get("info ramblock").getAsString());
    try (var waiting =
        new WaitingQemu(qemu.address(), false, new RecordingGuards(), Patience.DEFAULT)) {
      assertThatThrownBy(
              () -> waiting.prepare(List.of(new BlockListing("pc.ram", 128 << 20)), false))
          .hasMessageContaining("The source has 128MiB in the RAM block pc.ram")
          .hasMessageContaining("has 64MiB");
      assertThatThrownBy(
              () -> waiting.prepare(List.of(new BlockListing("other", 1 << 20)), false))
          .hasMessageContaining("The source has a RAM block other");
    }
  }
}
