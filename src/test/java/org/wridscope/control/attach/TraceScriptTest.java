// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/** The program for bpftrace. */
final class TraceScriptTest {
  private static final Path LIBRARY = Path.of("/usr/lib/libibverbs/librxe-rdmav34.so");

  private static final Set<Verb> RETURNING =
      EnumSet.of(
          Verb.POLL_CQ, Verb.POST_SEND, Verb.POST_RECV, Verb.POST_SRQ_RECV, Verb.WR_COMPLETE);

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
      assertThat(script).containsOnlyOnce("\nuprobe:" + place.strip());
      assertThat(script.split("\nuretprobe:" + Pattern.quote(place), -1))
          .hasSize(RETURNING.contains(verb) ? 2 : 1);
    }
  }

  /** One program for several functions tells them apart by the low bits of their addresses. */
  @Test
  void requestsAtTheSamePlaceOfTwoPages_areInTwoPrograms() {
    String script =
        TraceScript.of(
            List.of(
                new Probe(Verb.WR_SEND, LIBRARY, 0x1230),
                new Probe(Verb.WR_SEND_IMM, LIBRARY, 0x1240),
                new Probe(Verb.WR_SEND_INV, LIBRARY, 0x2230),
                new Probe(Verb.WR_RDMA_READ, LIBRARY, 0x1250)),
            new TraceFilter.OfProcess(1));

    assertThat(script)
        .contains(
            "uprobe:\"%s\":0x1230,\nuprobe:\"%s\":0x1240 /".formatted(LIBRARY, LIBRARY),
            "if ($p == 0x230) { $o = 2; }\n  if ($p == 0x240) { $o = 3; }",
            "\nuprobe:\"%s\":0x2230 /".formatted(LIBRARY),
            "if ($p == 0x230) { $o = 9; }",
            "if ($p == 0x250) { $o = 4; }");
    assertThat(script.split("printf\\(\"x ", -1)).hasSize(1 + 3);
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
