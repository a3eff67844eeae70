// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.wridscope.control.Session;
import org.wridscope.files.FileKind;
import org.wridscope.files.Output;
import org.wridscope.recording.Recorder;

/** Recordings of a program that was attached to, made without one. */
public final class RecordedPrograms {
  private static final int SEND = 2;
  private static final int RDMA_WRITE = 0;
  private static final int RDMA_READ = 4;
  private static final int SIGNALED = 2;
  private static final int RECEIVED = 128;
  private static final int RETRY_EXC_ERR = 12;

  private final AttachedProgram program = new AttachedProgram(4711, "kvstore", "rxe0", Map.of());
  private final int queuePairs;
  private long nanos = System.nanoTime();

  private RecordedPrograms(int queuePairs) {
    this.queuePairs = queuePairs;
  }

  /**
   * Records a program that writes, reads, sends and receives on all its queue pairs in turn; every
   * third request is unsignaled, and the last one of the last queue pair fails.
   *
   * @param rounds in which each queue pair posts four requests
   */
  public static void record(Path file, int queuePairs, int rounds)
      throws IOException, InterruptedException {
    try (Recorder recorder = Recorder.begin(Output.of("file", file, FileKind.RECORDING))) {
      var made = new RecordedPrograms(queuePairs);
      recorder.add(made.program);
      made.run(rounds);
      made.program.end(false, "The program ended.");
    }
  }

  /** Records the same of a program that has begun by registering two regions of 64 KiB. */
  public static void recordWithRegions(Path file) throws IOException, InterruptedException {
    try (Recorder recorder = Recorder.begin(Output.of("file", file, FileKind.RECORDING))) {
      var made = new RecordedPrograms(1);
      made.program.registeredBefore(made.nanos, null);
      made.take("R %x 1 1 c0 10000 10000 7");
      made.take("R %x 1 1 c0 20000 10000 8");
      recorder.add(made.program);
      made.run(1);
      made.program.end(false, "The program ended.");
    }
  }

  /** Such a program while it is attached to. */
  public static Session running(int queuePairs, int rounds) {
    var made = new RecordedPrograms(queuePairs);
    made.program.registeredBefore(made.nanos, null);
    made.run(rounds);
    return made.program;
  }

  private void run(int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (int pair = 0; pair < queuePairs; pair++) {
        round(17 + pair, round);
      }
    }
    post(16 + queuePairs, 0xdead, RDMA_WRITE, SIGNALED);
    completion(16 + queuePairs, 0xdead, RETRY_EXC_ERR, 0);
  }

  private void round(int pair, int round) {
    long wrid = 16L * round;
    receive(pair, wrid);
    post(pair, wrid + 1, RDMA_WRITE, 0);
    post(pair, wrid + 2, RDMA_READ, SIGNALED);
    post(pair, wrid + 3, SEND, SIGNALED);
    nanos += 2_000L * (1 + pair % 5);
    completion(pair, wrid + 2, 0, 2);
    completion(pair, wrid, 0, RECEIVED);
    completion(pair, wrid + 3, 0, 0);
  }

  private void post(int pair, long wrid, int opcode, int flags) {
    take("p %x 1 1 c0 %x %x %x %x 1 1000 7f0000001000 7 0", pair, wrid, opcode, flags);
  }

  private void receive(int pair, long wrid) {
    take("r %x 1 1 c0 %x %x 1 80 0", pair, wrid);
  }

  private void completion(int pair, long wrid, int status, int opcode) {
    take("c %x 1 1 c0 cc %x %x %x 93 40 %x", wrid, status, opcode, pair);
  }

  private void take(String line, Object... values) {
    var all = new Object[values.length + 1];
    all[0] = nanos;
    System.arraycopy(values, 0, all, 1, values.length);
    TraceLine parsed = TraceText.parse(line.formatted(all));
    program.take(parsed, nanos);
    nanos += 1_000;
  }

  /** Writes a file for {@code RecordingGallery}: FILE, queue pairs, rounds. */
  public static void main(String[] arguments) throws Exception {
    record(Path.of(arguments[0]), Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
  }
}
