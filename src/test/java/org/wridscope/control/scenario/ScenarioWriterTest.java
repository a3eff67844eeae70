// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.ReleaseTime;
import org.wridscope.verbs.AsyncEventType;
import org.wridscope.verbs.soft.Fault;

final class ScenarioWriterTest {
  private static Scenario again(Scenario scenario) throws ScenarioException {
    return ScenarioReader.read(scenario.name(), "file.json", ScenarioWriter.write(scenario));
  }

  private static Scenario read(String members) throws ScenarioException {
    return ScenarioReader.read(
        "name", "file.json", ("{'title': 'T', 'about': 'A.'" + members + "}").replace('\'', '"'));
  }

  static Stream<Scenario> scenarios() {
    return Stream.concat(
        Scenarios.shipped().stream(),
        LongStream.rangeClosed(1, 300).mapToObj(seed -> Exploration.of("explored", seed)));
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void what_isWritten_isReadAgain(Scenario scenario) throws Exception {
    assertThat(again(scenario)).isEqualTo(scenario);
    Scenario other =
        scenario
            .with(CompletionQueues.SHARED)
            .with(ReleaseTime.ON_REPLY)
            .withSeed(Long.MIN_VALUE)
            .with(
                new Schedule(-9, new TreeMap<>(Map.of(0L, 0, 3L, 7, 4L, ~2, 1L << 40, 1_000_000))));
    assertThat(again(other)).isEqualTo(other);
  }

  @Test
  void defaults_areLeftOut() throws Exception {
    assertThat(ScenarioWriter.write(read("")))
        .isEqualTo("{\n  \"title\": \"T\",\n  \"about\": \"A.\"\n}\n");
  }

  @Test
  void layout_hasALineForEachFaultAndChoice() throws Exception {
    assertThat(
            ScenarioWriter.write(
                read(
                    ", 'guest': {'ram': '1MiB', 'zero': '12.5%'}, 'order': 0, 'choices': [{'at': 4,"
                        + " 'take': 1}, {'at': 9, 'take': 2, 'does': 'goes on'}], 'source':"
                        + " {'link': '1GiB/s', 'faults': [{'fault': 'cut', 'every': 1}, {'fault':"
                        + " 'delay', 'time': '1.5us'}]}")))
        .isEqualTo(
            """
            {
              "title": "T",
              "about": "A.",
              "guest": {"ram": "1MiB", "zero": "12.5%"},
              "source": {"link": "1GiB/s", "faults": [
                {"fault": "cut", "every": 1},
                {"fault": "delay", "time": "1500ns"}
              ]},
              "choices": [
                {"at": 4, "take": 1},
                {"at": 9, "take": 2}
              ]
            }
            """);
  }

  @Test
  void whatAChoiceDoes_isWritten_forReaders() throws Exception {
    Scenario scenario = read(", 'choices': [{'at': 4, 'take': 1}, {'at': 9, 'take': -1}]");
    String written = ScenarioWriter.write(scenario, Map.of(9L, "the source goes on"));
    assertThat(written)
        .contains(
            """
              "choices": [
                {"at": 4, "take": 1},
                {"at": 9, "take": -1, "does": "the source goes on"}
              ]
            """);
    assertThat(ScenarioReader.read("name", "file.json", written)).isEqualTo(scenario);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", 'guest': {'zero': 1e-9}",
        ", 'guest': {'zero': '0.00000000000000012%', 'ram-at-destination': '4KiB'}",
        ", 'guest': {'dirty-rate': '0', 'virtio-requests': 5, 'virtio-reset-every': 0}",
        ", 'guest': {'virtio-fault': 'query-fails', 'virtio-policy': 'used-index-as-base'}",
        ", 'migration': {'round-limit': 3}",
        ", 'migration': {'downtime-limit': '1.0000001s', 'release': ['on-reply', 'on-completion']}",
        ", 'source': {'faults': {'fault': 'cut', 'count': 3, 'only-run': 0, 'from-run': true}}",
        ", 'source': {'faults': {'fault': 'retransmit', 'time': 0, 'until-sends': 2, 'every': 3}}",
        ", 'source': {'faults': {'fault': 'fatal', 'events': 2, 'time': '5s', 'share': 0}}",
        ", 'source': {'faults': {'fault': 'receiver-not-ready', 'times': 3, 'share': '100%'}}",
        ", 'destination': {'faults': {'fault': 'event', 'event': 'port-err'}, 'max-cqe': 9}",
        ", 'expect': {'status': 'completed', 'may-hang': false}, 'expect-shared': {'status':"
            + " 'failed', 'may-hang': true}",
        ", 'expect': [{'status': []}, {'status': 'undecided', 'queue-pair': 3}]",
        ", 'title': 'A \\u2028 < & \\u0022 line'",
      })
  void whatever_canBeRead_canBeWritten(String members) throws Exception {
    Scenario scenario = read(members);
    assertThat(again(scenario)).isEqualTo(scenario);
  }

  @ParameterizedTest
  @MethodSource("unwritable")
  void what_noFileSays_isRefused(FaultRule rule) throws Exception {
    Scenario plain = read("");
    var script = new FaultScript(List.of(rule), 0, DeviceLimits.NONE);
    var scenario =
        new Scenario(
            plain.name(),
            plain.title(),
            plain.about(),
            plain.group(),
            plain.look(),
            plain.lab(),
            plain.destinationGuest(),
            plain.releases(),
            plain.runs(),
            plain.seed(),
            script,
            plain.destination(),
            plain.expected(),
            plain.expectedShared(),
            plain.schedule());
    assertThatIllegalArgumentException().isThrownBy(() -> ScenarioWriter.write(scenario));
  }

  static Stream<FaultRule> unwritable() {
    return Stream.of(
        FaultRule.once(FaultRule.Kind.ANY, 0, Fault.PROCEED),
        FaultRule.once(FaultRule.Kind.ANY, 1L << 41, Fault.CUT),
        FaultRule.once(FaultRule.Kind.ANY, 0, new Fault.Fatal(1_001, 0)));
  }

  @Test
  void events_areWords() throws Exception {
    Scenario scenario = read(", 'source': {'faults': {'fault': 'event', 'event': 'port-err'}}");
    assertThat(scenario.source().rules().getFirst().fault())
        .isEqualTo(new Fault.Event(AsyncEventType.PORT_ERR));
    assertThat(ScenarioWriter.write(scenario)).contains("\"event\": \"port-err\"");
  }
}
