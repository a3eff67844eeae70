// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_LEN_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_PROT_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.LOC_QP_OP_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_ACCESS_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_INV_REQ_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.REM_OP_ERR;
import static org.wridscope.verbs.WorkCompletionStatus.SUCCESS;
import static org.wridscope.verbs.WorkCompletionStatus.WR_FLUSH_ERR;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which memory a request may access, and what happens to requests that may not. */
abstract class ProtectionContract extends VerbsContract {
  private static final Set<Access> NONE = EnumSet.noneOf(Access.class);

  protected ProtectionContract(VerbsUnderTest verbs) {
    super(verbs);
  }

  @Test
  void register_whatCannotBeRegistered_isInvalid() throws Exception {
    ProtectionDomain domain = closing(clientDevice.allocateProtectionDomain());
    MemorySegment heap = MemorySegment.ofArray(new byte[64]);
    assertErrno(Errno.EINVAL, () -> domain.register(heap, NONE));
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(64);
      assertErrno(Errno.EINVAL, () -> domain.register(memory.asSlice(0, 0), NONE));
      assertErrno(Errno.EINVAL, () -> domain.register(memory, EnumSet.of(Access.REMOTE_WRITE)));
    }
  }

  @Test
  void register_givesTheRangeOfTheMemory_andKeysOfItsOwn() throws Exception {
    ProtectionDomain domain = closing(clientDevice.allocateProtectionDomain());
    MemorySegment memory = closing(Arena.ofShared()).allocate(4096);
    Set<Integer> keys = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      MemoryRegion region = closing(domain.register(memory.asSlice(i, 10 + i), Endpoint.ALL));
      assertThat(region.address()).isEqualTo(memory.address() + i);
      assertThat(region.length()).isEqualTo(10 + i);
      assertThat(region.localKey()).isNotZero();
      assertThat(region.remoteKey()).isNotZero();
      assertThat(keys.add(region.remoteKey())).as("remote key %d is new", i).isTrue();
    }
  }

  @Test
  void domain_withARegionOrAQueuePair_isBusy() throws Exception {
    ProtectionDomain domain = clientDevice.allocateProtectionDomain();
    MemoryRegion region = domain.register(closing(Arena.ofShared()).allocate(64), Endpoint.ALL);
    assertErrno(Errno.EBUSY, domain::close);
    region.close();
    region.close();
    domain.close();
    domain.close();

    Endpoint client = connect().client();
    client.region.close();
    assertErrno(Errno.EBUSY, client.domain::close);
  }

  /** Ways for a request to name memory that it may not access. */
  enum Misuse {
    KEY_OF_NOBODY,
    KEY_ZERO,
    DEREGISTERED,
    FOREIGN_DOMAIN,
    ONE_BYTE_BEFORE,
    ONE_BYTE_PAST,
    FAR_PAST,
    BEFORE_ZERO,
    WRAPS_AROUND,
    MISSING_RIGHT
  }

  /** The memory that a request names. */
  private record Place(long address, int localKey, int remoteKey) {
    static final int LENGTH = 64;
  }

  /** Misused memory of an endpoint, which must not change. */
  private Place misused(Misuse misuse, Endpoint endpoint) throws Exception {
    MemoryRegion region = endpoint.region;
    long start = region.address();
    int local = region.localKey();
    int remote = region.remoteKey();
    switch (misuse) {
      case KEY_OF_NOBODY -> {
        local ^= 0x5a0000;
        remote ^= 0x5a0000;
      }
      case KEY_ZERO -> {
        local = 0;
        remote = 0;
      }
      case DEREGISTERED -> {
        MemoryRegion gone = endpoint.domain.register(endpoint.memory, Endpoint.ALL);
        local = gone.localKey();
        remote = gone.remoteKey();
        gone.close();
      }
      case FOREIGN_DOMAIN -> {
        ProtectionDomain other = closing(endpoint.device.allocateProtectionDomain());
        MemoryRegion foreign = closing(other.register(endpoint.memory, Endpoint.ALL));
        local = foreign.localKey();
        remote = foreign.remoteKey();
      }
      case ONE_BYTE_BEFORE -> start -= 1;
      case ONE_BYTE_PAST -> start += region.length() - Place.LENGTH + 1;
      case FAR_PAST -> start += 1L << 40;
      case BEFORE_ZERO -> start = -Place.LENGTH;
      case WRAPS_AROUND -> start = Long.MAX_VALUE - 8;
      case MISSING_RIGHT -> {
        MemoryRegion readOnly = closing(endpoint.domain.register(endpoint.memory, NONE));
        local = readOnly.localKey();
        remote = readOnly.remoteKey();
      }
    }
    return new Place(start, local, remote);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MISSING_RIGHT")
  void localMemory_misused_isALocalProtectionError(Misuse misuse) throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    pair.server().receive(50, 0, 1024);
    client.receive(51, 0, 1024);
    Place place = misused(misuse, client);
    client.queuePair.postSend(
        client.sendRequest.send(1, place.address(), Place.LENGTH, place.localKey()));
    client.write(2, 0, 8, pair.server());

    // Soft-RoCE since Linux 6.12 at the latest flushes even the request that caused it.
    assertError(client.sent(), 1, LOC_PROT_ERR, LOC_QP_OP_ERR, WR_FLUSH_ERR);
    assertCompletion(client.sent(), 2, WR_FLUSH_ERR);
    assertCompletion(client.received(), 51, WR_FLUSH_ERR);
    assertThat(client.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.RTS);
    assertNoCompletion(pair.server().receiveQueue);
  }

  /** As with rdma-core's rxe, mlx4 and mlx5; the responder gets no event. */
  @ParameterizedTest
  @EnumSource
  void remoteMemory_misused_isARemoteAccessError_andFailsTheResponderSilently(Misuse misuse)
      throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    Endpoint server = pair.server();
    server.receive(60, 0, 8);
    server.receive(61, 0, 8);
    client.memory.fill((byte) 0x77);
    Place place = misused(misuse, server);
    client.queuePair.postSend(
        client.sendRequest.rdmaWrite(
            1,
            client.region.address(),
            Place.LENGTH,
            client.region.localKey(),
            place.address(),
            place.remoteKey()));
    client.send(2, 0, 8);

    assertError(client.sent(), 1, REM_ACCESS_ERR);
    assertCompletion(client.sent(), 2, WR_FLUSH_ERR);
    assertCompletion(server.received(), 60, WR_FLUSH_ERR);
    assertCompletion(server.received(), 61, WR_FLUSH_ERR);
    assertThat(client.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(server.queuePair.state()).isEqualTo(QueuePairState.ERROR);
    assertThat(server.connection.nextEvent(Duration.ofMillis(20))).isNull();
    assertThat(server.memory.mismatch(MemorySegment.ofArray(new byte[Endpoint.MEMORY])))
        .as("first byte that was touched")
        .isEqualTo(-1);
  }

  @ParameterizedTest
  @EnumSource
  void receiveMemory_misused_isALocalProtectionErrorThere_andARemoteOperationErrorHere(
      Misuse misuse) throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    Endpoint server = pair.server();
    client.memory.fill((byte) 0x77);
    Place place = misused(misuse, server);
    server.queuePair.postReceive(
        server.receiveRequest.fill(70, place.address(), Place.LENGTH, place.localKey()));
    server.receive(71, 0, 8);
    client.send(1, 0, Place.LENGTH);

    assertError(server.received(), 70, LOC_PROT_ERR, LOC_QP_OP_ERR);
    assertCompletion(server.received(), 71, WR_FLUSH_ERR);
    assertError(client.sent(), 1, REM_OP_ERR);
    client.awaitState(QueuePairState.ERROR);
    assertThat(server.queuePair.state()).isEqualTo(QueuePairState.ERROR);
  }

  /** IBTA 9.7.5: the responder reports an invalid request; soft-RoCE an operational error. */
  @Test
  void messageLongerThanTheReceive_isALengthErrorThere_andAnInvalidRequestHere() throws Exception {
    Pair pair = connect();
    pair.server().receive(1, 0, 15);
    pair.server().receive(2, 64, 64);
    pair.client().memory.fill((byte) 9);
    pair.client().send(3, 0, 16);
    pair.client().send(4, 0, 16);

    assertError(pair.server().received(), 1, LOC_LEN_ERR, LOC_QP_OP_ERR);
    assertCompletion(pair.server().received(), 2, WR_FLUSH_ERR);
    assertError(pair.client().sent(), 3, REM_INV_REQ_ERR, REM_OP_ERR);
    assertCompletion(pair.client().sent(), 4, WR_FLUSH_ERR);
    assertThat(pair.server().queuePair.state()).isEqualTo(QueuePairState.ERROR);
  }

  @Test
  void errorCompletion_ofAnUnsignaledRequest_comesNevertheless() throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    client.queuePair.postSend(
        client.sendRequest.send(1, client.region.address(), 8, 0).signaled(false));
    client.queuePair.postSend(
        client
            .sendRequest
            .send(2, client.region.address(), 8, client.region.localKey())
            .signaled(false));
    // Soft-RoCE since Linux 6.12 at the latest flushes even the request that caused it.
    assertError(client.sent(), 1, LOC_PROT_ERR, LOC_QP_OP_ERR, WR_FLUSH_ERR);
    assertCompletion(client.sent(), 2, WR_FLUSH_ERR);
  }

  @Test
  void regionWithoutRights_canBeSentFrom() throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    MemorySegment memory = closing(Arena.ofShared()).allocate(64);
    memory.setString(0, "read only");
    MemoryRegion region = client.domain.register(memory.asReadOnly(), NONE);
    pair.server().receive(1, 0, 64);
    client.queuePair.postSend(client.sendRequest.send(2, region.address(), 64, region.localKey()));
    assertCompletion(client.sent(), 2, SUCCESS);
    assertCompletion(pair.server().received(), 1, SUCCESS);
    assertThat(pair.server().memory.getString(0)).isEqualTo("read only");
    region.close();
  }

  @Test
  void wholeRegion_canBeWritten_toItsLastByte() throws Exception {
    Pair pair = connect();
    pair.client().memory.fill((byte) 3);
    pair.client().write(1, 0, Endpoint.MEMORY, pair.server());
    assertCompletion(pair.client().sent(), 1, SUCCESS);
    assertThat(pair.server().memory.mismatch(pair.client().memory)).isEqualTo(-1);
  }

  @Test
  void regionsMayOverlap_andOutliveEachOther() throws Exception {
    Pair pair = connect();
    Endpoint client = pair.client();
    MemoryRegion twin = client.domain.register(client.memory, Endpoint.ALL);
    twin.close();
    client.write(1, 0, 8, pair.server());
    assertCompletion(client.sent(), 1, SUCCESS);
  }

  /** Memory may be freed once its region is closed: no transfer may access it afterwards. */
  @Test
  void closingARegion_waitsForTheTransferUnderWay() throws Exception {
    for (int round = 0; round < 20; round++) {
      Pair pair = connect();
      Endpoint client = pair.client();
      int length = 4 << 20;
      try (Arena targetArena = Arena.ofShared();
          Arena sourceArena = Arena.ofShared()) {
        MemorySegment target = targetArena.allocate(length);
        MemorySegment source = sourceArena.allocate(length).fill((byte) 1);
        MemoryRegion targetRegion = pair.server().domain.register(target, Endpoint.ALL);
        MemoryRegion sourceRegion = client.domain.register(source, NONE);
        for (int i = 0; i < 8; i++) {
          client.queuePair.postSend(
              client.sendRequest.rdmaWrite(
                  i,
                  sourceRegion.address(),
                  length,
                  sourceRegion.localKey(),
                  targetRegion.address(),
                  targetRegion.remoteKey()));
        }
        if (round % 2 == 1) {
          assertCompletion(client.sent(), 0, SUCCESS);
        }
        targetRegion.close();
        target.fill((byte) 2);
        for (int i = round % 2; i < 8; i++) {
          client.sent();
        }
        sourceRegion.close();
        assertThat(target.mismatch(source.fill((byte) 2)))
            .as("first byte touched after the region was closed")
            .isEqualTo(-1);
      }
    }
  }
}
