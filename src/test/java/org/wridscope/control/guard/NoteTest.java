// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.guest.Handover;
import org.wridscope.guest.qemu.GuardedQemu;
import org.wridscope.guest.qemu.GuardedSettings;
import org.wridscope.guest.qemu.JournalEntry;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.ProcessIdentity;
import org.wridscope.protocol.MigrationId;
import org.wridscope.protocol.MigrationSecret;
import org.wridscope.qmp.QmpAddress;

final class NoteTest {
  @Test
  void aQemuAndItsSettings_arriveAsTheyWere() throws Exception {
    var parameters = new JsonObject();
    parameters.addProperty("max-bandwidth", 134217728);
    var before = new GuardedSettings(Map.of("x-ignore-shared", false), parameters, true);
    var qemu =
        new GuardedQemu(
            new ProcessIdentity(4711, 12345678901L),
            QmpAddress.parse("unix:/run/a b.sock"),
            "",
            "");
    Note note = Note.parse(Note.of(Note.Kind.SOURCE, qemu, before).line());
    assertThat(note.kind()).isEqualTo(Note.Kind.SOURCE);
    assertThat(note.qemu()).isEqualTo(qemu);
    assertThat(note.before()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.9.0.1", "::1"})
  void aHandover_arrivesAsItWas(String host) throws Exception {
    var handover =
        new Handover(
            "rxe0",
            new InetSocketAddress(InetAddress.getByName(host), 4444),
            new MigrationId(Long.MIN_VALUE, Long.MAX_VALUE),
            new MigrationSecret(Long.MAX_VALUE, Long.MIN_VALUE));
    Note note = Note.parse(Note.of(Note.Kind.CONNECTED, handover).line());
    assertThat(note.handover()).isEqualTo(handover);
  }

  /** What has the secret can be part of a sentence, of a log or an exception. */
  @Test
  void theSecret_isInTheLineOnly() throws Exception {
    long high = 0x0123456789abcdefL;
    long low = 0x7edcba9876543210L;
    var handover =
        new Handover(
            "soft",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
            MigrationId.random(),
            new MigrationSecret(high, low));
    Note note = Note.of(Note.Kind.CONNECTED, handover);
    assertThat(note.line()).contains(Long.toString(high), Long.toString(low));
    JournalEntry entry =
        JournalEntry.first(
                JournalEntry.Role.DESTINATION,
                Journals.boot(),
                GuardedQemu.of(ProcessHandle.current().pid(), QmpAddress.parse("unix:/q")),
                List.of(),
                GuardedSettings.NONE)
            .withHandover(handover);
    for (Object has : List.of(note, Note.parse(note.line()), handover, entry)) {
      assertThat(has.toString().toLowerCase(Locale.ROOT))
          .doesNotContain(
              Long.toString(high),
              Long.toString(low),
              Long.toHexString(high),
              Long.toHexString(low));
    }
  }

  @Test
  void anAddressOfALink_keepsItsInterface() throws Exception {
    var host = Inet6Address.getByAddress(null, InetAddress.ofLiteral("fe80::1").getAddress(), 4711);
    var handover = new Handover("rxe0", new InetSocketAddress(host, 4444), null, null);
    Handover read = Note.parse(Note.of(Note.Kind.CONNECTED, handover).line()).handover();
    assertThat(read.destination().getAddress())
        .isInstanceOfSatisfying(
            Inet6Address.class, six -> assertThat(six.getScopeId()).isEqualTo(4711));
  }

  @Test
  void aDestinationThatCannotBeAsked_hasNoMigrationId() throws Exception {
    var handover =
        new Handover(
            "soft0", new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), null, null);
    assertThat(Note.parse(Note.of(Note.Kind.HANDING_OVER, handover).line()).handover())
        .isEqualTo(handover);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "[]", "{", "{}", "{\"note\":\"NONE\"}", "{\"note\":{}}", "null"})
  void whatIsNoNote_isRefused(String line) {
    assertThatIOException().isThrownBy(() -> Note.parse(line));
  }

  @Test
  void aNoteWithoutItsContent_isRefused() throws IOException {
    Note note = Note.parse("{\"note\":\"SOURCE\"}");
    assertThatIOException().isThrownBy(note::qemu).withMessage("The note has no 'pid'.");
    assertThatIOException().isThrownBy(note::before);
    assertThatIOException().isThrownBy(note::handover);
    assertThatIOException().isThrownBy(note::run);
  }
}
