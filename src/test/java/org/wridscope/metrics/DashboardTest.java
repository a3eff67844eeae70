// SPDX-License-Identifier: Apache-2.0
package org.wridscope.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queries of Grafana's dashboard find what is exported. */
final class DashboardTest {
  private static final Pattern METRIC = Pattern.compile("\\bwridscope_[a-z_]+");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");
  private static final Pattern SELECTED = Pattern.compile("[{,](\\w+)=~?\"");
  private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
  private static final Pattern SHOWN = Pattern.compile("\\{\\{(\\w+)}}");

  @TempDir Path directory;

  /** A query, and the legend of its series. */
  private record Target(String expression, String legend) {}

  private static List<Target> targets() throws IOException {
    JsonObject dashboard =
        JsonParser.parseString(Files.readString(Path.of("packaging", "grafana", "wridscope.json")))
            .getAsJsonObject();
    return elements(dashboard, "panels")
        .flatMap(panel -> elements(panel, "targets"))
        .map(target ->
            new Target(target.get("expr").getAsString(), target.get("legendFormat").getAsString()))
        .toList();
  }

  private static Stream<JsonObject> elements(JsonObject of, String name) {
    return StreamSupport.stream(of.getAsJsonArray(name).spliterator(), false)
        .map(JsonElement::getAsJsonObject);
  }

  /** The labels of everything that is exported, by name. */
  private static Map<String, Set<String>> exported() {
    var labels = new HashMap<String, Set<String>>();
    MigrationMetricsTest.allText()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(line ->
            labels
                .computeIfAbsent(line.replaceAll("[ {].*", ""), _ -> new HashSet<>())
                .addAll(all(LABEL, line)));
    return labels;
  }

  private static List<String> all(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    var found = new ArrayList<String>();
    while (matcher.find()) {
      found.add(matcher.groupCount() == 0 ? matcher.group() : matcher.group(1));
    }
    return found;
  }

  @Test
  void everyQuery_namesWhatIsExported_withItsLabels() throws IOException {
    Map<String, Set<String>> exported = exported();
    assertThat(targets()).hasSizeGreaterThan(10);
    for (Target target : targets()) {
      List<String> metrics = all(METRIC, target.expression());
      assertThat(metrics).as(target.expression()).isNotEmpty().isSubsetOf(exported.keySet());
      var used = new ArrayList<String>(all(SELECTED, target.expression()));
      for (String group : all(GROUPED, target.expression())) {
        used.addAll(List.of(group.split(", ")));
        assertThat(all(SHOWN, target.legend())).isSubsetOf(List.of(group.split(", ")));
      }
      used.addAll(all(SHOWN, target.legend()));
      for (String metric : metrics) {
        assertThat(used).as(target.expression()).isSubsetOf(exported.get(metric));
      }
    }
  }

  @Test
  void promtool_understandsEveryQuery() throws IOException, InterruptedException {
    Promtool.assumeInstalled();
    var rules = new StringBuilder("groups: [{name: dashboard, rules: [");
    int number = 0;
    for (Target target : targets()) {
      rules.append(
          "{record: \"dashboard:%d\", expr: '%s'},"
              .formatted(number++, target.expression().replace("$__rate_interval", "1m")));
    }
    Path file =
        Files.writeString(
            directory.resolve("rules.yaml"), rules.append("]}]"), StandardCharsets.UTF_8);
    assertThat(Promtool.run(_ -> {}, "check", "rules", file.toString()))
        .contains("SUCCESS: %d rules found".formatted(number));
  }
}
