// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.control.DestinationSettings;
import org.wridscope.control.GuestSettings;
import org.wridscope.control.MigrationReport;
import org.wridscope.control.SourceSettings;
import org.wridscope.guest.qemu.DirtyLogChoice;
import org.wridscope.guest.qemu.Throttle;
import org.wridscope.qmp.QmpAddress;

/** The options of {@code source} and {@code destination} for guests of QEMUs. */
final class QemuCommandsTest {
  private static final QmpAddress SOCKET = QmpAddress.parse("/run/vm.qmp");

  @TempDir Path directory;

  private static CommandRun source(String... options) {
    return run("source", "rdma:h:4444", options);
  }

  private static CommandRun destination(String... options) {
    return run("destination", "rdma:127.0.0.1:0", options);
  }

  private static CommandRun run(String command, String uri, String... options) {
    return CommandRun.ofOne(
        session -> {
          session.setMachine(new MigrationReport.Machine("QEMU 4711", SOCKET.toString(), null));
          session.endUncompared("The guest runs.");
        },
        Stream.concat(Stream.of(command, uri), Stream.of(options)).toArray(String[]::new));
  }

  private static GuestSettings sent(CommandRun run) {
    assertThat(run.status()).as(run.err()).isZero();
    return run.manager().started().stream()
        .map(started ->
            started instanceof SourceSettings source
                ? source.migration().guest()
                : ((DestinationSettings) started).guest())
        .toList()
        .getFirst();
  }

  private static void requireRefused(CommandRun run, String sentence) {
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    assertThat(run.err()).isEqualTo("wridscope: " + sentence + "\n");
    assertThat(run.manager().started()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/run/vm.qmp", "unix:/run/vm.qmp"})
  void source_takesTheGuestOfAQemu(String address) {
    CommandRun run = source("--qemu=" + address);
    assertThat(sent(run))
        .isEqualTo(new GuestSettings.Lift(SOCKET, DirtyLogChoice.AUTO, Throttle.OFF));
    assertThat(run.err()).startsWith("the guest of the QEMU at unix:/run/vm.qmp\n");
    assertThat(run.out())
        .startsWith(
            "completed; not verified, because the destination was started without --verify\n")
        .contains("guest in       source: QEMU 4711 at unix:/run/vm.qmp");
  }

  @Test
  void source_takesATcpAddress() {
    assertThat(sent(source("--qemu=tcp:127.0.0.1:4445")))
        .isEqualTo(
            new GuestSettings.Lift(
                QmpAddress.parse("tcp:127.0.0.1:4445"), DirtyLogChoice.AUTO, Throttle.OFF));
  }

  @Test
  void source_passesOnDirtyLogAndThrottle() {
    CommandRun run = source("--qemu=/run/vm.qmp", "--dirty-log=soft-dirty", "--throttle=30%");
    assertThat(sent(run))
        .isEqualTo(new GuestSettings.Lift(SOCKET, DirtyLogChoice.SOFT_DIRTY, new Throttle(30)));
    assertThat(run.err())
        .startsWith(
            "the guest of the QEMU at unix:/run/vm.qmp, dirty log: soft-dirty, stopped for 30% of"
                + " the time\n");
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void destination_fillsAQemu(boolean verify) {
    CommandRun run = destination("--qemu=/run/vm.qmp", verify ? "--verify" : "--timeout=0");
    assertThat(sent(run)).isEqualTo(new GuestSettings.Land(SOCKET, verify));
    assertThat(run.err())
        .startsWith(
            "waits for a guest, which the QEMU at unix:/run/vm.qmp will run"
                + (verify ? "; its RAM is compared before it starts\n" : "\n"));
    assertThat(run.out()).startsWith("listening on rdma:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ram=1GiB",
        "--dirty-rate=1MiB/s",
        "--working-set=1MiB",
        "--zero=1%",
        "--seed=2",
        "--virtio-requests=3",
        "--virtio-fault=none",
        "--virtio-policy=whole-state",
        "--balloon=1MiB"
      })
  void source_refusesOptionsOfASyntheticGuest(String option) {
    requireRefused(
        source("--qemu=/run/vm.qmp", option),
        option.replaceFirst("=.*", "")
            + ": leave it out with --qemu; the guest is that of the QEMU.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--image", "--restore"})
  void source_refusesAnotherGuest(String option) throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[4096]);
    requireRefused(
        source("--qemu=/run/vm.qmp", option + "=" + file),
        "--qemu: leave it out, or leave out %s; give only one.".formatted(option));
  }

  @ParameterizedTest
  @CsvSource({"--dirty-log, compare", "--throttle, 10"})
  void source_refusesChoicesForAQemu_withoutOne(String option, String value) {
    requireRefused(
        source(option + "=" + value),
        option
            + ": it has an effect only with --qemu QMP-SOCKET; give that, too, or leave it out.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --dirty-log=kvm  | --dirty-log: "kvm" is not a dirty log; write auto, userfaultfd, soft-dirty, compare.
          --throttle=100   | --throttle: "100" is not a throttle; write off or 1% to 99%.
          --qemu=vm        | --qemu: "vm" is not the address of a QMP socket; write unix:PATH, tcp:HOST:PORT or ssh:HOST:PATH.
          --qemu=tcp:h:0   | --qemu: "tcp:h:0" is not an address with a port from 1 to 65535; write tcp:HOST:PORT, with an IPv6 address in brackets.
          --qemu=ssh:h:/vm | --qemu: ssh:h:/vm is on another machine, and RAM can be shared only on the same one; run this command on h, with /vm.
          """)
  void source_refusesValues(String option, String sentence) {
    requireRefused(
        option.startsWith("--qemu") ? source(option) : source("--qemu=/run/vm.qmp", option),
        sentence);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--ram=1GiB",
        "--out=copy",
        "--capture=file",
        "--virtio-fault=none",
        "--virtio-policy=whole-state"
      })
  void destination_refusesOptionsOfOtherGuests(String option) {
    requireRefused(
        destination("--qemu=/run/vm.qmp", option),
        option.replaceFirst("=.*", "")
            + ": leave it out with --qemu; the QEMU has its own machine.");
    assertThat(Path.of("copy")).doesNotExist();
  }

  @Test
  void destination_refusesVerify_whereRamIsComparedAnyway() {
    requireRefused(
        destination("--verify"), "--verify: leave it out; without --qemu, RAM is always compared.");
  }

  @Test
  void destination_refusesAQemuOfAnotherMachine() {
    requireRefused(
        destination("--qemu=ssh:me@h:/vm"),
        "--qemu: ssh:me@h:/vm is on another machine, and RAM can be shared only on the same one;"
            + " run this command on me@h, with /vm.");
  }

  @Test
  void help_namesTheOptions() {
    assertThat(List.of(source("--help").out(), destination("--help").out()))
        .allMatch(help -> help.contains("--qemu"))
        .allMatch(help -> help.lines().allMatch(line -> line.length() <= 80));
  }
}
