// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.rdma.ffm.Ibverbs;
import org.wridscope.verbs.rdma.ffm.Memory;
import org.wridscope.verbs.rdma.ffm.NativeCallException;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * A function of a device's provider, the library that libibverbs loads for it. Every program that
 * posts to the device or polls from it calls this function, through the table in its context.
 *
 * @param verb what it does
 * @param address in this process
 */
public record ProviderFunction(Verb verb, long address) {
  /** What programs call through the table. */
  public enum Verb {
    POLL_CQ(Struct.Context.POLL_CQ),
    POST_SEND(Struct.Context.POST_SEND),
    POST_RECV(Struct.Context.POST_RECV),
    POST_SRQ_RECV(Struct.Context.POST_SRQ_RECV);

    private final int offset;

    Verb(int offset) {
      this.offset = offset;
    }
  }

  /**
   * The functions of this machine's devices. Their libraries stay loaded.
   *
   * @param only the device to look at; null for all
   * @throws VerbsException if the device is not there, or one may not be opened; one sentence
   */
  public static Set<ProviderFunction> find(@Nullable String only) throws VerbsException {
    Installation.require();
    Set<ProviderFunction> found = new LinkedHashSet<>();
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
    return found;
  }

  private static List<ProviderFunction> ofDevice(long device)
      throws VerbsException, NativeCallException {
    long context;
    try {
      context = Ibverbs.OPEN_DEVICE.call(device);
    } catch (NativeCallException e) {
      throw Installation.notOpened(Query.name(device), Query.verbsNode(device), e.errno());
    }
    try {
      return List.of(Verb.values()).stream()
          .map(verb -> new ProviderFunction(verb, Memory.getLong(context + verb.offset)))
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
