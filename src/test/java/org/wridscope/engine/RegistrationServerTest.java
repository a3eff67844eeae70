// SPDX-License-Identifier: Apache-2.0
package org.wridscope.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.wridscope.memory.ChunkState;
import org.wridscope.memory.ChunkTable;
import org.wridscope.memory.RamBlock;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.ProtocolException;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.protocol.UnregisterCommand;
import org.wridscope.stream.RamPhase;
import org.wridscope.telemetry.Metric;
import org.wridscope.verbs.Access;

/** The server on a thread of its own, and its source on the thread of the test. */
class RegistrationServerTest {
  private static final int PAGE = RamBlock.PAGE_SIZE;
  private static final long CHUNK = ChunkTable.CHUNK_SIZE;

  private ConnectedPair pair;
  private BlockGuest copy;
  private List<ChunkTable> tables;
  private @Nullable RegistrationServer server;
  private @Nullable CompletableFuture<Void> serving;

  @BeforeEach
  void connect() throws Exception {
    pair = new ConnectedPair();
    copy = BlockGuest.of(2 * CHUNK + PAGE, PAGE);
    tables = ChunkTable.tablesOf(copy.ramBlocks());
  }

  @AfterEach
  void disconnect() throws Exception {
    pair.close();
    copy.close();
  }

  private void serve(RamPhase phase, boolean pinAll) {
    RegistrationServer current = server == null ? server(pinAll) : server;
    server = current;
    serving =
        CompletableFuture.runAsync(() -> {
          try {
            current.serve(phase);
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        });
  }

  private RegistrationServer server(boolean pinAll) {
    List<RamBlock> ram = copy.ramBlocks();
    pair.destinationTelemetry.setBlocks(tables);
    var access = EnumSet.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    var registrar =
        new Registrar(pair.destination.endpoint(), ram, tables, pair.destinationTelemetry, access);
    return new RegistrationServer(
        pair.destination, registrar, ram, tables, pinAll, pair.destinationTelemetry);
  }

  private void send(ControlType type, int commands, Consumer<ByteBuffer> payload) throws Exception {
    payload.accept(pair.source.control().payload());
    pair.source.control().sendWhenReady(type, commands);
  }

  private <T> T receive(ControlType type, Decoder<T> decoder) throws Exception {
    Message message = pair.source.control().receive(type, Rig.END);
    T decoded = decoder.decode(message);
    pair.source.control().release(message);
    return decoded;
  }

  private interface Decoder<T> {
    T decode(Message message) throws Exception;
  }

  private List<RemoteBlock> exchangeBlocks(boolean pinAll) throws Exception {
    serve(RamPhase.SETUP, pinAll);
    send(ControlType.RAM_BLOCKS_REQUEST, 1, payload -> {});
    List<RemoteBlock> blocks =
        receive(
            ControlType.RAM_BLOCKS_RESULT,
            message -> RemoteBlock.decodeList(message.payload(), message.header().length(), 2));
    finish();
    return blocks;
  }

  private void finish() throws Exception {
    send(ControlType.REGISTER_FINISHED, 1, payload -> {});
    CompletableFuture<Void> current = serving;
    if (current != null) {
      current.join();
    }
  }

  private int register(long address, int block, long more) throws Exception {
    send(
        ControlType.REGISTER_REQUEST,
        1,
        payload -> new RegisterCommand(address, block, more).encode(payload));
    RegisterResult result =
        receive(ControlType.REGISTER_RESULT, message -> RegisterResult.decode(message.payload()));
    assertThat(result.hostAddress()).isEqualTo(copy.memory(block).address());
    return result.remoteKey();
  }

  private void assertRejects(String field, String value) {
    CompletableFuture<Void> current = serving;
    assertThat(current).isNotNull();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(current::join)
        .withCauseInstanceOf(ProtocolException.class)
        .satisfies(e -> {
          var cause = (ProtocolException) Objects.requireNonNull(e.getCause());
          assertThat(cause.field()).isEqualTo(field);
          assertThat(cause.value()).isEqualTo(value);
        });
  }

  private long metric(Metric metric) {
    return pair.destinationTelemetry.metrics().get(metric);
  }

  @Test
  void blocksHaveKeys_withPinAllOnly() throws Exception {
    List<RemoteBlock> blocks = exchangeBlocks(false);
    assertThat(blocks).extracting(RemoteBlock::remoteKey).containsExactly(0, 0);
    assertThat(blocks).extracting(RemoteBlock::offset).containsExactly(0L, 3 * CHUNK);
    assertThat(blocks)
        .extracting(RemoteBlock::length)
        .containsExactly(2 * CHUNK + PAGE, (long) PAGE);
    assertThat(metric(Metric.REGISTRATIONS_ALIVE)).isZero();
  }

  @Test
  void wholeBlocksAreRegistered_withPinAll() throws Exception {
    List<RemoteBlock> blocks = exchangeBlocks(true);
    assertThat(blocks).extracting(RemoteBlock::remoteKey).doesNotContain(0).doesNotHaveDuplicates();
    assertThat(metric(Metric.REGISTRATIONS_ALIVE)).isEqualTo(2);
    serve(RamPhase.ROUND, true);
    assertThat(register(CHUNK, 0, 1)).isEqualTo(blocks.getFirst().remoteKey());
    finish();
    assertThat(metric(Metric.REGISTRATIONS_TOTAL)).isEqualTo(2);
  }

  @Test
  void requestBeforeTheBlocks_isRejected() throws Exception {
    serve(RamPhase.SETUP, false);
    send(ControlType.REGISTER_FINISHED, 1, payload -> {});
    assertRejects("control message type", "REGISTER FINISHED");
  }

  @Test
  void secondRequestForTheBlocks_isRejected() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    send(ControlType.RAM_BLOCKS_REQUEST, 1, payload -> {});
    assertRejects("RAM BLOCKS REQUEST", "another one");
  }

  @Test
  void sameRun_keepsItsRegistration_andALongerOneReplacesIt() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    int key = register(CHUNK + 5, 0, 0);
    assertThat(register(CHUNK, 0, 0)).isEqualTo(key);
    assertThat(metric(Metric.REGISTRATIONS_TOTAL)).isEqualTo(1);
    assertThat(register(CHUNK, 0, 1)).isNotEqualTo(key);
    assertThat(register(CHUNK, 0, 0)).isEqualTo(tables.getFirst().remoteKey(1));
    finish();
    assertThat(metric(Metric.REGISTRATIONS_TOTAL)).isEqualTo(2);
    assertThat(metric(Metric.REGISTRATIONS_ALIVE)).isEqualTo(1);
    assertThat(metric(Metric.REGISTERED_BYTES)).isEqualTo(CHUNK + PAGE);
    assertThat(metric(Metric.REGISTERED_BYTES_PEAK)).isEqualTo(CHUNK + PAGE);
  }

  @Test
  void severalCommands_areAnsweredInOrder() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    send(
        ControlType.REGISTER_REQUEST,
        2,
        payload -> {
          new RegisterCommand(3 * CHUNK, 1, 0).encode(payload);
          new RegisterCommand(0, 0, 2).encode(payload);
        });
    int[] keys =
        receive(
            ControlType.REGISTER_RESULT,
            message -> {
              assertThat(RegisterResult.requireRepeat(message.header(), 2)).isEqualTo(2);
              return new int[] {
                RegisterResult.decode(message.payload()).remoteKey(),
                RegisterResult.decode(message.payload()).remoteKey()
              };
            });
    finish();
    assertThat(keys[0]).isEqualTo(tables.get(1).remoteKey(0));
    assertThat(keys[1]).isEqualTo(tables.get(0).remoteKey(2));
  }

  @Test
  void chunksOutsideOfABlock_areRejected() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    send(
        ControlType.REGISTER_REQUEST,
        1,
        payload -> new RegisterCommand(CHUNK, 0, 2).encode(payload));
    assertRejects("REGISTER REQUEST chunks", "2");
    assertThat(metric(Metric.REGISTRATIONS_TOTAL)).isZero();
  }

  @Test
  void registration_isGoneAfterItWasDeregistered() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    register(0, 0, 1);
    send(
        ControlType.UNREGISTER_REQUEST,
        1,
        payload -> new UnregisterCommand(0, 0, 0).encode(payload));
    receive(ControlType.UNREGISTER_FINISHED, message -> message.header().repeat());
    assertThat(metric(Metric.REGISTRATIONS_ALIVE)).isZero();
    assertThat(tables.getFirst().state(1)).isEqualTo(ChunkState.NOT_REGISTERED);
    send(
        ControlType.UNREGISTER_REQUEST,
        1,
        payload -> new UnregisterCommand(0, 0, 0).encode(payload));
    assertRejects("UNREGISTER REQUEST chunk", "0");
  }

  @Test
  void pinnedBlock_cannotBeDeregistered() throws Exception {
    exchangeBlocks(true);
    serve(RamPhase.ROUND, true);
    send(
        ControlType.UNREGISTER_REQUEST,
        1,
        payload -> new UnregisterCommand(0, 0, 0).encode(payload));
    assertRejects("UNREGISTER REQUEST chunk", "0");
    assertThat(metric(Metric.REGISTRATIONS_ALIVE)).isEqualTo(2);
  }

  @Test
  void compress_fillsItsRange_andNothingElse() throws Exception {
    copy.memory(0).fill((byte) 1);
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    assertThat(metric(Metric.FILL_TIME)).isZero();
    send(
        ControlType.COMPRESS,
        2,
        payload -> {
          new CompressCommand(0, 0, PAGE, CHUNK).encode(payload);
          new CompressCommand(9, 1, 3 * CHUNK, PAGE).encode(payload);
        });
    finish();
    var expected = ByteBuffer.allocate(Math.toIntExact(2 * CHUNK + PAGE));
    while (expected.hasRemaining()) {
      long at = expected.position();
      expected.put((byte) (at >= PAGE && at < PAGE + CHUNK ? 0 : 1));
    }
    assertThat(copy.memory(0).asByteBuffer()).isEqualTo(expected.flip());
    assertThat(copy.memory(1).toArray(ValueLayout.JAVA_BYTE)).containsOnly(9);
    assertThat(metric(Metric.RAM_PROCESSED)).isEqualTo(CHUNK + PAGE);
    assertThat(metric(Metric.FILL_TIME)).isPositive();
    assertThat(tables.get(0).state(0)).isEqualTo(ChunkState.ZERO);
    assertThat(tables.get(0).state(2)).isEqualTo(ChunkState.NOT_REGISTERED);
  }

  @Test
  void partOfAPage_isRejected() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    send(ControlType.COMPRESS, 1, payload -> new CompressCommand(0, 0, 8, PAGE).encode(payload));
    assertRejects("COMPRESS range", "8 +4096");
  }

  @Test
  void messageOutsideOfTheLoop_isRejected() throws Exception {
    exchangeBlocks(false);
    serve(RamPhase.ROUND, false);
    send(ControlType.QEMU_FILE, 1, payload -> payload.put((byte) 1));
    assertRejects("control message type", "QEMU FILE");
  }
}
