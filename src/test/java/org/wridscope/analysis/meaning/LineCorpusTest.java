// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Lines that programs printed, from public reports and from the programs' formats, and what is to
 * be said of each: {@code lines.tsv} has kind, line and keys. A wrong answer is a failure; a
 * missing one is a gap.
 */
final class LineCorpusTest {
  /** Lines without an answer, or without the whole of it: no more than these. */
  private static final int GAPS = 0;

  /** What has to be said of a line, and what may be. */
  private record Line(String kind, String text, Set<String> expected, Set<String> allowed) {
    static Line of(String row) {
      String[] columns = row.split("\t", -1);
      var expected = new LinkedHashSet<String>();
      var allowed = new LinkedHashSet<String>();
      for (String key : columns[2].split(" \\+ ", -1)) {
        if (key.startsWith("?")) {
          allowed.add(key.substring(1));
        } else if (!key.equals("-")) {
          expected.add(key);
        }
      }
      return new Line(columns[0], columns[1], expected, allowed);
    }
  }

  private static List<Line> lines() throws IOException {
    try (var in =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(LineCorpusTest.class.getResourceAsStream("lines.tsv")),
                StandardCharsets.UTF_8))) {
      return in.lines().filter(row -> !row.startsWith("#")).map(Line::of).toList();
    }
  }

  private static String key(Meaning meaning) {
    return switch (meaning.kind()) {
      case VENDOR_ERROR -> "%s %#x".formatted(deviceOf(meaning), meaning.value());
      case FIRMWARE_STATUS -> "firmware %#x".formatted(meaning.value());
      case WRID -> "wrid %#x".formatted(meaning.value());
      case ERROR_CQE -> "cqe";
      default -> meaning.name();
    };
  }

  private static String deviceOf(Meaning meaning) {
    if (VendorErrors.isSyndrome(meaning)) {
      return "syndrome";
    }
    return VendorErrors.isReported(meaning) ? "vendor" : "soft";
  }

  private static Set<String> said(String line) {
    return Meanings.explain(line).meanings().stream()
        .map(LineCorpusTest::key)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Test
  void everyLine_isExplainedRightly_orNotAtAll(TestReporter reporter) throws IOException {
    List<Line> lines = lines();
    var wrong = new ArrayList<String>();
    var gaps = new ArrayList<String>();
    for (Line line : lines) {
      Set<String> said = said(line.text);
      if (said.stream()
          .anyMatch(key -> !line.expected.contains(key) && !line.allowed.contains(key))) {
        wrong.add("%s: %s%n  said %s, not %s".formatted(line.kind, line.text, said, line.expected));
      } else if (!said.containsAll(line.expected)) {
        gaps.add("%s: %s%n  said %s, not %s".formatted(line.kind, line.text, said, line.expected));
      }
    }
    reporter.publishEntry(
        "explained",
        "%d lines, %d wrong, %d gaps%n%s"
            .formatted(lines.size(), wrong.size(), gaps.size(), String.join("\n", gaps)));
    assertThat(wrong).isEmpty();
    assertThat(gaps).hasSizeLessThanOrEqualTo(GAPS);
    assertThat(lines).hasSizeGreaterThan(200);
  }
}
