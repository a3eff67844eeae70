// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.protocol.HostileText;

/** Commands as they are sent, and answers of real QEMUs, of older ones, and of nobody. */
@Timeout(60)
final class QemuMonitorTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir private Path directory;

  /** What a test does with a monitor. */
  @FunctionalInterface
  private interface Use {
    void with(QemuMonitor monitor) throws Exception;
  }

  /** Answers commands in turn; returns the commands, each with its arguments. */
  private List<String> converse(List<String> answers, Use use) throws Exception {
    var commands = new LinkedBlockingQueue<String>();
    try (var server =
            ScriptedServer.unix(
                directory.resolve("qmp"),
                client -> {
                  client.greet();
                  for (String answer : answers) {
                    JsonObject command = client.command();
                    commands.add(
                        command.get("execute").getAsString() + " " + command.get("arguments"));
                    client.answer(command, answer);
                  }
                });
        Qmp qmp = Qmp.connect(server.address(), LIMIT)) {
      use.with(new QemuMonitor(qmp));
      server.awaitEnd();
    }
    return List.copyOf(commands);
  }

  @Test
  void steering_sendsWhatQemuExpects() throws Exception {
    List<String> commands =
        converse(
            List.of("{}", "{}", "{}", "{}", "{}", "{}", "{}", "{}"),
            monitor -> {
              monitor.stop();
              monitor.cont();
              monitor.migrate("unix:/x");
              monitor.migrateIncoming("tcp:127.0.0.1:4444");
              monitor.migrateContinue("pre-switchover");
              monitor.migrateCancel();
              monitor.setCapabilities(Map.of("events", true));
              monitor.quit();
            });
    assertThat(commands)
        .containsExactly(
            "stop {}",
            "cont {}",
            "migrate {\"uri\":\"unix:/x\"}",
            "migrate-incoming {\"uri\":\"tcp:127.0.0.1:4444\"}",
            "migrate-continue {\"state\":\"pre-switchover\"}",
            "migrate_cancel {}",
            "migrate-set-capabilities"
                + " {\"capabilities\":[{\"capability\":\"events\",\"state\":true}]}",
            "quit {}");
  }

  @Test
  void capabilitiesAndParameters_areRead_andSet() throws Exception {
    var parameters = new JsonObject();
    parameters.addProperty("max-bandwidth", 1L << 40);
    List<String> commands =
        converse(
            List.of(
                "[{\"state\": false, \"capability\": \"xbzrle\"}, {\"state\": true, \"capability\":"
                    + " \"events\"}]",
                "{\"max-bandwidth\": 134217728, \"downtime-limit\": 300}",
                "{}"),
            monitor -> {
              assertThat(monitor.capabilities())
                  .containsExactly(Map.entry("xbzrle", false), Map.entry("events", true));
              assertThat(monitor.parameters().get("downtime-limit").getAsInt()).isEqualTo(300);
              monitor.setParameters(parameters);
            });
    assertThat(commands)
        .last()
        .isEqualTo("migrate-set-parameters {\"max-bandwidth\":1099511627776}");
  }

  @Test
  void aMigration_thatRuns_ofQemu7() throws Exception {
    String answer =
        """
        {"expected-downtime": 300, "status": "active", "setup-time": 2, "total-time": 1100, "ram":
        {"total": 84746240, "postcopy-requests": 0, "dirty-sync-count": 3, "multifd-bytes": 0,
        "pages-per-second": 32710, "downtime-bytes": 0, "page-size": 4096, "remaining": 1069056,
        "postcopy-bytes": 0, "mbps": 1073.25, "transferred": 9007199254740993, "precopy-bytes": 5,
        "duplicate": 16000, "dirty-pages-rate": 12, "skipped": 0, "normal-bytes": 8388608,
        "normal": 2048}}
        """
            .replace('\n', ' ');
    converse(
        List.of(answer),
        monitor -> {
          MigrationInfo migration = monitor.migration();
          assertThat(migration)
              .isEqualTo(
                  new MigrationInfo(
                      "active",
                      Optional.of(Duration.ofMillis(1100)),
                      Optional.empty(),
                      Optional.of(Duration.ofMillis(300)),
                      Optional.of(Duration.ofMillis(2)),
                      Optional.of(
                          new MigrationInfo.Ram(
                              9007199254740993L,
                              1069056,
                              84746240,
                              1073.25,
                              12,
                              3,
                              4096,
                              16000,
                              2048)),
                      Optional.empty()));
          assertThat(migration.isInProgress()).isTrue();
        });
  }

  @Test
  void aQemuThatNeverMigrated_saysNothing() throws Exception {
    converse(
        List.of("{}"),
        monitor -> {
          MigrationInfo none = monitor.migration();
          assertThat(none.status()).isEqualTo("none");
          assertThat(none.ram()).isEmpty();
          assertThat(none.isInProgress()).isFalse();
        });
  }

  @Test
  void aMigrationThatFailed_saysWhy_safeToShow() throws Exception {
    var answer = new JsonObject();
    answer.addProperty("status", "failed");
    answer.addProperty("error-desc", HostileText.ALL);
    converse(
        List.of(answer.toString()),
        monitor -> {
          MigrationInfo failed = monitor.migration();
          assertThat(failed.isInProgress()).isFalse();
          assertThat(HostileText.unsafe(failed.errorDesc().orElseThrow(), false)).isEmpty();
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "5",
        "null",
        "{\"status\": 5}",
        "{\"status\": \"active\", \"total-time\": \"5\"}",
        "{\"status\": \"active\", \"total-time\": -1}",
        "{\"status\": \"active\", \"total-time\": 1e3000000000}",
        "{\"status\": \"active\", \"total-time\": 99999999999999999999}",
        "{\"status\": \"active\", \"ram\": []}",
        "{\"status\": \"active\", \"ram\": {\"mbps\": \"fast\"}}",
        "{\"status\": \"active\", \"ram\": {\"mbps\": 1e400}}",
        "{\"status\": \"active\", \"ram\": {\"remaining\": 1.5}}"
      })
  void aMigration_ofTheWrongForm_isRefused(String answer) throws Exception {
    converse(
        List.of(answer),
        monitor ->
            assertThatThrownBy(monitor::migration)
                .isInstanceOf(QmpException.class)
                .hasMessageStartingWith("QEMU's answer to query-migrate is not valid QMP: ")
                .extracting(e -> ((QmpException) e).kind())
                .isEqualTo(QmpException.Kind.INVALID));
  }

  @Test
  void memoryBackends_haveTypeAndFile() throws Exception {
    List<String> commands =
        converse(
            List.of(
                """
                [{"name": "type", "type": "string"}, {"name": "ram0", "type": "child<memory-backend-file>"}, {"name": "ram1", "type": "child<memory-backend-memfd>"}]
                """,
                """
                [{"id": "ram1", "size": 1048576, "share": true, "merge": true, "dump": true, "prealloc": false, "host-nodes": [], "policy": "default"}, {"size": 4096}, {"id": "ram0", "size": 67108864, "share": true}]
                """,
                "\"/dev/shm/vm ram\""),
            monitor ->
                assertThat(monitor.memoryBackends())
                    .containsExactly(
                        new MemoryBackend("ram1", "memory-backend-memfd", 1 << 20, true, null),
                        new MemoryBackend(
                            "ram0",
                            "memory-backend-file",
                            64 << 20,
                            true,
                            Path.of("/dev/shm/vm ram"))));
    assertThat(commands)
        .containsExactly(
            "qom-list {\"path\":\"/objects\"}",
            "query-memdev {}",
            "qom-get {\"path\":\"/objects/ram0\",\"property\":\"mem-path\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "\"a\\u0000b\"", "\"a\\u202eb\"", "{}"})
  void aFileOfRam_thatCannotBeShown_isRefused(String path) throws Exception {
    converse(
        List.of(
            "[{\"name\": \"m\", \"type\": \"child<memory-backend-file>\"}]",
            "[{\"id\": \"m\", \"size\": 4096}]",
            path),
        monitor ->
            assertThatThrownBy(monitor::memoryBackends)
                .isInstanceOf(QmpException.class)
                .hasMessageContaining("mem-path"));
  }

  @Test
  void disks_sayWhetherTheyAreDirect() throws Exception {
    String disks =
        """
        [{"device": "floppy0", "locked": false, "removable": true, "type": "unknown"},
        {"device": "", "qdev": "/machine/peripheral/d0", "inserted": {"file": "/vm/disk.qcow2",
        "ro": false, "drv": "qcow2", "cache": {"no-flush": false, "direct": true, "writeback":
        true}}},
        {"device": "cd", "inserted": {"file": "/vm/cd.iso", "ro": true}}]
        """
            .replace('\n', ' ');
    converse(
        List.of(disks),
        monitor ->
            assertThat(monitor.blockDevices())
                .containsExactly(
                    new BlockDevice("/machine/peripheral/d0", "/vm/disk.qcow2", false, true),
                    new BlockDevice("cd", "/vm/cd.iso", true, false)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aNodeBelowADisk_mayBeDirectAlone(boolean direct) throws Exception {
    converse(
        List.of(
            "[{\"node-name\": \"format\", \"cache\": {\"direct\": false}}, {\"node-name\": \"file\", \"cache\": {\"direct\": %s}}]"
                .formatted(direct)),
        monitor -> assertThat(monitor.usesDirectIo()).isEqualTo(direct));
  }

  @Test
  void theVersion_isComparable() throws Exception {
    converse(
        List.of(
            "{\"qemu\": {\"micro\": 22, \"minor\": 2, \"major\": 7}, \"package\": \"Debian"
                + " 1:7.2\"}"),
        monitor -> {
          QemuVersion version = monitor.version();
          assertThat(version).hasToString("7.2.22 (Debian 1:7.2)");
          assertThat(version.isAtLeast(7, 2)).isTrue();
          assertThat(version.isAtLeast(6, 9)).isTrue();
          assertThat(version.isAtLeast(7, 3)).isFalse();
          assertThat(version.isAtLeast(8, 0)).isFalse();
        });
  }

  @Test
  void theHumanMonitor_isLegible_lineByLine() throws Exception {
    var text = new JsonArray();
    text.add("block\r\npc.ram\u001b[2J\r\n");
    List<String> commands =
        converse(
            List.of(text.get(0).toString()),
            monitor ->
                assertThat(monitor.humanMonitor("info ramblock"))
                    .isEqualTo("block\npc.ram\\x1b[2J"));
    assertThat(commands)
        .containsExactly("human-monitor-command {\"command-line\":\"info ramblock\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "5", "{\"status\": \"running\", \"running\": \"yes\"}"})
  void aState_ofTheWrongForm_isRefused(String answer) throws Exception {
    converse(
        List.of(answer),
        monitor ->
            assertThatThrownBy(monitor::status)
                .isInstanceOf(QmpException.class)
                .hasMessageContaining("query-status"));
  }
}
