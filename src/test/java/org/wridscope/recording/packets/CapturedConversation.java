// SPDX-License-Identifier: Apache-2.0
package org.wridscope.recording.packets;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.wridscope.protocol.Capabilities;
import org.wridscope.protocol.CompressCommand;
import org.wridscope.protocol.ControlHeader;
import org.wridscope.protocol.ControlType;
import org.wridscope.protocol.RegisterCommand;
import org.wridscope.protocol.RegisterResult;
import org.wridscope.protocol.RemoteBlock;
import org.wridscope.wire.Wire;

/**
 * Captured messages and RDMA WRITEs between two ends of a migration, and their acknowledgements.
 */
public final class CapturedConversation {
  private static final int SEND_ONLY = 4;
  private static final int WRITE_FIRST = 6;
  private static final int WRITE_LAST = 8;
  private static final int MIB = 1 << 20;
  static final int QP_A = 17;
  static final int QP_B = 18;
  static final int KEY = 0x1234;
  static final long HOST = 0x7f00_0000_0000L;
  private static final long OFFSET = 0x40_0000;

  private final Wire wire = new Wire();
  private int psnA = 0xfffffd;
  private int psnB = 100;

  public void send(boolean fromSource, ControlType type, byte[] payload) {
    String from = fromSource ? Wire.A : Wire.B;
    String to = fromSource ? Wire.B : Wire.A;
    int psn = fromSource ? psnA++ : psnB++;
    wire.add(from, to, SEND_ONLY, fromSource ? QP_B : QP_A, psn, header(type, payload), payload);
    wire.acknowledge(to, from, fromSource ? QP_A : QP_B, psn, 0x1f);
  }

  private static byte[] header(ControlType type, byte[] payload) {
    int repeat = type == ControlType.QEMU_FILE ? 0xbad : 1;
    return ByteBuffer.allocate(ControlHeader.BYTES)
        .putInt(payload.length)
        .putInt(type.value())
        .putInt(repeat)
        .array();
  }

  public void write(long address, int key) {
    byte[] head = Wire.reth(address, key, 2000);
    wire.add(Wire.A, Wire.B, WRITE_FIRST, QP_B, psnA, head, new byte[1024]);
    wire.add(Wire.A, Wire.B, WRITE_LAST, QP_B, psnA + 1, new byte[976]);
    psnA += 2;
  }

  /** Answers the last packet of the source negatively, as a request of one packet. */
  public void refuse(int syndrome) {
    wire.acknowledge(Wire.B, Wire.A, QP_A, psnA - 1, syndrome);
  }

  /** The source's queue pair is told that its packets meet congestion. */
  public void congest() {
    wire.add(Wire.B, Wire.A, 0x81, QP_A, 0, new byte[16]);
  }

  /** The source sends its last message again. */
  void again(byte[] payload) {
    wire.add(
        Wire.A, Wire.B, SEND_ONLY, QP_B, psnA - 1, header(ControlType.QEMU_FILE, payload), payload);
  }

  public void acknowledge() {
    wire.acknowledge(Wire.B, Wire.A, QP_A, psnA - 1, 0x1f);
  }

  /** The source asks to disconnect. */
  public void disconnect() {
    wire.disconnect(Wire.A, Wire.B, QP_B);
  }

  /** The packets so far. */
  public Wire wire() {
    return wire;
  }

  /** The beginning of a migration stream, with one block of 4 MiB. */
  static byte[] stream() {
    byte[] machine = "pc".getBytes(StandardCharsets.US_ASCII);
    byte[] ram = "ram".getBytes(StandardCharsets.US_ASCII);
    byte[] name = "pc.ram".getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.allocate(200);
    bytes.putInt(0x5145564d).putInt(3).put((byte) 7).putInt(machine.length).put(machine);
    bytes.put((byte) 1).putInt(2).put((byte) 3).put(ram).putInt(0).putInt(4);
    bytes.putLong(4 * MIB | 4).put((byte) name.length).put(name).putLong(4 * MIB);
    bytes.putLong(0x80);
    byte[] all = new byte[bytes.position()];
    bytes.get(0, all);
    return all;
  }

  private static byte[] lastPart() {
    return ByteBuffer.allocate(13).put((byte) 3).putInt(2).putLong(0x80).array();
  }

  /** A whole migration, which is not disconnected at its end. */
  public static CapturedConversation migration(boolean pinAll) {
    var talk = new CapturedConversation();
    int flags = pinAll ? Capabilities.PIN_ALL : 0;
    byte[] private1 = Capabilities.of(flags).toBytes();
    talk.wire.connect(Wire.A, QP_A, private1, Wire.B, QP_B, private1);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, stream());
    talk.send(true, ControlType.RAM_BLOCKS_REQUEST, new byte[0]);
    ByteBuffer blocks = ByteBuffer.allocate(RemoteBlock.BYTES);
    new RemoteBlock(HOST, OFFSET, 4 * MIB, pinAll ? KEY : 0).encode(blocks);
    talk.send(false, ControlType.RAM_BLOCKS_RESULT, blocks.array());
    if (!pinAll) {
      ByteBuffer command = ByteBuffer.allocate(24);
      new RegisterCommand(OFFSET + MIB + 4096, 0, 1).encode(command);
      talk.send(true, ControlType.REGISTER_REQUEST, command.array());
      ByteBuffer result = ByteBuffer.allocate(RegisterResult.BYTES);
      new RegisterResult(KEY, HOST).encode(result);
      talk.send(false, ControlType.REGISTER_RESULT, result.array());
    }
    talk.write(HOST + MIB + 4096, KEY);
    talk.write(HOST + 2 * MIB, KEY);
    talk.acknowledge();
    ByteBuffer zeros = ByteBuffer.allocate(24);
    new CompressCommand(0, 0, OFFSET + 3 * MIB, 4096).encode(zeros);
    talk.send(true, ControlType.COMPRESS, zeros.array());
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, lastPart());
    talk.send(true, ControlType.REGISTER_FINISHED, new byte[0]);
    talk.send(false, ControlType.READY, new byte[0]);
    talk.send(true, ControlType.QEMU_FILE, new byte[50]);
    return talk;
  }
}
