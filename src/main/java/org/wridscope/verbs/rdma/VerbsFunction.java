// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Rdmacm;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A function through which programs use devices. Every program that posts to a device or polls from
 * it calls one of the device's provider, the library that libibverbs loads for it, through the
 * table in its context. Programs that use librdmacm call that by name.
 *
 * @param verb what it does
 * @param address in this process
 */
public record VerbsFunction(Verb verb, long address) {
  /** What programs call. */
  public enum Verb {
    POLL_CQ(Struct.Context.POLL_CQ),
    POST_SEND(Struct.Context.POST_SEND),
    POST_RECV(Struct.Context.POST_RECV),
    POST_SRQ_RECV(Struct.Context.POST_SRQ_RECV),
    /** {@code rdma_connect}, which is in no table. */
    CONNECT(Verb.NO_OFFSET),
    /** {@code rdma_accept}, likewise. */
    ACCEPT(Verb.NO_OFFSET);

    private static final int NO_OFFSET = -1;

    private final int offset;

    Verb(int offset) {
      this.offset = offset;
    }
  }

  /**
   * The functions of this machine's devices, and those of librdmacm. Their libraries stay loaded.
   *
   * @param only the device to look at; null for all
   * @throws VerbsException if the device is not there, or one may not be opened; one sentence
   */
  public static Set<VerbsFunction> find(@Nullable String only) throws VerbsException {
    Installation.require();
    Set<VerbsFunction> found = new LinkedHashSet<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_INT);
      long devices = RdmaDevices.deviceList(count);
      try {
        for (int i = 0; i < count.get(JAVA_INT, 0); i++) {
          long device = Memory.getLong(devices + (long) i * Long.BYTES);
          if (only == null || only.equals(Query.name(device))) {
            found.addAll(ofDevice(device));
          }
        }
      } finally {
        Ibverbs.FREE_DEVICE_LIST.call(devices);
      }
    } catch (NativeCallException e) {
      throw Installation.failed("finding the functions of the RDMA devices", e);
    }
    if (found.isEmpty()) {
      throw RdmaDevices.notFound(only == null ? "to attach to" : only);
    }
    found.add(new VerbsFunction(Verb.CONNECT, Rdmacm.CONNECT.address()));
    found.add(new VerbsFunction(Verb.ACCEPT, Rdmacm.ACCEPT.address()));
    return found;
  }

  private static List<VerbsFunction> ofDevice(long device)
      throws VerbsException, NativeCallException {
    long context;
    try {
      context = Ibverbs.OPEN_DEVICE.call(device);
    } catch (NativeCallException e) {
      throw Installation.notOpened(Query.name(device), Query.verbsNode(device), e.errno());
    }
    try {
      return Arrays.stream(Verb.values())
          .filter(verb -> verb.offset != Verb.NO_OFFSET)
          .map(verb -> new VerbsFunction(verb, Memory.getLong(context + verb.offset)))
          .toList();
    } finally {
      Ibverbs.CLOSE_DEVICE.call(context);
    }
  }

  /** Its first bytes in this process as a number; a probe replaces some of them. */
  public int firstBytes() {
    return Memory.getInt(address);
  }
}
