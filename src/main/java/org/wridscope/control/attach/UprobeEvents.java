// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.wridscope.host.Processor;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * The events by which the kernel tells posts and connections without bpftrace, in the language of
 * {@code uprobe_events}, made of numbers and of paths that {@link Probe} has checked. {@link
 * UprobeLines} reads what they print.
 *
 * <p>A function that posts has an event at its entry, with what is posted, and one at its return,
 * with the result. Programs poll without pause, so that events of all polls would fill the buffers:
 * a trigger at the entry keeps the completion queue of each thread instead, and one at the return
 * makes an event only if there were completions.
 */
final class UprobeEvents {
  /** How many requests of a chain are read. */
  static final int CHAIN = 4;

  /** How many requests of a chain are counted, at most. */
  static final int COUNTED = 12;

  /** How many scatter/gather elements of a request are added up. */
  static final int ELEMENTS = 4;

  /** What the name of the event at a function's return ends with. */
  static final String RETURN = "_ret";

  /** Upper limit of the threads whose completion queue is kept. */
  private static final int THREADS = 8192;

  private static final String RESULT = "got=$retval:s32";

  private final String group;
  private final Processor processor;
  private final List<String> registers;
  private final List<Probe> probes;
  private final List<NamePart> device;

  /** A part of the name of the device, and how many bytes it has: 8, 4, 2 or 1. */
  private record NamePart(int at, int bytes, long value) {
    String field() {
      return "d" + at;
    }
  }

  /**
   * @param group a name for all of them, that of the synthetic event, too
   * @throws IOException if the processor is not known; one sentence
   */
  UprobeEvents(String group, Processor processor, Collection<Probe> probes, TraceFilter filter)
      throws IOException {
    this.group = group;
    this.processor = processor;
    registers = registers(processor);
    this.probes = List.copyOf(probes);
    device =
        switch (filter) {
          case TraceFilter.OfProcess _ -> List.of();
          case TraceFilter.OfDevice(String name) -> parts(name);
        };
  }

  /**
   * The registers of the first four arguments of a function.
   *
   * @throws IOException if they are not known; one sentence
   */
  private static List<String> registers(Processor processor) throws IOException {
    return switch (processor) {
      case X86_64 -> List.of("%di", "%si", "%dx", "%cx");
      case AARCH64 -> List.of("%x0", "%x1", "%x2", "%x3");
      case OTHER ->
          throw new IOException(
              "Plain uprobes are for x86-64 and aarch64, and this machine is %s; install bpftrace."
                  .formatted(Processor.architecture()));
    };
  }

  /** The kernel compares fields of 8, 4, 2 and 1 bytes. The last byte is the zero at the end. */
  private static List<NamePart> parts(String name) {
    ByteBuffer bytes =
        ByteBuffer.wrap((name + "\0").getBytes(StandardCharsets.ISO_8859_1))
            .order(ByteOrder.LITTLE_ENDIAN);
    List<NamePart> parts = new ArrayList<>();
    while (bytes.hasRemaining()) {
      int at = bytes.position();
      int size = Math.min(Long.BYTES, Integer.highestOneBit(bytes.remaining()));
      parts.add(
          new NamePart(
              at,
              size,
              switch (size) {
                case Long.BYTES -> bytes.getLong();
                case Integer.BYTES -> Integer.toUnsignedLong(bytes.getInt());
                case Short.BYTES -> Short.toUnsignedLong(bytes.getShort());
                default -> Byte.toUnsignedLong(bytes.get());
              }));
    }
    return parts;
  }

  /** Lines for {@code uprobe_events}. */
  List<String> definitions() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < probes.size(); i++) {
      Probe probe = probes.get(i);
      String place = "%s:0x%x".formatted(probe.library(), probe.offset());
      lines.add("p:%s/%s %s %s".formatted(group, name(i), place, fields(probe.verb())));
      if (returns(probe.verb())) {
        lines.add("r:%s/%s%s %s %s".formatted(group, name(i), RETURN, place, RESULT));
      }
    }
    return lines;
  }

  /** The line for {@code synthetic_events}: the event of a poll that had completions. */
  String synthetic() {
    return "%s u64 cq; u64 context; %ss32 got"
        .formatted(
            group,
            device.stream()
                .map(part -> "u%d %s; ".formatted(8 * part.bytes(), part.field()))
                .collect(Collectors.joining()));
  }

  /** The triggers by event; each refers to earlier ones only. */
  Map<String, String> triggers() {
    Map<String, String> triggers = new LinkedHashMap<>();
    for (int i = 0; i < probes.size(); i++) {
      if (probes.get(i).verb() == Verb.POLL_CQ) {
        int number = i;
        List<String> kept = new ArrayList<>(List.of("cq", "context"));
        device.forEach(part -> kept.add(part.field()));
        String variables =
            kept.stream()
                .map(field -> "%s_%d=%s".formatted(field, number, field))
                .collect(Collectors.joining(","));
        String told =
            kept.stream()
                .map(field -> "$%s_%d".formatted(field, number))
                .collect(Collectors.joining(","));
        triggers.put(name(i), "hist:keys=common_pid:size=%d:%s".formatted(THREADS, variables));
        triggers.put(
            name(i) + RETURN,
            "hist:keys=common_pid:size=%d:got_%d=got:onmatch(%s.%s).trace(%s,%s,$got_%d) if got > 0"
                .formatted(THREADS, i, group, name(i), group, told, i));
      }
    }
    return triggers;
  }

  /** The events that are printed, apart from the synthetic one. */
  List<String> printed() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < probes.size(); i++) {
      Verb verb = probes.get(i).verb();
      if (verb != Verb.POLL_CQ) {
        names.add(name(i));
        if (returns(verb)) {
          names.add(name(i) + RETURN);
        }
      }
    }
    return names;
  }

  /** Whether an event has the fields of {@link #condition()}. */
  static boolean isFiltered(String event) {
    return !event.endsWith(RETURN);
  }

  /** Which of them are wanted; empty for all. */
  String condition() {
    return device.stream()
        .map(part -> "%s == 0x%x".formatted(part.field(), part.value()))
        .collect(Collectors.joining(" && "));
  }

  private String name(int probe) {
    return "%s_%d".formatted(probes.get(probe).verb().name().toLowerCase(Locale.ROOT), probe);
  }

  private static boolean returns(Verb verb) {
    return switch (verb) {
      case POLL_CQ, POST_SEND, POST_RECV, POST_SRQ_RECV, WR_COMPLETE -> true;
      default -> false;
    };
  }

  /** The fields at the entry. The structure of every first argument begins with the context. */
  private String fields(Verb verb) {
    List<String> fields = new ArrayList<>();
    fields.add("context=+0(%s):x64".formatted(argument(0)));
    fields.addAll(own(verb));
    for (NamePart part : device) {
      fields.add(
          "%s=+%d(+%d(+0(%s))):x%d"
              .formatted(
                  part.field(),
                  Struct.Device.NAME + part.at(),
                  Struct.Context.DEVICE,
                  argument(0),
                  8 * part.bytes()));
    }
    return String.join(" ", fields);
  }

  private List<String> own(Verb verb) {
    List<String> fields = new ArrayList<>();
    switch (verb) {
      case POLL_CQ -> fields.add("cq=" + argument(0));
      case POST_SEND -> {
        fields.addAll(queuePair());
        fields.addAll(chain(Struct.SendRequest.ATOMIC_RKEY));
      }
      case POST_RECV -> {
        fields.addAll(queuePair());
        fields.addAll(chain(Struct.ReceiveRequest.NUM_SGE));
      }
      case POST_SRQ_RECV -> {
        fields.add("queue=" + argument(0));
        fields.addAll(chain(Struct.ReceiveRequest.NUM_SGE));
      }
      case CONNECT, ACCEPT -> {
        String queuePair = "+%d(%s)".formatted(Struct.ConnectionId.QP, argument(0));
        fields.add("qp=%s:x64".formatted(queuePair));
        fields.add("number=+%d(%s):x32".formatted(Struct.QueuePair.QP_NUM, queuePair));
        fields.add("parameters=" + argument(1));
        fields.add("own=+%d(%s):x32".formatted(Struct.ConnectionParam.QP_NUM, argument(1)));
        fields.add("peer=+%d(%s):x64[4]".formatted(Struct.ConnectionId.DST_ADDR, argument(0)));
      }
      case WR_SET_SGE -> {
        fields.add(number());
        fields.add("length=%s:x32".formatted(argument(3)));
      }
      case WR_SET_INLINE_DATA -> {
        fields.add(number());
        fields.add("length=" + argument(2));
      }
      case WR_SET_SGE_LIST, WR_SET_INLINE_DATA_LIST -> {
        fields.add(number());
        fields.add("count=" + argument(1));
        fields.add("list=+0(%s):x64[%d]".formatted(argument(2), 2 * ELEMENTS));
      }
      case WR_COMPLETE, WR_ABORT -> fields.add(number());
      default -> {
        fields.addAll(queuePair());
        fields.add(
            "wr_id=+%d(%s):x64"
                .formatted(Struct.ExtendedQueuePair.WR_ID.offset(processor), argument(0)));
        fields.add(
            "flags=+%d(%s):x32"
                .formatted(Struct.ExtendedQueuePair.WR_FLAGS.offset(processor), argument(0)));
        fields.add("key=%s:x32".formatted(argument(1)));
        fields.add("address=" + argument(2));
      }
    }
    return fields;
  }

  private String argument(int index) {
    return registers.get(index);
  }

  private String number() {
    return "number=+%d(%s):x32".formatted(Struct.QueuePair.QP_NUM, argument(0));
  }

  private List<String> queuePair() {
    return List.of(
        "qp=" + argument(0),
        number(),
        "send=+%d(%s):x64".formatted(Struct.QueuePair.SEND_CQ, argument(0)),
        "receive=+%d(%s):x64".formatted(Struct.QueuePair.RECV_CQ, argument(0)));
  }

  /**
   * The requests of a chain: as words of 64 bits {@code w0} and so on with their elements {@code
   * s0}, then the addresses of those that are only counted, {@code n4} and so on. The pointers to
   * the next request are at the same place in all kinds of requests. A field behind a null pointer
   * has no meaning.
   *
   * @param last the byte that is read last
   */
  private List<String> chain(int last) {
    List<String> fields = new ArrayList<>();
    fields.add("first=" + argument(1));
    String request = argument(1);
    for (int i = 0; i < COUNTED; i++) {
      if (i < CHAIN) {
        fields.add("w%d=+0(%s):x64[%d]".formatted(i, request, last / Long.BYTES + 1));
        fields.add(
            "s%d=+0(+%d(%s)):x64[%d]"
                .formatted(i, Struct.SendRequest.SG_LIST, request, 2 * ELEMENTS));
      } else {
        fields.add("n%d=%s:x64".formatted(i, request));
      }
      request = "+%d(%s)".formatted(Struct.SendRequest.NEXT, request);
    }
    return fields;
  }
}
