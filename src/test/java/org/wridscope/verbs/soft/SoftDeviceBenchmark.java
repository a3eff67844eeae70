// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import org.wridscope.verbs.CompletionChannel;
import org.wridscope.verbs.CompletionQueue;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.QueuePairCapacity;
import org.wridscope.verbs.SendRequest;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Measures the software device: 1 MiB writes against plain copies of the same memory, and the round
 * trip of small messages between two threads. Not a test; {@code java -cp
 * target/classes:target/test-classes:... org.wridscope.verbs.soft.SoftDeviceBenchmark}.
 */
final class SoftDeviceBenchmark {
  private static final int CHUNK = 1 << 20;
  private static final int CHUNKS = 512;
  private static final int DEPTH = 64;
  private static final int ROUND_TRIPS = 20_000;

  private SoftDeviceBenchmark() {}

  public static void main(String[] arguments) throws Exception {
    var fabric = new SoftFabric();
    try (SoftDevice source = fabric.open("source");
        SoftDevice destination = fabric.open("destination");
        SoftPair pair =
            SoftPair.connect(source, destination, new QueuePairCapacity(DEPTH, DEPTH), 2 * DEPTH)) {
      writes(pair.client(), pair.server());
      for (long spin : new long[] {0, 5_000, 50_000}) {
        roundTrips(pair.client(), pair.server(), spin);
      }
      postCost(pair.client(), pair.server());
    }
  }

  private static void writes(Endpoint client, Endpoint server) throws Exception {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate((long) CHUNK * CHUNKS, 4096).fill((byte) 1);
      MemorySegment to = arena.allocate((long) CHUNK * CHUNKS, 4096).fill((byte) 2);
      MemoryRegion source = client.domain.register(from, Endpoint.ALL);
      MemoryRegion target = server.domain.register(to, Endpoint.ALL);
      for (int round = 0; round < 5; round++) {
        long begin = System.nanoTime();
        for (long at = 0; at < from.byteSize(); at += CHUNK) {
          MemorySegment.copy(from, at, to, at, CHUNK);
        }
        long copied = System.nanoTime();
        writeAll(client, source, target);
        long written = System.nanoTime();
        double copyRate = from.byteSize() / (double) (copied - begin);
        double writeRate = from.byteSize() / (double) (written - copied);
        System.out.printf(
            "1 MiB copies %.2f GB/s, 1 MiB writes at depth %d %.2f GB/s, ratio %.3f%n",
            copyRate, DEPTH, writeRate, writeRate / copyRate);
      }
      source.close();
      target.close();
    }
  }

  private static void writeAll(Endpoint client, MemoryRegion source, MemoryRegion target)
      throws Exception {
    WorkCompletion[] completions = WorkCompletion.array(DEPTH);
    int posted = 0;
    int done = 0;
    while (done < CHUNKS) {
      while (posted < CHUNKS && posted - done < DEPTH) {
        long offset = (long) posted * CHUNK;
        client.queuePair.postSend(
            client.sendRequest.rdmaWrite(
                posted,
                source.address() + offset,
                CHUNK,
                source.localKey(),
                target.address() + offset,
                target.remoteKey()));
        posted++;
      }
      int count = take(client.sendQueue, client.sendChannel, completions, 20_000);
      for (int i = 0; i < count; i++) {
        check(completions[i]);
      }
      done += count;
    }
  }

  private static void roundTrips(Endpoint client, Endpoint server, long spinNanos)
      throws Exception {
    Thread echo =
        Thread.ofPlatform()
            .name("echo")
            .start(() -> {
              try {
                for (int i = 0; i < ROUND_TRIPS; i++) {
                  if (i == 0) {
                    server.receive(i, 0, 16);
                  }
                  WorkCompletion[] one = WorkCompletion.array(1);
                  takeOne(server.receiveQueue, server.receiveChannel, one, spinNanos);
                  server.receive(i, 0, 16);
                  server.send(i, 64, 16);
                  takeOne(server.sendQueue, server.sendChannel, one, spinNanos);
                }
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    WorkCompletion[] one = WorkCompletion.array(1);
    long[] times = new long[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
      client.receive(i, 0, 16);
      long begin = System.nanoTime();
      client.send(i, 64, 16);
      takeOne(client.receiveQueue, client.receiveChannel, one, spinNanos);
      times[i] = System.nanoTime() - begin;
      takeOne(client.sendQueue, client.sendChannel, one, spinNanos);
    }
    echo.join();
    // Uses up the last receive of the echo.
    client.send(1, 0, 16);
    takeOne(client.sendQueue, client.sendChannel, one, spinNanos);
    takeOne(server.receiveQueue, server.receiveChannel, one, spinNanos);
    long[] warm = Arrays.copyOfRange(times, ROUND_TRIPS / 2, ROUND_TRIPS);
    Arrays.sort(warm);
    System.out.printf(
        "16 byte round trip, spin %d us: median %.1f us, 90 %% %.1f us, 99 %% %.1f us%n",
        spinNanos / 1000,
        warm[warm.length / 2] / 1e3,
        warm[warm.length * 9 / 10] / 1e3,
        warm[warm.length * 99 / 100] / 1e3);
  }

  private static void postCost(Endpoint client, Endpoint server) throws Exception {
    WorkCompletion[] completions = WorkCompletion.array(DEPTH);
    SendRequest request =
        new SendRequest()
            .rdmaWrite(
                1,
                client.region.address(),
                64,
                client.region.localKey(),
                server.region.address(),
                server.region.remoteKey());
    int batches = 20_000;
    for (int round = 0; round < 3; round++) {
      long posting = 0;
      long begin = System.nanoTime();
      for (int batch = 0; batch < batches; batch++) {
        long postBegin = System.nanoTime();
        for (int i = 0; i < DEPTH; i++) {
          client.queuePair.postSend(request);
        }
        posting += System.nanoTime() - postBegin;
        for (int done = 0; done < DEPTH; ) {
          done += take(client.sendQueue, client.sendChannel, completions, 1_000_000);
        }
      }
      long all = System.nanoTime() - begin;
      System.out.printf(
          "64 byte writes: post %.0f ns, whole %.0f ns each%n",
          posting / (double) (batches * DEPTH), all / (double) (batches * DEPTH));
    }
  }

  private static void takeOne(
      CompletionQueue queue, CompletionChannel channel, WorkCompletion[] one, long spinNanos)
      throws Exception {
    take(queue, channel, one, spinNanos);
    check(one[0]);
  }

  /** Polls for a while, then waits for an event. */
  private static int take(
      CompletionQueue queue, CompletionChannel channel, WorkCompletion[] into, long spinNanos)
      throws Exception {
    long end = System.nanoTime() + spinNanos;
    while (true) {
      int count = queue.poll(into);
      if (count > 0) {
        return count;
      }
      if (System.nanoTime() - end < 0) {
        Thread.yield();
        continue;
      }
      queue.requestNotification();
      count = queue.poll(into);
      if (count > 0) {
        // The event may arrive or have arrived; nobody waits for it.
        if (channel.getEvent(Duration.ZERO) != null) {
          queue.acknowledgeEvents(1);
        }
        return count;
      }
      if (channel.getEvent(Endpoint.PATIENCE) != null) {
        queue.acknowledgeEvents(1);
      }
    }
  }

  private static void check(WorkCompletion completion) {
    if (completion.status() != WorkCompletionStatus.SUCCESS) {
      throw new IllegalStateException("completed with " + completion.status());
    }
  }
}
