// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/** The program for bpftrace. */
final class TraceScriptTest {
  private static final Path LIBRARY = Path.of("/usr/lib/libibverbs/librxe-rdmav34.so");

  private static String script(TraceFilter filter) {
    return TraceScript.of(
        Arrays.stream(Verb.values())
            .map(verb -> new Probe(verb, LIBRARY, 0x1000 + verb.ordinal()))
            .toList(),
        filter);
  }

  @Test
  void eachFunction_isProbedAtItsEntry_andAtItsReturnIfItsResultMatters() {
    String script = script(new TraceFilter.OfProcess(4711));

    for (Verb verb : Verb.values()) {
      String place = "\"%s\":0x%x ".formatted(LIBRARY, 0x1000 + verb.ordinal());
      assertThat(script).containsOnlyOnce("\nuprobe:" + place + "/pid == 4711/");
      boolean connects = verb == Verb.CONNECT || verb == Verb.ACCEPT;
      assertThat(script.split("\nuretprobe:" + Pattern.quote(place), -1)).hasSize(connects ? 1 : 2);
    }
  }

  /** What remains after an at sign is a map of bpftrace. */
  @Test
  void noName_isLeftUnfilled() {
    assertThat(script(new TraceFilter.OfProcess(1)))
        .doesNotContainPattern("@(?!(call|time|polls|seen|named)\\b)")
        .contains("*(uint64*)($w + 8); $i++;")
        .contains("*(uint64*)($c + 0), *(uint32*)($c + 8), *(uint32*)($c + 12)")
        .contains("*(uint32*)($w + 64)")
        .contains("printf(\"n %llx %x %x %r\\n\", $t, pid, tid, buf(comm, 16))");
  }

  @Test
  void aDevice_isComparedByItsWholeName() {
    assertThat(new TraceFilter.OfDevice("rxe0").condition())
        .isEqualTo("(*(uint64*)(*(uint64*)*(uint64*)arg0 + 24) & 0xffffffffff) == 0x30657872");
    assertThat(new TraceFilter.OfDevice("rocep1s0").condition())
        .isEqualTo(
            "(*(uint64*)(*(uint64*)*(uint64*)arg0 + 24) & 0xffffffffffffffff) == 0x3073317065636f72"
                + " && (*(uint64*)(*(uint64*)*(uint64*)arg0 + 32) & 0xff) == 0x0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "relative/lib.so",
        "/lib/a b.so",
        "/lib/a\".so",
        "/lib/a\n.so",
        "/lib/$(id).so",
        "/lib/`id`.so",
        "/lib/a;b.so",
        "/lib/a:0x0 { system(\"id\") } .so",
        "/lib/ä.so"
      })
  void aPathThatCouldSayMore_isRefused(String path) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Probe(Verb.POLL_CQ, Path.of(path), 0));
  }

  @Test
  void aProcessOrADevice_isANumberOrANumber() {
    assertThatIllegalArgumentException().isThrownBy(() -> new TraceFilter.OfProcess(0));
    assertThatIllegalArgumentException().isThrownBy(() -> new TraceFilter.OfDevice(""));
    assertThatIllegalArgumentException().isThrownBy(() -> new TraceFilter.OfDevice("x".repeat(64)));
    assertThat(new TraceFilter.OfDevice("\" } BEGIN {").condition())
        .matches("[()*&=<>+ 0-9a-fxuintarg]+");
  }

  @Test
  void theSameFunctions_giveTheSameProgram() {
    assertThat(script(new TraceFilter.OfProcess(1)))
        .isEqualTo(script(new TraceFilter.OfProcess(1)));
    assertThat(TraceScript.of(List.of(), new TraceFilter.OfProcess(1))).contains("BEGIN", "END");
  }
}
