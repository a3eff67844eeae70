// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.wridscope.analysis.CountedByDevice;
import org.wridscope.analysis.Script;
import org.wridscope.control.FakeSession;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.WorkRequestId;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.Metrics;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.Role;
import org.wridscope.verbs.DeviceCounter;
import org.xml.sax.InputSource;

/** The report is well-formed, refers to nothing outside, and shows foreign texts only as text. */
final class HtmlReportTest {
  private static final Set<String> ELEMENTS =
      Set.of(
          "html",
          "head",
          "meta",
          "title",
          "style",
          "body",
          "main",
          "header",
          "section",
          "article",
          "footer",
          "div",
          "p",
          "span",
          "b",
          "i",
          "strong",
          "code",
          "h1",
          "h2",
          "h3",
          "ol",
          "li",
          "figure",
          "figcaption",
          "table",
          "thead",
          "tbody",
          "tr",
          "th",
          "td",
          "svg",
          "path",
          "rect",
          "text");

  @TempDir Path directory;

  private static Document parse(String html) throws Exception {
    var factory = DocumentBuilderFactory.newDefaultInstance();
    factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(html)));
  }

  private static List<Element> elements(Document page) {
    NodeList all = page.getElementsByTagName("*");
    var elements = new ArrayList<Element>();
    for (int i = 0; i < all.getLength(); i++) {
      elements.add((Element) all.item(i));
    }
    return elements;
  }

  private static List<Element> of(Document page, String element, String kind) {
    return elements(page).stream()
        .filter(e -> e.getTagName().equals(element))
        .filter(e -> List.of(e.getAttribute("class").split(" ")).contains(kind))
        .toList();
  }

  /** A session in which every text is this name. */
  private static FakeSession session(Role role, String name) {
    FakeSession session = Exported.session(role, name, List.of(name));
    long wrid = Script.write(0, 1);
    new Script(session.telemetry())
        .postReceive(1)
        .send(ControlType.READY, 0)
        .wait(name, WorkRequestId.CONTROL_SEND)
        .receiveCompletion(1)
        .dropped(name, WorkRequestId.CONTROL_RECEIVE + 1)
        .sent()
        .waitEnds(name)
        .wait(name, WorkRequestId.CONTROL_RECEIVE + 1)
        .postWrite(wrid, true)
        .completion(wrid, 10);
    session.telemetry().setStatus(MigrationStatus.FAILED);
    var metrics = new Metrics();
    for (int i = 0; i < 2000; i++) {
      metrics.set(Metric.RAM_TRANSFERRED, i * 1_000_000L);
      metrics.set(Metric.REGISTRATIONS_ALIVE, i);
      session.telemetry().history().add(session.telemetry().startNanos() + 1 + i * 20L, metrics);
    }
    return session;
  }

  @Test
  void sharedQueue_isOneTile_withWhatWasDropped() throws Exception {
    FakeSession separate = Exported.session(Role.SOURCE, "one", List.of("pc.ram"));
    assertThat(Exported.html(directory, Exported.ends(separate)))
        .contains("send queue", "receive queue")
        .doesNotContain("shared completion queue", "dropped completions");
    FakeSession shared = Exported.session(Role.SOURCE, "two", List.of("pc.ram"));
    shared.telemetry().metrics().set(Metric.COMPLETION_QUEUE_SHARED, 1);
    shared.telemetry().metrics().set(Metric.RECEIVES_POSTED, 3);
    shared.telemetry().metrics().set(Metric.COMPLETIONS_DROPPED, 2);
    assertThat(Exported.html(directory, Exported.ends(shared)))
        .contains(
            "<span>shared completion queue</span><b>0 of 3</b>",
            "<span>dropped completions, source</span><b>2</b>",
            "shared by sends and receives, dropped 2")
        .doesNotContain("<span>send queue</span>");
  }

  @Test
  void whatTheDeviceCounted_isASection_onlyIfItCounts() throws Exception {
    FakeSession software = Exported.session(Role.SOURCE, "one", List.of("pc.ram"));
    assertThat(Exported.html(directory, Exported.ends(software)))
        .doesNotContain("The device counted");
    FakeSession rdma = Exported.session(Role.SOURCE, "two", List.of("pc.ram"));
    new Script(rdma.telemetry())
        .at(2_000_000_000)
        .counted(new DeviceCounter("rxe0", 1, "completer_retry_err"), 12, false)
        .counted(new DeviceCounter("rxe0", 1, "of_tomorrow"), 1, false);
    Document page = parse(Exported.html(directory, Exported.ends(rdma)));
    assertThat(page.getDocumentElement().getTextContent())
        .contains(
            "The device counted",
            CountedByDevice.WHOSE,
            "completer_retry_errrxe0 port 1source12+2.000000 s+2.000000 sThis end sent",
            "of_tomorrowrxe0 port 1source1+2.000001 s+2.000001 snot known",
            "retransmissions counted");
  }

  @Test
  void foreignTexts_areOnlyText() throws Exception {
    for (String name : Exported.HOSTILE) {
      Document page =
          parse(
              Exported.html(
                  directory,
                  Exported.ends(session(Role.SOURCE, name), session(Role.DESTINATION, name))));
      for (Element element : elements(page)) {
        assertThat(ELEMENTS).contains(element.getTagName());
        for (int i = 0; i < element.getAttributes().getLength(); i++) {
          assertThat(element.getAttributes().item(i).getNodeName())
              .doesNotStartWith("on")
              .isNotIn("src", "href", "xlink:href", "srcset", "action", "data");
        }
      }
      String shown = name.replaceAll("[\0-\\x08\\r\\ud800\\ufffe]", "\ufffd");
      assertThat(page.getElementsByTagName("main").item(0).getTextContent()).contains(shown);
    }
  }

  @Test
  void nothingIsFetched() throws Exception {
    String html = Exported.html(directory, Exported.ends(session(Role.SOURCE, "made")));
    Document page = parse(html);
    assertThat(page.getElementsByTagName("style").item(0).getTextContent())
        .doesNotContain("url(", "@import", "@font-face");
    assertThat(html).doesNotContain("http:", "https:", "//");
    assertThat(html).contains("default-src &#39;none&#39;".replace("&#39;", "'"));
  }

  @Test
  void steps_areNumbered_andTheDecisiveOneIsMarked() throws Exception {
    Document page =
        parse(Exported.html(directory, Exported.ends(session(Role.DESTINATION, "made"))));
    assertThat(of(page, "li", "key-step"))
        .singleElement()
        .extracting(Element::getTextContent)
        .asString()
        .contains("drops the completion");
    assertThat(of(page, "p", "headline"))
        .singleElement()
        .extracting(Element::getTextContent)
        .asString()
        .isEqualTo("The destination waits for a completion that it dropped itself.");
    assertThat(of(page, "p", "outcome"))
        .singleElement()
        .extracting(Element::getTextContent)
        .asString()
        .endsWith("made");
    assertThat(page.getDocumentElement().getTextContent()).contains("dropped itself");
    assertThat(of(page, "article", "error")).isNotEmpty();
    assertThat(of(page, "header", "bad")).hasSize(1);
  }

  @Test
  void reportOfManySamplesChunksAndMessages_isSmall() throws Exception {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of());
    var tables = new ArrayList<ChunkTable>();
    for (int i = 0; i < 100; i++) {
      tables.add(new ChunkTable(i, "block " + i, 100_000 * ChunkTable.CHUNK_SIZE, 0));
    }
    session.telemetry().setBlocks(tables);
    var script = new Script(session.telemetry());
    for (int i = 0; i < 5_000; i++) {
      script.send(ControlType.HEARTBEAT, 0).sent();
    }
    var random = new SplittableRandom(1);
    var metrics = new Metrics();
    for (int i = 0; i < 8_000; i++) {
      for (Metric metric : Metric.values()) {
        metrics.set(metric, random.nextLong(1L << 40));
      }
      session.telemetry().history().add(session.telemetry().startNanos() + i * 1000L, metrics);
    }
    String html = Exported.html(directory, Exported.ends(session));
    assertThat(html.length()).isLessThan(3 << 20);
    Document page = parse(html);
    assertThat(of(page, "tr", "gap"))
        .singleElement()
        .extracting(Element::getTextContent)
        .asString()
        .startsWith("4,920 messages are omitted here");
    assertThat(of(page, "td", "rung")).hasSize(80);
    assertThat(of(page, "path", "line"))
        .isNotEmpty()
        .allSatisfy(
            line -> assertThat(line.getAttribute("d").split("[MLVH]").length).isLessThan(600));
  }

  @Test
  void sessionWithoutEvents_hasAReport() throws Exception {
    FakeSession session = Exported.session(Role.SOURCE, "made", List.of());
    Document page = parse(Exported.html(directory, Exported.ends(session)));
    assertThat(of(page, "header", "going")).hasSize(1);
    assertThat(page.getDocumentElement().getTextContent()).contains("No samples were taken.");
  }

  @Test
  void styleSheetWithEscapedCharacters_isRefused() throws IOException {
    var html = new Html(new StringWriter());
    assertThatIllegalArgumentException().isThrownBy(() -> html.style("a > b {}"));
    assertThatIllegalArgumentException().isThrownBy(() -> html.empty("div"));
  }
}
