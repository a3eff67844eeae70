// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.wridscope.control.attach.TraceLine.Kind;
import org.wridscope.process.ProcessMaps;
import org.wridscope.process.ProcessMaps.FilePlace;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;

/** The generated program, run by bpftrace on a function of a program without a device. */
@Tag("kernel")
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
final class TraceScriptInKernelTest {
  private static final Path HEADER = Path.of("/usr/include/infiniband/verbs.h");
  private static final int ENOMEM = 12;

  /** Posts a chain of which a request is refused, when it is told so. */
  private static final String PROGRAM =
      """
      #include <errno.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <infiniband/verbs.h>

      static struct ibv_context context;
      static struct ibv_qp qp = {.context = &context, .qp_num = 17};
      static struct ibv_send_wr requests[1000];
      static struct ibv_sge element = {.length = 100};

      __attribute__((noinline)) int post(struct ibv_qp *of, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
        for (; wr; wr = wr->next)
          if (wr->imm_data) { *bad = wr; return ENOMEM; }
        return of->qp_num == 17 ? 0 : EINVAL;
      }

      __attribute__((noinline)) int poll(struct ibv_cq *of, int count, struct ibv_wc *found) {
        return of->context == &context ? 0 : count;
      }

      int main(int count, char **values) {
        int length = atoi(values[1]), refused = atoi(values[2]);
        struct ibv_send_wr *bad = NULL;
        for (int i = 0; i < length; i++) {
          requests[i].wr_id = 1000 + i;
          requests[i].next = i + 1 < length ? &requests[i + 1] : NULL;
          requests[i].sg_list = &element;
          requests[i].num_sge = 1;
          requests[i].imm_data = i == refused;
        }
        printf("%lx\\n%lx\\n", (long)post, (long)poll);
        fflush(stdout);
        if (getchar() == EOF) return 1;
        return post(&qp, requests, &bad) == (refused < length ? ENOMEM : 0) ? 0 : 2;
      }
      """;

  @TempDir private Path directory;

  private Path compile() throws Exception {
    assumeTrue(Files.exists(HEADER), "libibverbs-dev is not installed");
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/gcc")), "gcc is not installed");
    Path source = Files.writeString(directory.resolve("program.c"), PROGRAM);
    Path program = directory.resolve("program");
    Process compiler =
        new ProcessBuilder("gcc", "-O1", "-o", program.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();
    return program;
  }

  /** What a program is seen to do that posts a chain. */
  private List<Event> events(int length, int refused) throws Exception {
    Process process = new ProcessBuilder(compile().toString(), "" + length, "" + refused).start();
    try (BufferedReader output = process.inputReader(StandardCharsets.US_ASCII)) {
      List<Probe> probes = new ArrayList<>();
      for (Verb verb : List.of(Verb.POST_SEND, Verb.POLL_CQ)) {
        long address = Long.parseLong(output.readLine(), 16);
        FilePlace place = ProcessMaps.read(process.pid()).codeAt(address).orElseThrow();
        probes.add(new Probe(verb, place.file(), place.offset()));
      }
      var filter = new TraceFilter.OfProcess(process.pid());
      try (Bpftrace tracer = Bpftrace.start(TraceScript.of(probes, filter))) {
        return events(process, tracer);
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<Event> events(Process process, Bpftrace tracer) throws Exception {
    var program = new AttachedProgram(process.pid(), "program", "none", Map.of());
    List<TraceLine> lines = new ArrayList<>();
    TraceLine line;
    boolean told = false;
    boolean ended = false;
    while ((line = tracer.next()) != null) {
      lines.add(line);
      if (!told && line.kind() == Kind.BEGIN) {
        told = true;
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
      } else if (told && !ended && line.kind() == Kind.BEAT && !process.isAlive()) {
        ended = true;
        assertThat(process.exitValue()).isZero();
        tracer.stop();
      }
    }
    assertThat(told).as(tracer.reason()).isTrue();
    lines.forEach(each -> program.take(each, each.nanos()));
    return program.telemetry().log().read(0, 10_000);
  }

  private static long count(List<Event> events, EventKind kind) {
    return events.stream().filter(event -> event.kind() == kind).count();
  }

  private static int sum(List<Event> events, int unseen) {
    return events.stream()
        .filter(event -> event.kind() == EventKind.PROGRAM_UNSEEN && event.detail() == unseen)
        .mapToInt(Event::length)
        .sum();
  }

  /** Shorter than what is walked, at its edge, longer. */
  @ParameterizedTest
  @CsvSource({"20, 5", "40, 31", "137, 32", "137, 100", "137, 136", "100, 1000"})
  void aRefusal_isTold_whereverItIsInTheChain(int length, int refused) throws Exception {
    List<Event> events = events(length, refused);

    int posted = Math.min(length, refused);
    assertThat(count(events, EventKind.PROGRAM_POST) + sum(events, 0)).isEqualTo(posted);
    assertThat(count(events, EventKind.PROGRAM_REFUSED) + sum(events, 4))
        .isEqualTo(length - posted);
    if (refused < length) {
      assertThat(events)
          .filteredOn(event -> event.kind() == EventKind.PROGRAM_REFUSED)
          .first()
          .satisfies(event -> {
            assertThat(event.wrid()).isEqualTo(1000 + refused);
            assertThat(event.detail()).isEqualTo(ENOMEM);
            assertThat(event.length()).isEqualTo(100);
          });
    }
  }
}
