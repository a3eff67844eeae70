// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.wridscope.host.Processor;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/** The events of the kernel without bpftrace. */
final class UprobeEventsTest {
  private static final Path LIBRARY = Path.of("/usr/lib/libibverbs/librxe-rdmav34.so");
  private static final String GROUP = "wridscope_42_1";

  /** Limits of the kernel: MAX_ARGSTR_LEN, MAX_TRACE_ARGS, MAX_EVENT_NAME_LEN, WRITE_BUFSIZE. */
  private static final int LONGEST_ARGUMENT = 63;

  private static final int MOST_ARGUMENTS = 128;
  private static final int LONGEST_NAME = 63;
  private static final int LONGEST_LINE = 4094;

  private static final Pattern DEFINITION =
      Pattern.compile("([pr]):" + GROUP + "/(\\S+) " + LIBRARY + ":0x[0-9a-f]+ (.*)");

  private static UprobeEvents events(TraceFilter filter, Verb... verbs) throws IOException {
    List<Probe> probes = new ArrayList<>();
    for (Verb verb : verbs) {
      probes.add(new Probe(verb, LIBRARY, 0x1000 + 16L * probes.size()));
    }
    return new UprobeEvents(GROUP, Processor.X86_64, probes, filter);
  }

  @Test
  void aPoll_makesAnEventOnlyIfThereWereCompletions() throws IOException {
    UprobeEvents events = events(new TraceFilter.OfProcess(7), Verb.POLL_CQ);

    assertThat(events.definitions())
        .containsExactly(
            "p:wridscope_42_1/poll_cq_0 %s:0x1000 context=+0(%%di):x64 cq=%%di".formatted(LIBRARY),
            "r:wridscope_42_1/poll_cq_0_ret %s:0x1000 got=$retval:s32".formatted(LIBRARY));
    assertThat(events.synthetic()).isEqualTo("wridscope_42_1 u64 cq; u64 context; s32 got");
    assertThat(events.triggers())
        .containsExactly(
            Map.entry("poll_cq_0", "hist:keys=common_pid:size=8192:cq_0=cq,context_0=context"),
            Map.entry(
                "poll_cq_0_ret",
                "hist:keys=common_pid:size=8192:got_0=got:onmatch(wridscope_42_1.poll_cq_0)"
                    + ".trace(wridscope_42_1,$cq_0,$context_0,$got_0) if got > 0"));
    assertThat(events.printed()).isEmpty();
    assertThat(events.condition()).isEmpty();
  }

  @Test
  void aChain_isReadThroughItsPointers() throws IOException {
    UprobeEvents events = events(new TraceFilter.OfProcess(7), Verb.POST_SEND);

    assertThat(events.definitions()).hasSize(2);
    assertThat(events.definitions().getFirst())
        .contains(
            " qp=%di number=+52(%di):x32 send=+24(%di):x64 receive=+32(%di):x64 first=%si",
            " w0=+0(%si):x64[9] s0=+0(+16(%si)):x64[8]",
            " w1=+0(+8(%si)):x64[9] s1=+0(+16(+8(%si))):x64[8]",
            " w3=+0(+8(+8(+8(%si)))):x64[9]",
            " n4=+8(+8(+8(+8(%si)))):x64 n5=")
        .endsWith(" n11=" + "+8(".repeat(11) + "%si" + ")".repeat(11) + ":x64");
    assertThat(events.printed()).containsExactly("post_send_0", "post_send_0_ret");
  }

  /** The kernel refuses what is longer. */
  @Test
  void everyFunction_isWithinTheLimitsOfTheKernel() throws IOException {
    Verb[] verbs = Verb.values();
    UprobeEvents events =
        new UprobeEvents(
            GROUP,
            Processor.AARCH64,
            Arrays.stream(verbs).map(verb -> new Probe(verb, LIBRARY, 4096)).toList(),
            new TraceFilter.OfDevice("x".repeat(63)));

    for (String line : events.definitions()) {
      assertThat(line).hasSizeLessThanOrEqualTo(LONGEST_LINE);
      var definition = DEFINITION.matcher(line);
      assertThat(definition.matches()).as(line).isTrue();
      assertThat(definition.group(2)).hasSizeLessThanOrEqualTo(LONGEST_NAME);
      String[] arguments = definition.group(3).split(" ", -1);
      assertThat(arguments).hasSizeLessThanOrEqualTo(MOST_ARGUMENTS).doesNotHaveDuplicates();
      for (String argument : arguments) {
        assertThat(argument).matches("[a-z_0-9]+=[+0-9()$a-z%:\\[\\]]+");
        assertThat(argument.substring(argument.indexOf('=') + 1))
            .hasSizeLessThanOrEqualTo(LONGEST_ARGUMENT)
            .doesNotContain("%di", "%si");
      }
    }
    assertThat(events.definitions()).hasSize(verbs.length + 5);
    assertThat(events.printed()).hasSize(verbs.length + 5 - 2);
  }

  /** The zero at the end of the name is compared, too, so that rxe0 is not rxe01. */
  @Test
  void aDevice_isComparedByItsWholeName() throws IOException {
    UprobeEvents short4 = events(new TraceFilter.OfDevice("rxe0"), Verb.POLL_CQ);
    assertThat(short4.condition()).isEqualTo("d0 == 0x30657872 && d4 == 0x0");
    assertThat(short4.definitions().getFirst())
        .endsWith(" d0=+24(+0(+0(%di))):x32 d4=+28(+0(+0(%di))):x8");
    assertThat(short4.synthetic())
        .isEqualTo("wridscope_42_1 u64 cq; u64 context; u32 d0; u8 d4; s32 got");
    assertThat(short4.triggers().get("poll_cq_0_ret"))
        .contains(".trace(wridscope_42_1,$cq_0,$context_0,$d0_0,$d4_0,$got_0)");
    assertThat(events(new TraceFilter.OfDevice("rocep1s0f0")).condition())
        .isEqualTo("d0 == 0x3073317065636f72 && d8 == 0x3066 && d10 == 0x0");
    assertThat(UprobeEvents.isFiltered("post_send_0")).isTrue();
    assertThat(UprobeEvents.isFiltered("post_send_0_ret")).isFalse();
  }

  /** Behind a mutex, which is longer there. */
  @Test
  void onAarch64_anExtendedRequest_isReadAtItsOwnPlaces() throws IOException {
    var events =
        new UprobeEvents(
            GROUP,
            Processor.AARCH64,
            List.of(new Probe(Verb.WR_SEND, LIBRARY, 0x1000)),
            new TraceFilter.OfProcess(7));

    assertThat(events.definitions().getFirst()).contains("wr_id=+176(%x0):x64 flags=+184(%x0):x32");
  }

  @Test
  void anotherProcessor_isRefused() {
    assertThatIOException()
        .isThrownBy(
            () -> new UprobeEvents(GROUP, Processor.OTHER, List.of(), new TraceFilter.OfProcess(7)))
        .withMessageContaining(Processor.architecture())
        .withMessageContaining("install bpftrace");
  }
}
