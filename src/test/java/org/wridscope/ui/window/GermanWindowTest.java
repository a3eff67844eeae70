// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.window;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.wridscope.Slow;
import org.wridscope.ui.Texts;

/** Whoever chooses German sees German: in the views, the dialogs, the menus and the tool tips. */
@Slow("the window is a process of its own")
final class GermanWindowTest {
  /** Texts that the log of events and the doctor have too, which are in English. */
  private static final Set<String> OF_LAYERS_BELOW =
      Set.of(
          "address",
          "completed",
          "device",
          "devices",
          "guest paused",
          "status",
          "the guest is paused");

  @Test
  void noEnglishText_isShown_thatHasAGermanOne() throws Exception {
    Map<String, String> bundle = bundle();
    var shown = new TreeSet<>(shown());
    var english =
        bundle.entrySet().stream()
            .filter(entry -> !entry.getKey().equals(entry.getValue()))
            .filter(entry -> !bundle.containsValue(entry.getKey()))
            .map(Map.Entry::getKey)
            .filter(shown::contains)
            .filter(text -> !OF_LAYERS_BELOW.contains(text))
            .toList();
    assertThat(english).isEmpty();
    assertThat(bundle.values().stream().filter(shown::contains).collect(Collectors.toSet()))
        .hasSizeGreaterThan(300);
  }

  private static Map<String, String> bundle() throws Exception {
    try (InputStream in =
        Objects.requireNonNull(Texts.class.getResourceAsStream("texts_de.json"))) {
      return new Gson()
          .fromJson(
              new InputStreamReader(in, StandardCharsets.UTF_8),
              new TypeToken<Map<String, String>>() {});
    }
  }

  private static List<String> shown() throws Exception {
    var command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow()));
    command.addAll(
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> !option.startsWith("-javaagent"))
            .toList());
    command.addAll(
        List.of(
            "-Dstdout.encoding=UTF-8",
            "-cp",
            System.getProperty("java.class.path"),
            GermanWindow.class.getName()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      List<String> lines =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .toList();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      return lines;
    } finally {
      process.destroyForcibly();
    }
  }
}
