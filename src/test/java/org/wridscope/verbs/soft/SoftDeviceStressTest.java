// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_LEN_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_PROT_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_ACCESS_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_INV_REQ_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.wridscope.verbs.Endpoint;
import org.wridscope.verbs.MemoryRegion;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.WorkCompletion;
import org.wridscope.verbs.WorkCompletionStatus;

/**
 * Several queue pairs at once, each with random requests of which some are invalid, compared with a
 * model that predicts each completion and the content of memory.
 */
final class SoftDeviceStressTest {
  private static final long SEED = 0x57_12_5C_09EL;
  private static final int THREADS = 5;
  private static final int CONNECTIONS = 100;
  private static final int BATCHES = 40;
  private static final int DEPTH = 16;

  /** The upper half of the server's memory takes messages, the lower half writes. */
  private static final int HALF = Endpoint.MEMORY / 2;

  private static final int MESSAGE = 256;

  private final SoftFabric fabric = new SoftFabric();

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void randomRequests_completeAsTheModelSays() throws Exception {
    try (SoftDevice source = fabric.open("stress-source");
        SoftDevice destination = fabric.open("stress-destination")) {
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        long seed = SEED + thread;
        // One of them connects a device to itself.
        SoftDevice from = thread == 0 ? destination : source;
        var done = new CompletableFuture<Void>();
        running.add(done);
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                run(seed, from, destination);
                done.complete(null);
              } catch (Throwable e) {
                done.completeExceptionally(new AssertionError("seed " + seed, e));
              }
            });
      }
      CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(100, TimeUnit.SECONDS);
    }
    assertThat(fabric.portsInUse()).isZero();
  }

  private static void run(long seed, SoftDevice from, SoftDevice to) throws Exception {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (int i = 0; i < CONNECTIONS; i++) {
      try (SoftPair pair = SoftPair.connect(from, to)) {
        new Conversation(random, pair).run();
      }
    }
  }

  private record Expected(long workRequestId, WorkCompletionStatus status) {}

  /** One connection until its first error or a number of requests. */
  private static final class Conversation {
    private final RandomGenerator random;
    private final Endpoint client;
    private final Endpoint server;
    private final byte[] content = new byte[Endpoint.MEMORY];
    private final byte[] model = new byte[Endpoint.MEMORY];
    private final List<Expected> sent = new ArrayList<>();
    private final List<Expected> received = new ArrayList<>();

    /** Ids of receives that were posted and not used by a message yet, in order. */
    private final List<Long> receives = new ArrayList<>();

    private long nextId;
    private boolean clientFailed;
    private boolean serverFailed;

    Conversation(RandomGenerator random, SoftPair pair) {
      this.random = random;
      client = pair.client();
      server = pair.server();
      random.nextBytes(content);
      MemorySegment.copy(content, 0, client.memory, ValueLayout.JAVA_BYTE, 0, content.length);
    }

    void run() throws VerbsException {
      for (int batch = 0; batch < BATCHES && !clientFailed; batch++) {
        sent.clear();
        received.clear();
        // Uses other keys meanwhile.
        MemoryRegion bystander = server.domain.register(server.memory, Endpoint.ALL);
        while (receives.size() < DEPTH / 2) {
          postReceive();
        }
        int messages = 0;
        for (int i = random.nextInt(1, DEPTH); i > 0; i--) {
          boolean message = messages < DEPTH / 2 && random.nextBoolean();
          if (message) {
            messages++;
          }
          post(message, random.nextInt(200));
        }
        if (random.nextBoolean()) {
          bystander.close();
        }
        check();
        bystander.close();
      }
    }

    private void postReceive() throws VerbsException {
      long id = nextId++;
      server.receive(id, receiveOffset(id), MESSAGE);
      receives.add(id);
    }

    private static long receiveOffset(long id) {
      return HALF + id % (HALF / MESSAGE) * MESSAGE;
    }

    /** Posts a message or a write; a small dice value makes it invalid in some way. */
    private void post(boolean message, int dice) throws VerbsException {
      long id = nextId++;
      if (dice == 0) {
        client.queuePair.postSend(
            client.sendRequest.send(id, client.region.address(), 8, client.region.remoteKey()));
        failClient(id, LOC_PROT_ERR);
      } else if (dice == 1) {
        client.send(id, Endpoint.MEMORY - 7, 8);
        failClient(id, LOC_PROT_ERR);
      } else if (message && dice == 2) {
        client.send(id, 0, MESSAGE + 1);
        failBoth(id, REM_INV_REQ_ERR, LOC_LEN_ERR);
      } else if (message) {
        int length = random.nextInt(MESSAGE + 1);
        int at = random.nextInt(Endpoint.MEMORY - length + 1);
        client.send(id, at, length);
        if (clientFailed) {
          sent.add(new Expected(id, WR_FLUSH_ERR));
        } else {
          long receive = receives.removeFirst();
          System.arraycopy(content, at, model, (int) receiveOffset(receive), length);
          received.add(new Expected(receive, SUCCESS));
          sent.add(new Expected(id, SUCCESS));
        }
      } else if (dice <= 3) {
        client.queuePair.postSend(
            client.sendRequest.rdmaWrite(
                id,
                client.region.address(),
                64,
                client.region.localKey(),
                server.region.address() + (dice == 2 ? -1 : Endpoint.MEMORY - 63),
                server.region.remoteKey()));
        failBoth(id, REM_ACCESS_ERR, WR_FLUSH_ERR);
      } else {
        int length = random.nextInt(4096);
        int at = random.nextInt(Endpoint.MEMORY - length + 1);
        int to = random.nextInt(HALF - length + 1);
        boolean signaled = random.nextInt(4) > 0;
        client.queuePair.postSend(
            client
                .sendRequest
                .rdmaWrite(
                    id,
                    client.region.address() + at,
                    length,
                    client.region.localKey(),
                    server.region.address() + to,
                    server.region.remoteKey())
                .signaled(signaled));
        if (clientFailed) {
          sent.add(new Expected(id, WR_FLUSH_ERR));
        } else {
          System.arraycopy(content, at, model, to, length);
          if (signaled) {
            sent.add(new Expected(id, SUCCESS));
          }
        }
      }
    }

    private void failClient(long id, WorkCompletionStatus status) {
      sent.add(new Expected(id, clientFailed ? WR_FLUSH_ERR : status));
      clientFailed = true;
    }

    private void failBoth(long id, WorkCompletionStatus status, WorkCompletionStatus firstReceive) {
      if (!clientFailed) {
        serverFailed = true;
        WorkCompletionStatus receiveStatus = firstReceive;
        for (long receive : receives) {
          received.add(new Expected(receive, receiveStatus));
          receiveStatus = WR_FLUSH_ERR;
        }
        receives.clear();
      }
      failClient(id, status);
    }

    private void check() throws VerbsException {
      // At the end, frees the slots of unsignaled requests and shows that they were executed.
      long last = nextId++;
      client.queuePair.postSend(client.sendRequest.rdmaWrite(last, 0, 0, 0, 0, 0));
      sent.add(new Expected(last, clientFailed ? WR_FLUSH_ERR : SUCCESS));
      assertThat(Endpoint.completions(client.sendQueue, sent.size()))
          .extracting(Conversation::outcome)
          .isEqualTo(sent);
      assertThat(Endpoint.completions(server.receiveQueue, received.size()))
          .extracting(Conversation::outcome)
          .isEqualTo(received);
      assertThat(server.memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(model);
      assertThat(server.queuePair.state().name()).isEqualTo(serverFailed ? "ERROR" : "RTS");
    }

    private static Expected outcome(WorkCompletion completion) {
      return new Expected(completion.workRequestId(), completion.status());
    }
  }
}
