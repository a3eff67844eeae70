// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.verbs.WorkCompletionStatus;
import org.wridscope.verbs.soft.Fault;

final class ScenarioReaderTest {
  private static final String HEAD = "'title': 'T', 'about': 'A.', ";

  @TempDir private Path folder;

  private static Scenario read(String members) throws ScenarioException {
    return ScenarioReader.read("name", "file.json", ("{" + members + "}").replace('\'', '"'));
  }

  static Iterable<Scenario> shipped() {
    return Scenarios.shipped();
  }

  @ParameterizedTest
  @MethodSource("shipped")
  void shipped_sayWhatTheyAre(Scenario scenario) {
    assertThat(scenario.title()).isNotBlank().doesNotEndWith(".");
    assertThat(scenario.about()).endsWith(".").hasSizeLessThanOrEqualTo(280);
    assertThat(scenario.look()).endsWith(".").hasSizeLessThanOrEqualTo(280);
    assertThat(scenario.group()).isNotBlank();
    assertThat(scenario.name()).matches("[a-z]+(-[a-z]+)*");
  }

  @Test
  void shipped_areAllInTheIndex() throws Exception {
    Path folder = Path.of("src/main/resources/org/wridscope/scenarios");
    try (var files = Files.list(folder)) {
      assertThat(Scenarios.shipped())
          .extracting(scenario -> scenario.name() + ".json")
          .containsExactlyInAnyOrderElementsOf(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> name.endsWith(".json"))
                  .toList());
    }
  }

  @Test
  void everything_isRead() throws Exception {
    Scenario scenario =
        read(
            HEAD
                + "'guest': {'ram': '64MiB', 'ram-at-destination': '32MiB', 'dirty-rate': '1MiB/s',"
                + " 'working-set': '8MiB', 'zero': '10%', 'seed': -3, 'virtio-requests': 70,"
                + " 'virtio-map-change-every': 9, 'virtio-policy': 'used-index-as-base',"
                + " 'virtio-fault': 'in-flight-forgotten', 'balloon': '4MiB'}, 'migration':"
                + " {'pin-all': true, 'completion-queues': 'shared', 'bandwidth': '1GiB/s',"
                + " 'downtime-limit': '5ms', 'timeout': '9s'}, 'runs': 3, 'seed': 7, 'source':"
                + " {'link': '10MiB/s', 'memory-regions': 5, 'max-qp-wr': 8, 'max-cqe': 16,"
                + " 'faults': [{'fault': 'hold-completion', 'time': '1ms', 'until-receive': true,"
                + " 'of': 'send', 'every': 2},{'fault': 'complete-with', 'status':"
                + " 'rem-access-err', 'vendor-error': 9, 'of': 'write', 'from': 12, 'from-run':"
                + " true, 'only-run': 1}]}, 'destination': {'refuse-pin-all': true, 'faults':"
                + " {'fault': 'cut', 'share': '50%', 'count': 4}}, 'expect': [{'status': ['failed',"
                + " 'cancelled'], 'says': 'x', 'virtio': 'y', 'driver': 'z', 'sent-again': 'w',"
                + " 'queue-pair': 9}], 'expect-shared': {'status': 'failed', 'may-hang': true}");
    var variant =
        new VirtioVariant(VirtioFault.IN_FLIGHT_FORGOTTEN, VirtioPolicy.USED_INDEX_AS_BASE);
    assertThat(scenario.lab().guest())
        .isEqualTo(
            new GuestSettings.Synthetic(
                64 << 20,
                1 << 20,
                8 << 20,
                0.1,
                -3,
                new VirtioSettings(new VirtioLoad(70, 9, 0), variant),
                4 << 20));
    assertThat(scenario.destinationGuest())
        .isEqualTo(GuestSettings.Synthetic.incoming(32 << 20, variant));
    assertThat(scenario.lab().migration().get(MigrationSetting.PIN_ALL)).isTrue();
    assertThat(scenario.lab().get(MigrationSetting.REFUSE_PIN_ALL)).isTrue();
    assertThat(scenario.with(CompletionQueues.SPLIT).lab().get(MigrationSetting.REFUSE_PIN_ALL))
        .isTrue();
    assertThat(scenario.lab().get(MigrationSetting.COMPLETION_QUEUES))
        .isEqualTo(CompletionQueues.SHARED);
    assertThat(scenario.with(CompletionQueues.SPLIT).lab().get(MigrationSetting.COMPLETION_QUEUES))
        .isEqualTo(CompletionQueues.SPLIT);
    assertThat(scenario.lab().migration().get(MigrationSetting.DOWNTIME_LIMIT))
        .isEqualTo(Duration.ofMillis(5));
    assertThat(scenario.runs()).isEqualTo(3);
    assertThat(scenario.seed()).isEqualTo(7);
    assertThat(scenario.source().linkBytesPerSecond()).isEqualTo(10 << 20);
    assertThat(scenario.source().limits()).isEqualTo(new DeviceLimits(8, 16, 5));
    assertThat(scenario.source().rules())
        .containsExactly(
            new FaultRule(
                FaultRule.Kind.SEND,
                0,
                false,
                2,
                FaultRule.UNLIMITED,
                1,
                new Fault.HoldCompletion(1_000_000, true),
                -1),
            new FaultRule(
                FaultRule.Kind.WRITE,
                12,
                true,
                1,
                1,
                1,
                new Fault.Fail(WorkCompletionStatus.REM_ACCESS_ERR, 9),
                1));
    assertThat(scenario.destination().rules())
        .containsExactly(new FaultRule(FaultRule.Kind.ANY, 0, false, 1, 4, 0.5, Fault.CUT, -1));
    assertThat(scenario.expectation(5))
        .isEqualTo(
            new Expectation(
                Set.of(MigrationStatus.FAILED), "", "", "", "", 0, Expectation.Hang.ALLOWED));
    assertThat(scenario.with(CompletionQueues.SPLIT).expectation(5))
        .isEqualTo(
            new Expectation(
                Set.of(MigrationStatus.FAILED, MigrationStatus.CANCELLED),
                "x",
                "y",
                "z",
                "w",
                9,
                Expectation.Hang.BY_ORDER));
  }

  @Test
  void schedule_isRead() throws Exception {
    assertThat(read(HEAD + "'runs': 1").schedule()).isEqualTo(Schedule.of(Schedule.IN_TURN));
    assertThat(
            read(HEAD
                    + "'order': -4, 'choices': [{'at': 17, 'take': 2, 'does': 'goes on'},"
                    + " {'at': 0, 'take': -1}]")
                .schedule())
        .isEqualTo(new Schedule(-4, new TreeMap<>(Map.of(17L, 2, 0L, ~0))));
  }

  @Test
  void sharedQueue_withoutItsOwnExpectation_mayHang() throws Exception {
    Scenario scenario = read(HEAD + "'expect': {'status': 'cancelled', 'says': 'x'}");
    assertThat(scenario.expectation(0).hang()).isEqualTo(Expectation.Hang.BY_ORDER);
    assertThat(scenario.with(CompletionQueues.SHARED).expectation(0))
        .isEqualTo(
            new Expectation(
                Set.of(MigrationStatus.CANCELLED), "x", "", "", "", 0, Expectation.Hang.ALLOWED));
  }

  @Test
  void sharedQueue_inAnotherOrder_mayHang_unlessThatIsForbidden() throws Exception {
    Scenario scenario =
        read(HEAD + "'expect-shared': {'status': 'completed'}").with(CompletionQueues.SHARED);
    assertThat(scenario.expectation(0).hang()).isEqualTo(Expectation.Hang.BY_ORDER);
    Schedule choices = Schedule.inTurnExcept(new TreeMap<>(Map.of(3L, 1)));
    for (Schedule other : List.of(Schedule.of(1), choices)) {
      assertThat(scenario.with(other).expectation(0).hang()).isEqualTo(Expectation.Hang.ALLOWED);
      assertThat(scenario.with(other).with(CompletionQueues.SPLIT).expectation(0).hang())
          .isEqualTo(Expectation.Hang.BY_ORDER);
      assertThat(scenario.withoutHang().with(other).expectation(0).hang())
          .isEqualTo(Expectation.Hang.FORBIDDEN);
    }
    assertThat(
            read(HEAD + "'expect': {'status': 'completed', 'may-hang': false}")
                .with(CompletionQueues.SHARED)
                .expectation(0)
                .hang())
        .isEqualTo(Expectation.Hang.FORBIDDEN);
  }

  @ParameterizedTest
  @MethodSource("shipped")
  void shipped_sayWhatIsExpectedWithASharedQueue(Scenario scenario) {
    assertThat(scenario.expectedShared()).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'about': 'A.'|file.json: title is missing.",
        "'title': 'T', 'about': 'A.', 'guests': {}|file.json: guests is not a known member; known"
            + " members are about, choices, destination, expect, expect-shared, group, guest, look,"
            + " migration, order, runs, seed, source, title.",
        "'title': 'T', 'about': 'A.', 'guest': {'ram': 'much'}|file.json: guest.ram: \"much\" is"
            + " not",
        "'title': 'T', 'about': 'A.', 'guest': 3|file.json: guest must be an object, {...}.",
        "'title': 'T', 'about': 'A.', 'source': {'refuse-pin-all': true}"
            + "|file.json: source.refuse-pin-all is not a known member",
        "'title': 'T', 'about': 'A.', 'source': {'max-cqe': 0}|file.json: source.max-cqe: 0 is out",
        "'title': 'T', 'about': 'A.', 'runs': 0|file.json: runs: 0 is out of range",
        "'title': 'T', 'about': 'A.', 'source': {'faults': [{'fault': 'cut'}, {'fault':"
            + " 'bite'}]}|file.json: source.faults[1].fault: \"bite\" is not one of"
            + " hold-completion, retransmit,",
        "'title': 'T', 'about': 'A.', 'source': {'faults': {'fault': 'delay'}}"
            + "|file.json: source.faults.time is missing.",
        "'title': 'T', 'about': 'A.', 'source': {'faults': {'fault': 'fatal', 'time': '6s'}}"
            + "|file.json: source.faults.time: 6s is out of range; write 0s to 5s.",
        "'title': 'T', 'about': 'A.', 'source': {'faults': {'fault': 'cut', 'at': 3}}"
            + "|file.json: source.faults.at is not a known member",
        "'title': 'T', 'about': 'A.', 'source': {'faults': {'fault': 'complete-with', 'status':"
            + " 'success'}}|file.json: a failure cannot have the status SUCCESS",
        "'title': 'T', 'about': 'A.', 'expect': {'status': 'done'}"
            + "|file.json: expect.status: \"done\" is not one of completed, failed,",
        "'title': 'T', 'about': 'A.', 'migration': {'pin-all': 'yes'}"
            + "|file.json: migration.pin-all must be true or false.",
        "'title': 'T', 'about': 'A.', 'order': 1.5|file.json: order: \"1.5\" is not a whole"
            + " number.",
        "'title': 'T', 'about': 'A.', 'choices': [{'take': 1}]"
            + "|file.json: choices[0].at is missing.",
        "'title': 'T', 'about': 'A.', 'choices': [{'at': 1}]"
            + "|file.json: choices[0].take is missing.",
        "'title': 'T', 'about': 'A.', 'choices': [{'at': -1, 'take': 1}]"
            + "|file.json: choices[0].at: -1 is out of range; write 0 to",
        "'title': 'T', 'about': 'A.', 'choices': [{'at': 1, 'take': 1000001}]"
            + "|file.json: choices[0].take: 1000001 is out of range; write -1000000 to"
            + " 1000000.",
        "'title': 'T', 'about': 'A.', 'choices': [{'at': 1, 'take': 1, 'who': 'source'}]"
            + "|file.json: choices[0].who is not a known member; known members are at, does, take.",
        "'title': 'T', 'about': 'A.', 'choices': [{'at': 5, 'take': 1}, {'at': 5, 'take': 2}]"
            + "|file.json: choices[1].at: choice 5 is given twice.",
        "'title': |file.json: the file is not valid JSON",
      })
  void whatIsWrong_isToldWithItsPlace(String members, String sentence) {
    assertThatExceptionOfType(ScenarioException.class)
        .isThrownBy(() -> read(members))
        .withMessageStartingWith(sentence);
  }

  @Test
  void find_file_isReadUnderItsName() throws Exception {
    Path file =
        Files.writeString(folder.resolve("mine.json"), "{\"title\":\"T\",\"about\":\"A.\"}");
    assertThat(Scenarios.find(file.toString()).name()).isEqualTo("mine");
  }

  @Test
  void find_neither_saysHowToFindOne() {
    assertThatExceptionOfType(ScenarioException.class)
        .isThrownBy(() -> Scenarios.find(folder.resolve("absent").toString()))
        .withMessageContaining("lab list");
  }
}
