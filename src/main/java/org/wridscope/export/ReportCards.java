// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.wridscope.analysis.Explanation;
import org.wridscope.analysis.Finding;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;

/** Writes the explanation and the findings of an HTML report. */
final class ReportCards {
  private final Html html;
  private final MigrationReading reading;

  private ReportCards(Html html, MigrationReading reading) {
    this.html = html;
    this.reading = reading;
  }

  static void write(Html html, MigrationReading reading) throws IOException {
    var cards = new ReportCards(html, reading);
    cards.explanation();
    cards.findings();
  }

  private void explanation() throws IOException {
    if (!reading.leading().session().telemetry().monitored()) {
      return;
    }
    Explanation explanation = reading.explanation();
    html.open("section", "id", "explanation").element("h2", "What happened");
    html.open("div", "class", "card " + HtmlReport.colour(explanation.state()));
    html.element("p", explanation.headline(), "class", "headline");
    if (!explanation.summary().isEmpty()) {
      html.element("p", explanation.summary());
    }
    html.open("ol", "class", "steps");
    for (Explanation.Step step : explanation.steps()) {
      html.open("li", "class", step.isKey() ? "key-step" : "step");
      html.element(
          "span", Format.moment(step.nanos() - reading.clock().originNanos()), "class", "number");
      end(step.role());
      html.element("span", step.text(), "class", "said").close();
    }
    html.close();
    if (!explanation.remedy().isEmpty()) {
      html.open("p").element("strong", "What to do: ").text(explanation.remedy()).close();
    }
    html.close().close();
  }

  private void end(Role role) throws IOException {
    String end = EndReading.end(role);
    html.element("span", end, "class", "end-" + end);
  }

  private void findings() throws IOException {
    html.open("section", "id", "findings").element("h2", "Findings");
    var found = new LinkedHashMap<Finding, List<String>>();
    for (EndReading end : reading.ends()) {
      for (Finding finding : end.findings()) {
        found.computeIfAbsent(finding, _ -> new ArrayList<>()).add(end.end());
      }
    }
    List<Map.Entry<Finding, List<String>>> ordered =
        found.entrySet().stream()
            .sorted((a, b) -> b.getKey().severity().compareTo(a.getKey().severity()))
            .toList();
    if (ordered.isEmpty()) {
      html.element("p", "Nothing noteworthy was found.", "class", "muted");
    }
    html.open("div", "class", "cards");
    for (Map.Entry<Finding, List<String>> entry : ordered) {
      Finding finding = entry.getKey();
      String severity = finding.severity().text();
      html.open("article", "class", "card " + severity);
      html.open("h3").element("span", severity, "class", "pill").text(finding.title()).close();
      html.element("p", finding.seen());
      html.element("p", finding.why(), "class", "muted");
      if (!finding.advice().isEmpty()) {
        html.open("p").element("strong", "What to do: ").text(finding.advice()).close();
      }
      html.element("p", "At the " + String.join(" and the ", entry.getValue()), "class", "where");
      html.close();
    }
    html.close().close();
  }
}
