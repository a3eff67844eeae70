// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.JournalEntry.Stage;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.QmpAddress;

final class JournalTest {
  @TempDir private Path directory;
  private Journals journals;

  @BeforeEach
  void name() {
    journals = new Journals(directory.resolve("state/journal"));
  }

  /** Process ids of Linux are smaller. */
  private static final ProcessIdentity NOBODY = new ProcessIdentity(Integer.MAX_VALUE, 7);

  private static JournalEntry entry(Stage stage) throws IOException {
    return new JournalEntry(
        stage,
        Instant.parse("2026-11-26T17:00:00.123Z"),
        Journals.boot(),
        GuardedQemu.of(ProcessHandle.current().pid(), QmpAddress.parse("unix:/run/a b.qmp"))
            .called("00000000-0000-0000-0000-000000000001", "vm \"ä\""),
        List.of(NOBODY),
        new GuardedSettings(Map.of("events", false, "x-ignore-shared", false), limits(), true),
        true,
        new Handover(
            "rxe0",
            new InetSocketAddress(InetAddress.ofLiteral("fe80::1"), 4444),
            new MigrationId(-1, 1),
            new MigrationSecret(0x0123456789abcdefL, 0xfedcba9876543210L)),
        17,
        Path.of("/tmp/wridscope1abc/s"));
  }

  private static JsonObject limits() {
    var parameters = new JsonObject();
    parameters.add("max-bandwidth", new JsonPrimitive(134_217_728));
    parameters.add("downtime-limit", new JsonPrimitive(300));
    parameters.addProperty("tls-creds", "tls0");
    return parameters;
  }

  private static JournalEntry bare(Stage stage) throws IOException {
    JournalEntry full = entry(stage);
    return new JournalEntry(
        stage,
        full.since(),
        full.boot(),
        full.qemu(),
        full.owners(),
        GuardedSettings.NONE,
        false,
        null,
        null,
        null);
  }

  @Test
  void everyEntry_isReadAsItWasWritten() throws Exception {
    for (Stage stage : Stage.values()) {
      for (JournalEntry written : List.of(entry(stage), bare(stage))) {
        Journal journal = journals.begin(written);
        assertThat(Journal.open(journal.file()).entry()).isEqualTo(written);
        journal.remove();
        assertThat(journals.all().journals()).isEmpty();
      }
    }
  }

  /** The interface of an address of a link may have another name by then, or be gone. */
  @Test
  void anAddressOfALink_hasTheNumberOfItsInterface() throws Exception {
    byte[] bytes = InetAddress.ofLiteral("fe80::1").getAddress();
    var hosts = new ArrayList<Inet6Address>(List.of(Inet6Address.getByAddress(null, bytes, 4711)));
    NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address.isLinkLocalAddress() && address instanceof Inet6Address)
        .forEach(address -> hosts.add((Inet6Address) address));
    for (Inet6Address host : hosts) {
      var handover = new Handover("rxe0", new InetSocketAddress(host, 4444), null, null);
      assertThat(handover.host()).endsWith("%" + host.getScopeId());
      Journal journal = journals.begin(entry(Stage.HANDING_OVER).withHandover(handover));
      Handover read = Journal.open(journal.file()).entry().handover();
      journal.remove();
      assertThat(read).isNotNull();
      assertThat(read.destination().getAddress())
          .isInstanceOfSatisfying(
              Inet6Address.class, six -> assertThat(six.getScopeId()).isEqualTo(host.getScopeId()));
    }
  }

  @Test
  void directoryAndFile_areTheUsersAlone() throws Exception {
    Path file = journals.begin(entry(Stage.LEAVING)).file();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(journals.folder())))
        .isEqualTo("rwx------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  /** Other migrations end at any moment. */
  @Test
  void journalThatGoesMeanwhile_isNeitherListedNorUnreadable() throws Exception {
    Path gone = journals.begin(entry(Stage.LEAVING)).file();
    var others =
        CompletableFuture.runAsync(() -> {
          try {
            for (int i = 0; i < 300; i++) {
              Journal.open(gone).remove();
              journals.begin(entry(Stage.LEAVING));
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    while (!others.isDone()) {
      assertThat(journals.all().unreadable()).isEmpty();
    }
    others.get();
    Journal.open(gone).remove();
    assertThatExceptionOfType(NoSuchFileException.class)
        .isThrownBy(() -> Journal.open(gone))
        .withMessage(gone + ": this journal is gone; the QEMU was put right meanwhile.");
  }

  @Test
  void oneQemu_hasOneJournal() throws Exception {
    JournalEntry left = entry(Stage.LEAVING);
    Journal first = journals.begin(left);
    assertThatIOException()
        .isThrownBy(() -> journals.begin(left))
        .withMessageContaining("./wridscope recover --qemu 'unix:/run/a b.qmp'");
    assertThat(journals.left().journals()).hasSize(1);
    journals.take(first);
    assertThat(journals.left().journals()).isEmpty();
    assertThatIOException().isThrownBy(() -> journals.take(first)).withMessageContaining("wait");
    assertThatIOException()
        .isThrownBy(() -> journals.begin(left))
        .withMessageContaining("still migrates");
  }

  @Test
  void ownerOfAnEarlierBoot_isGone() throws Exception {
    Journal journal = journals.begin(entry(Stage.LEAVING));
    journals.take(journal);
    String text = Files.readString(journal.file());
    String earlier = "00000000-0000-4000-8000-000000000000";
    Files.writeString(journal.file(), text.replace(Journals.boot(), earlier));
    JournalEntry read = Journal.open(journal.file()).entry();
    assertThat(Journals.isOwned(read)).isFalse();
    assertThat(Journals.isRunning(read)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"journal\": 1|\"journal\": 2",
        "\"stage\": \"loaded\"|\"stage\": \"handed-over\"",
        "\"stage\": \"loaded\"|\"stage\": \"lost\"",
        "\"stage\": \"loaded\",|''",
        "\"run\": true|\"run\": 1",
        "\"run\": true,|''",
        "\"run\": true|\"run\": true, \"run\": true",
        "\"run\": true|\"run\": true, \"more\": 1",
        "\"run\": true|'\"run\": true, // {'",
        "unix:/run/a b.qmp|ssh:host:/run/x",
        "unix:/run/a b.qmp|",
        "00000000-0000-0000-0000-000000000001|x",
        "\"events\": false|\"a b\": false",
        "\"max-bandwidth\": 134217728|\"max-bandwidth\": -1",
        "\"max-bandwidth\": 134217728|\"max-bandwidth\": 1e99",
        "\"max-bandwidth\": 134217728|\"multifd-channels\": 1",
        "\"device\": \"rxe0\"|\"device\": \"../x\"",
        "\"port\": 4444|\"port\": 0",
        "fe80:0:0:0:0:0:0:1|host.example",
        "0123456789abcdeffedcba9876543210|0123",
        "/tmp/wridscope1abc/s|/tmp/wridscope1abc/../../etc/s",
        "/tmp/wridscope1abc/s|/etc/passwd",
        "2147483647|99999999999",
      })
  void anythingElse_isRefused(String from, @Nullable String to) throws Exception {
    Journal journal = journals.begin(entry(Stage.LOADED));
    String text = Files.readString(journal.file());
    assertThat(text).contains(from);
    Files.writeString(journal.file(), text.replace(from, to == null ? "" : to));
    assertThatIOException()
        .isThrownBy(() -> Journal.open(journal.file()))
        .withMessageContaining("it is no journal of a QEMU");
    assertThat(journals.all().unreadable()).hasSize(1);
    assertThatIOException().isThrownBy(() -> journals.begin(entry(Stage.WAITING)));
  }

  @Test
  void hostileFiles_areRefused() throws Exception {
    Journal journal = journals.begin(entry(Stage.LEAVING));
    Path file = journal.file();
    byte[] good = Files.readAllBytes(file);
    Files.writeString(file, " ".repeat(Journal.MOST_BYTES) + "{}");
    assertRefused(file, "too long");
    Files.writeString(file, "[".repeat(10_000));
    assertRefused(file, "no journal");
    Files.write(file, new byte[] {'{', (byte) 0xff, '}'});
    assertRefused(file, "UTF-8");
    Files.write(file, new byte[0]);
    assertRefused(file, "no journal");
    Files.write(file, good);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
    assertRefused(file, "may write");
    Path other = Files.write(directory.resolve("other"), good);
    Files.delete(file);
    Files.createSymbolicLink(file, other);
    assertRefused(file, "not a regular file");
    Files.delete(file);
    Process fifo = new ProcessBuilder("mkfifo", file.toString()).start();
    assertThat(fifo.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertRefused(file, "not a regular file");
    Files.setPosixFilePermissions(journals.folder(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatIOException().isThrownBy(journals::all).withMessageContaining("may write");
  }

  private static void assertRefused(Path file, String why) {
    assertThatIOException().isThrownBy(() -> Journal.open(file)).withMessageContaining(why);
  }

  @Test
  void whatCannotBeWritten_isNotBegun() throws Exception {
    Files.createDirectories(directory.resolve("state"));
    Files.writeString(journals.folder(), "");
    assertThatIOException()
        .isThrownBy(() -> journals.begin(entry(Stage.LEAVING)))
        .withMessageContaining("not a directory");
  }

  @Test
  void settingsThatItCannotHold_areRefusedBeforeAnythingChanges() throws Exception {
    var odd = new JsonObject();
    odd.addProperty("max-bandwidth", "fast");
    JournalEntry first =
        JournalEntry.first(
            JournalEntry.Role.SOURCE,
            Journals.boot(),
            entry(Stage.LEAVING).qemu(),
            List.of(),
            new GuardedSettings(Map.of(), odd, false));
    assertThatIOException().isThrownBy(() -> journals.begin(first));
    assertThat(journals.all().journals()).isEmpty();
  }
}
