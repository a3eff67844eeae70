// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.AddressRange;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.FakeSession;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.LabSettings;
import org.wridscope.control.MigrationSettings;
import org.wridscope.control.VirtioSettings;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.guest.GuestException;
import org.wridscope.guest.virtio.VirtioFault;
import org.wridscope.guest.virtio.VirtioLoad;
import org.wridscope.guest.virtio.VirtioPolicy;
import org.wridscope.guest.virtio.VirtioVariant;
import org.wridscope.settings.CompletionQueues;
import org.wridscope.settings.MigrationSetting;
import org.wridscope.telemetry.Metric;
import org.wridscope.telemetry.MigrationStatus;
import org.wridscope.telemetry.SessionOutcome;
import org.wridscope.telemetry.SessionOutcome.Origin;

final class LabCommandTest {
  private static final int PAGE = 4096;

  @TempDir Path directory;

  @Test
  void lab_withoutOptions_migratesTheFirstGuest() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab");
    assertThat(run.status()).isZero();
    assertThat(run.manager().labs())
        .containsExactly(
            new LabSettings(
                new MigrationSettings(new GuestSettings.Synthetic(2L << 30, 200L << 20, 0, 0.4, 1))
                    .with(MigrationSetting.TIMEOUT, Duration.ofSeconds(60))));
    assertThat(run.manager().closed()).isTrue();
  }

  @Test
  void lab_withAllOptions_passesThemOn() {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            "lab",
            "--ram=16MiB",
            "--dirty-rate=1MiB/s",
            "--working-set=1MiB",
            "--zero=25%",
            "--pin-all",
            "--bandwidth=8Gbit/s",
            "--downtime-limit=1.5s",
            "--seed=0x2a",
            "--balloon=3MiB",
            "--timeout=2min");
    assertThat(run.status()).isZero();
    assertThat(run.manager().labs())
        .containsExactly(
            new LabSettings(
                new MigrationSettings(
                        new GuestSettings.Synthetic(
                            16L << 20,
                            1L << 20,
                            1L << 20,
                            0.25,
                            42,
                            VirtioSettings.usual(1L << 20, VirtioFault.NONE),
                            3L << 20))
                    .with(MigrationSetting.PIN_ALL, true)
                    .with(MigrationSetting.BANDWIDTH, 1_000_000_000L)
                    .with(MigrationSetting.DOWNTIME_LIMIT, Duration.ofMillis(1500))
                    .with(MigrationSetting.TIMEOUT, Duration.ofMinutes(2))));
  }

  @Test
  void lab_unregister_isPassedOn_andNotTogetherWithPinAll() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=16MiB", "--unregister");
    assertThat(run.status()).isZero();
    assertThat(run.manager().labs().getFirst().migration().get(MigrationSetting.UNREGISTER))
        .isTrue();
    CommandRun both = CommandRun.of(CommandRun.SUCCESS, "lab", "--unregister", "--pin-all");
    assertThat(both.status()).isEqualTo(2);
    assertThat(both.err())
        .contains(
            "--unregister: leave it out with --pin-all, which keeps all RAM registered until"
                + " the end.");
    assertThat(both.manager().labs()).isEmpty();
  }

  @Test
  void refusePinAll_isPassedOn_byALab() {
    CommandRun lab =
        CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=16MiB", "--pin-all", "--refuse-pin-all");
    assertThat(lab.status()).isZero();
    assertThat(lab.manager().labs().getFirst().get(MigrationSetting.REFUSE_PIN_ALL)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusePinAll_isPassedOn_byADestination(boolean refuse) {
    CommandRun destination =
        CommandRun.ofOne(
            session -> session.endVerified("The guest runs here."),
            "destination",
            "rdma:127.0.0.1:0",
            refuse ? "--refuse-pin-all" : "--timeout=0");
    assertThat(destination.manager().started())
        .singleElement()
        .isInstanceOfSatisfying(
            DestinationSettings.class,
            settings ->
                assertThat(settings.get(MigrationSetting.REFUSE_PIN_ALL)).isEqualTo(refuse));
  }

  @Test
  void allow_isPassedOn_byADestination_andWhatIsNoRangeIsRefused() {
    CommandRun destination =
        CommandRun.ofOne(
            session -> session.endVerified("The guest runs here."),
            "destination",
            "rdma:4444",
            "--allow=10.9.0.0/24",
            "--allow",
            "::1");
    assertThat(destination.manager().started())
        .singleElement()
        .isInstanceOfSatisfying(
            DestinationSettings.class,
            settings -> {
              assertThat(settings.uri()).isEqualTo("rdma:127.0.0.1:4444");
              assertThat(settings.allowed())
                  .containsExactly(
                      AddressRange.parse("", "10.9.0.0/24"), AddressRange.parse("", "::1"));
            });
    CommandRun mistaken =
        CommandRun.of(CommandRun.SUCCESS, "destination", "rdma:4444", "--allow=10.9.0.1/24");
    assertThat(mistaken.status()).isEqualTo(2);
    assertThat(mistaken.err())
        .contains("--allow: \"10.9.0.1/24\" is not the first address of its range");
  }

  @ParameterizedTest
  @EnumSource
  void lab_cq_isPassedOn(CompletionQueues queues) {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            "lab",
            "--ram=16MiB",
            "--cq",
            queues.name().toLowerCase(Locale.ROOT));
    assertThat(run.status()).isZero();
    assertThat(run.manager().labs().getFirst().get(MigrationSetting.COMPLETION_QUEUES))
        .isEqualTo(queues);
  }

  @Test
  void lab_cqOfAnotherValue_isRefused() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--cq=both");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--cq: \"both\" is not valid; write shared or split.");
  }

  @Test
  void lab_image_migratesTheFile() throws IOException {
    Path image = file("image", 2 * PAGE);
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS, "lab", "--image", image.toString(), "--out", path("copy"));
    assertThat(run.err()).doesNotContain("wridscope:");
    assertThat(run.status()).isZero();
    assertThat(run.manager().labs().getFirst().guest())
        .isEqualTo(
            new GuestSettings.Image(
                image, Output.of("--out", directory.resolve("copy"), FileKind.RAM), 2 * PAGE));
  }

  @Test
  void summary_verified_saysWhatPeopleAskFor() {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=8MiB");
    assertThat(run.out())
        .startsWith(
            "completed; verified: every RAM block is equal\nThe guest runs at the destination.\n")
        .contains("total time     1.2 s, including set-up 13 ms")
        .contains("downtime       38 ms (last pages 37 ms)")
        .contains("throughput     9.80 GiB/s; 84,211 Mbit/s on the wire")
        .contains("1,200 normal, 848 duplicate (zero); rounds: 3")
        .contains("send queue 1,230 of 1,234, receive queue 40, failed 4")
        .contains("8 at the peak, 9 in total, 8.00 MiB; round trips: 8")
        .contains("pc.ram 0123456789abcdef... at both ends")
        .doesNotContain("not confirmed", "\u001b");
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void exitCode_completedButNotVerified_is3AndSaysWhy() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.end(MigrationStatus.COMPLETED, "The guest was migrated.");
              destination.end(MigrationStatus.COMPLETED, "The guest was migrated.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out())
        .startsWith("not sound: The guest was migrated.\n")
        .containsOnlyOnce("not confirmed  The destination's digests are not known.");
  }

  @Test
  void exitCode_aVirtioRequestWasLost_is3AndSaysWhich() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              destination.setVirtioFinding("virtio-blk requestq: request 17 is done twice.");
              source.endVerified("The guest was migrated.");
              destination.endVerified("The guest was migrated.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out())
        .startsWith(
            "not sound: virtio-blk requestq: request 17 is done twice. No driver has noticed this"
                + " so far. The guest was migrated.\n")
        .contains("  virtio         source: 345 requests completed, each once; 6 in flight\n")
        .contains("destination, predicted: virtio-blk requestq: request 17 is done twice.\n")
        .contains("                 destination, noticed by a driver: nothing so far\n");
  }

  @Test
  void lab_virtioOptions_arePassedOn() {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS, "lab", "--ram=8MiB", "--virtio-fault=used-index-not-restored");
    assertThat(run.err()).contains("a fault: a device that is made again begins at used index 0");
    assertThat(virtio(run))
        .isEqualTo(new VirtioSettings(1000, VirtioFault.USED_INDEX_NOT_RESTORED));
    run =
        CommandRun.of(
            CommandRun.SUCCESS,
            "lab",
            "--ram=8MiB",
            "--virtio-policy=used-index-as-base",
            "--virtio-map-change-every=9");
    assertThat(run.err()).contains("when its virtio devices are stopped, the device's used index");
    assertThat(virtio(run))
        .isEqualTo(
            new VirtioSettings(
                new VirtioLoad(1000, 9, 0),
                new VirtioVariant(VirtioFault.NONE, VirtioPolicy.USED_INDEX_AS_BASE)));
    run =
        CommandRun.of(
            CommandRun.SUCCESS, "lab", "--virtio-requests=0", "--virtio-policy=used-index-as-base");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--virtio-policy: a policy has no effect without requests");
    run = CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=8MiB", "--virtio-requests=7");
    assertThat(virtio(run)).isEqualTo(new VirtioSettings(7, VirtioFault.NONE));
    run = CommandRun.of(CommandRun.SUCCESS, "lab", "--ram=8MiB", "--dirty-rate=0");
    assertThat(virtio(run)).isEqualTo(new VirtioSettings(0, VirtioFault.NONE));
    run =
        CommandRun.of(
            CommandRun.SUCCESS, "lab", "--virtio-requests=0", "--virtio-fault=in-flight-forgotten");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("--virtio-fault: a fault has no effect without requests");
  }

  private static VirtioSettings virtio(CommandRun run) {
    return ((GuestSettings.Synthetic) run.manager().labs().getFirst().guest()).virtio();
  }

  @Test
  void exitCode_destinationFailedAfterwards_is3() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.endVerified("The guest was migrated.");
              destination.end(MigrationStatus.FAILED, "Its disk is full.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("destination failed: Its disk is full.\n");
  }

  @Test
  void exitCode_digestsDiffer_is3AndShowsThem() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.setDestinationDigest("fedcba98");
              source.end(MigrationStatus.COMPLETED, "The guest was migrated.");
              destination.end(MigrationStatus.COMPLETED, "The guest was migrated.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("pc.ram 0123456789abcdef..., but at the destination fedcba98\n");
  }

  @Test
  void exitCode_failed_is1AndSaysWhyAtBothEnds() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.telemetry().metrics().set(Metric.SENDS_POSTED, 1);
              source.end(MigrationStatus.FAILED, "The destination closed the connection.");
              destination.end(MigrationStatus.FAILED, "Its disk is full.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("failed: The destination closed the connection.\n")
        .contains("destination failed: Its disk is full.\n");
  }

  @Test
  void failed_sourceThatOnlyLostItsPeer_saysWhatThePeerSays() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.end(
                  MigrationStatus.FAILED,
                  new SessionOutcome(
                      "The connection was lost; see what the other side reports.",
                      "The guest keeps running at the source.",
                      Origin.UNKNOWN));
              destination.end(
                  MigrationStatus.FAILED,
                  new SessionOutcome(
                      "The disk is full.", "The guest was not started here.", Origin.HERE));
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.out())
        .startsWith(
            "failed: The destination says: The disk is full. The guest keeps running at the"
                + " source.\n");
  }

  @ParameterizedTest
  @CsvSource({"HERE, 1", "LIMIT, 4", "UNKNOWN, 1", "PEER, 1"})
  void exitCode_afterALimitOfTimeOrRounds_is4(Origin origin, int status) {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.end(
                  MigrationStatus.FAILED,
                  new SessionOutcome("It did not converge.", "The guest keeps running.", origin));
              destination.end(MigrationStatus.FAILED, "The source gave up.");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(status);
  }

  @Test
  void exitCode_cannotBegin_is1WithOneSentence() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              throw new IOException("The system refused 8 MiB of memory.");
            },
            "lab",
            "--ram=8MiB",
            "--report",
            path("report.json"));
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err().lines())
        .last()
        .isEqualTo("wridscope: The system refused 8 MiB of memory.");
    assertThat(directory).isEmptyDirectory();
    assertThat(run.manager().closed()).isTrue();
  }

  @Test
  void exitCode_programmingError_is70WithItsStackTrace() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              throw new IllegalStateException("two and two are five");
            },
            "lab",
            "--ram=8MiB");
    assertThat(run.status()).isEqualTo(70);
    assertThat(run.err()).contains("IllegalStateException: two and two are five", "\tat ");
  }

  @Test
  void report_written_hasQueryMigratesNames() throws IOException {
    Path report = directory.resolve("report.json");
    Files.createFile(report);
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--report", report.toString());
    assertThat(run.status()).isZero();
    JsonObject json = JsonParser.parseString(Files.readString(report)).getAsJsonObject();
    assertThat(json.get("status").getAsString()).isEqualTo("completed");
    assertThat(json.get("verified").getAsBoolean()).isTrue();
    assertThat(files()).containsExactly(report);
  }

  @Test
  void report_failedMigration_isWrittenToo() throws IOException {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              source.end(MigrationStatus.FAILED, "The connection broke.");
              destination.end(MigrationStatus.FAILED, "The connection broke.");
            },
            "lab",
            "--report",
            path("report.json"));
    assertThat(run.status()).isEqualTo(1);
    JsonObject json =
        JsonParser.parseString(Files.readString(directory.resolve("report.json")))
            .getAsJsonObject();
    assertThat(json.get("status").getAsString()).isEqualTo("failed");
    assertThat(json.get("error-desc").getAsString()).isEqualTo("The connection broke.");
  }

  /** The result, which says where the guest is, comes first. */
  @ParameterizedTest
  @CsvSource({"COMPLETED, 0, completed; verified", "FAILED, 1, failed: "})
  void report_cannotBeWritten_theMigrationsResultAndStatusStay(
      MigrationStatus end, int status, String says) throws IOException {
    Path folder = Files.createDirectory(directory.resolve("gone"));
    Path kept = directory.resolve("kept.json");
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                  Files.delete(file);
                }
              }
              Files.delete(folder);
              for (FakeSession session : List.of(source, destination)) {
                if (end == MigrationStatus.COMPLETED) {
                  session.endVerified("So it ended.");
                } else {
                  session.end(end, "So it ended.");
                }
              }
            },
            "lab",
            "--report=" + folder.resolve("report.json"),
            "--export=" + folder.resolve("migration.html"),
            "--export=" + kept);
    assertThat(run.status()).isEqualTo(status);
    assertThat(run.out()).startsWith(says);
    assertThat(run.err())
        .containsOnlyOnce("wridscope: The report could not be written to ")
        .contains("report.json (no such file or directory); the migration itself is not affected.")
        .contains("migration.html could not be written (no such file or directory).")
        .contains("exported the ");
    assertThat(kept).isNotEmptyFile();
  }

  @Test
  void report_throughALink_replacesWhatItPointsTo() throws IOException {
    Path target = Files.createFile(directory.resolve("target.json"));
    Path link = Files.createSymbolicLink(directory.resolve("link.json"), target);
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--report", link.toString());
    assertThat(run.status()).isZero();
    assertThat(link).isSymbolicLink();
    assertThat(Files.readString(target)).startsWith("{");
  }

  @Test
  void report_aDevice_isWrittenAndStays() throws IOException {
    CommandRun run = CommandRun.of(CommandRun.SUCCESS, "lab", "--report", "/dev/null");
    assertThat(run.status()).isZero();
    assertThat(Files.isRegularFile(Path.of("/dev/null"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --ram=lots            | --ram: "lots" is not a size
          --ram=0               | --ram: "0" is not a positive multiple of the page size
          --ram=4097B           | --ram: "4097B" is not a positive multiple of the page size
          --ram=-1GiB           | --ram: "-1GiB" is not a size
          --ram=9999999TiB      | "9999999TiB" is too large
          --ram=33GiB           | --ram: 33GiB is needed twice, for the source and the destination, but only 64.0 GiB is free; choose less.
          --ram=8192            | --ram: "8192" is not a size; write a number and a unit
          --bandwidth=60        | --bandwidth: "60" is not a rate; write a number and a unit
          --dirty-rate=200      | --dirty-rate: "200" is not a rate; write a number and a unit
          --dirty-rate=fast     | --dirty-rate: "fast" is not a rate
          --working-set=3GiB    | --working-set: 3GiB is more than the guest's RAM, 2GiB.
          --working-set=1000B   | --working-set: "1000B" is not a positive multiple
          --zero=101%           | --zero: "101%" is not a share
          --seed=often          | --seed: "often" is not a whole number
          --bandwidth=1GiB/h    | --bandwidth: "1GiB/h" is not a rate
          --downtime-limit=300  | --downtime-limit: "300" is not a length of time
          --downtime-limit=0    | --downtime-limit: 0 is out of range
          --downtime-limit=1h   | --downtime-limit: 1h is out of range
          --timeout=soon        | --timeout: "soon" is not a length of time
          --out=copy            | --out: give --image, too
          --image=missing       | --image: give --out FILE, too
          --rom=2GiB            | Unknown option: '--rom=2GiB'
          --ram                 | Missing required parameter for option '--ram'
          --report=/nowhere/r   | --report: the directory /nowhere does not exist; create it first.
          --report=/            | --report: / is a directory
          --report=/proc/report | --report: /proc/report cannot be written
          """)
  void badInput_isOneSentenceAndExitCode2(String option, String sentence) {
    assertRefused(sentence, option);
  }

  @Test
  void badInput_image_isOneSentenceAndExitCode2() throws IOException {
    String image = file("image", PAGE).toString();
    String copy = path("copy");
    assertRefused("--image: %s does not exist.".formatted(path("x")), image(path("x"), copy));
    assertRefused(
        "--image: %s is not a regular file.".formatted(directory),
        image(directory.toString(), copy));
    String empty = file("empty", 0).toString();
    assertRefused("--image: %s is empty".formatted(empty), image(empty, copy));
    String odd = file("odd", PAGE + 1).toString();
    assertRefused(
        "--image: the length of %s, 4097 bytes, is not a multiple of the page size, 4096 bytes."
            .formatted(odd),
        image(odd, copy));
    assertRefused("--out: %s is the image itself".formatted(image), image(image, image));
    Files.createSymbolicLink(directory.resolve("link"), Path.of(image));
    assertRefused("is the image itself", image(image, path("link")));
    assertRefused("--report: %s is the copy itself".formatted(copy), image(image, copy, copy));
    assertRefused("--report: %s is the image itself".formatted(image), image(image, copy, image));
    assertThat(Path.of(image)).hasSize(PAGE);
    assertThat(Path.of(copy)).doesNotExist();
  }

  @Test
  void badInput_guestThatCannotBeMade_isOneSentenceAndExitCode2() {
    CommandRun run =
        CommandRun.of(
            (settings, source, destination) -> {
              throw new GuestException("image copy: it needs 8192 bytes; make room");
            },
            "lab");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err().lines())
        .last()
        .isEqualTo("wridscope: image copy: it needs 8192 bytes; make room");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ram=8MiB",
        "--dirty-rate=1MiB/s",
        "--working-set=4KiB",
        "--zero=10%",
        "--seed=2"
      })
  void badInput_optionOfTheSyntheticGuestWithImage_isRefused(String option) throws IOException {
    String image = file("image", PAGE).toString();
    String name = option.substring(0, option.indexOf('='));
    assertRefused(
        name + ": leave it out with --image", "--image", image, "--out", path("copy"), option);
  }

  private static void assertRefused(String sentence, String... options) {
    CommandRun run =
        CommandRun.of(
            CommandRun.SUCCESS,
            Stream.concat(Stream.of("lab"), Stream.of(options)).toArray(String[]::new));
    assertThat(run.err()).contains(sentence).startsWith("wridscope: ").doesNotContain("\tat ");
    assertThat(run.err().lines().filter(line -> !line.startsWith("Try "))).hasSize(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.manager().labs()).isEmpty();
  }

  private static String[] image(String image, String out) {
    return new String[] {"--image", image, "--out", out};
  }

  private static String[] image(String image, String out, String report) {
    return new String[] {"--image", image, "--out", out, "--report", report};
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }

  private Path file(String name, int length) throws IOException {
    return Files.write(directory.resolve(name), new byte[length]);
  }

  private Stream<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList().stream();
    }
  }
}
