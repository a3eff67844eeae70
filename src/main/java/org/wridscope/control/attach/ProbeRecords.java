// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.wridscope.verbs.rdma.ffm.Struct;
import org.wridscope.verbs.rdma.ffm.Struct.CompletionQueue;
import org.wridscope.verbs.rdma.ffm.Struct.QueuePair;
import org.wridscope.verbs.rdma.ffm.Struct.QueuePairAttr;
import org.wridscope.verbs.rdma.ffm.Struct.SendRequest;
import org.wridscope.verbs.rdma.ffm.Struct.WorkCompletion;

/** Finds out what the records of {@link ProbePrograms} mean. Not thread-safe. */
final class ProbeRecords {
  private static final ProbeRecord.Kind[] KINDS = ProbeRecord.Kind.values();
  private static final int ATOMIC_CMP_AND_SWP = 5;
  private static final int ATOMIC_FETCH_AND_ADD = 6;

  /** The region was changed, and the memory that it had stays with the parent in a fork. */
  private static final int REREG_MR_ERR_DO_FORK_OLD = -3;

  private record Queue(long process, long address, int number) {}

  private record CompletionQueueKey(long process, long address) {}

  /** The current completion of an extended completion queue. */
  private static final class Current {
    final long nanos;
    final long process;
    final long thread;

    /** The numbers of a {@link TraceLine.Kind#POLLED}, without those of all lines. */
    final long[] numbers;

    Current(long nanos, long process, long thread, long[] numbers) {
      this.nanos = nanos;
      this.process = process;
      this.thread = thread;
      this.numbers = numbers;
    }
  }

  /** Where what the program has read is in those numbers. */
  private static final int READ = 4;

  private static final int OPCODE = 5;
  private static final int VENDOR_ERR = 6;
  private static final int BYTE_LEN = 7;
  private static final int QP_NUM = 8;

  private final Consumer<TraceLine> sink;
  private final Set<Long> named = new HashSet<>();
  private final Set<Queue> seen = new HashSet<>();

  /** In the order of their times. */
  private final Map<CompletionQueueKey, Current> current = new LinkedHashMap<>();

  // Of the record that is read.
  private MemorySegment record = MemorySegment.NULL;
  private long time;
  private long process;
  private long thread;

  ProbeRecords(Consumer<TraceLine> sink) {
    this.sink = sink;
  }

  /** Tells what a record means. */
  void read(MemorySegment one) {
    record = one;
    time = number(ProbeRecord.TIME);
    process = integer(ProbeRecord.PROCESS);
    thread = integer(ProbeRecord.THREAD);
    ProbeRecord.Kind kind = KINDS[integer(ProbeRecord.KIND)];
    if (kind == ProbeRecord.Kind.PEER && (isUnread() || number(ProbeRecord.A) == 0)) {
      return;
    }
    if (kind == ProbeRecord.Kind.CLOSE && !named.contains(process)) {
      // A process that has done nothing else is not shown.
      return;
    }
    if (named.add(process)) {
      byte[] name =
          record.asSlice(ProbeRecord.COMMAND, ProbeRecord.COMMAND_BYTES).toArray(JAVA_BYTE);
      sink.accept(TraceLine.named(time, process, thread, new String(name, StandardCharsets.UTF_8)));
    }
    if (isUnread()) {
      unread(kind);
    } else {
      tell(kind);
    }
  }

  /**
   * Tells the completions that became current before a moment, with what the program has read of
   * them until now. Later it will not read more, or it is too late.
   */
  void tellCurrent(long before) {
    Iterator<Current> each = current.values().iterator();
    while (each.hasNext()) {
      Current next = each.next();
      if (next.nanos >= before) {
        return;
      }
      each.remove();
      tell(next);
    }
  }

  /** When the oldest completion became current that is not told; the largest value if none is. */
  long currentSince() {
    return current.isEmpty() ? Long.MAX_VALUE : current.values().iterator().next().nanos;
  }

  private void tell(Current one) {
    long[] all = new long[one.numbers.length + 3];
    all[0] = one.nanos;
    all[1] = one.process;
    all[2] = one.thread;
    System.arraycopy(one.numbers, 0, all, 3, one.numbers.length);
    sink.accept(TraceLine.of(TraceLine.Kind.POLLED, all));
  }

  /** The completion that was current is not any more. */
  private void endOfCurrent() {
    Current one = current.remove(new CompletionQueueKey(process, number(ProbeRecord.QUEUE)));
    if (one != null) {
      tell(one);
    }
  }

  private void current() {
    endOfCurrent();
    long[] numbers = new long[QP_NUM + 1];
    numbers[0] = number(ProbeRecord.STRUCTURE + CompletionQueue.CONTEXT);
    numbers[1] = number(ProbeRecord.QUEUE);
    numbers[2] = number(ProbeRecord.DATA + Integer.BYTES);
    numbers[3] = integer(ProbeRecord.DATA);
    current.put(
        new CompletionQueueKey(process, number(ProbeRecord.QUEUE)),
        new Current(time, process, thread, numbers));
  }

  private void readOfCurrent() {
    Current one = current.get(new CompletionQueueKey(process, number(ProbeRecord.QUEUE)));
    if (one != null) {
      int what = integer(ProbeRecord.A);
      int place =
          switch (what) {
            case ProbeRecord.OPCODE_READ -> OPCODE;
            case ProbeRecord.VENDOR_ERR_READ -> VENDOR_ERR;
            case ProbeRecord.BYTE_LEN_READ -> BYTE_LEN;
            default -> QP_NUM;
          };
      one.numbers[READ] |= what;
      one.numbers[place] = integer(ProbeRecord.B);
    }
  }

  private boolean isUnread() {
    return integer(ProbeRecord.UNREAD) != 0;
  }

  /** A part of the program's memory was not there; what was posted or polled is not known. */
  private void unread(ProbeRecord.Kind kind) {
    switch (kind) {
      case COMPLETIONS -> more(1, number(ProbeRecord.A));
      case CURRENT -> {
        endOfCurrent();
        more(1, 1);
      }
      case POST, RECEIVE, SHARED_RECEIVE -> more(number(ProbeRecord.A) == 0 ? 0 : 2, 1);
      case EXTENDED -> more(0, 1);
      case REGISTER, DEREGISTER, REREGISTER -> line(TraceLine.Kind.REGION_UNREAD);
      case MORE -> tell(kind);
      default -> {
        // of no request, or of one that is counted
      }
    }
  }

  private void tell(ProbeRecord.Kind kind) {
    switch (kind) {
      case POST -> post();
      case RECEIVE -> receive(TraceLine.Kind.RECEIVE, queuePair());
      case SHARED_RECEIVE -> receive(TraceLine.Kind.SHARED_RECEIVE, number(ProbeRecord.QUEUE));
      case COMPLETIONS -> completions();
      case CURRENT -> current();
      case READ -> readOfCurrent();
      case END -> endOfCurrent();
      case MORE -> more(number(ProbeRecord.B) == 0 ? 0 : 2, number(ProbeRecord.A));
      case PEER ->
          line(
              TraceLine.Kind.PEER,
              context(),
              number(ProbeRecord.A),
              number(ProbeRecord.DATA),
              number(ProbeRecord.DATA + 8),
              number(ProbeRecord.DATA + 16),
              number(ProbeRecord.DATA + 24));
      case EXTENDED ->
          line(
              TraceLine.Kind.EXTENDED,
              context(),
              queuePair(),
              number(ProbeRecord.DATA),
              number(ProbeRecord.A),
              integer(ProbeRecord.DATA + Long.BYTES),
              number(ProbeRecord.B),
              number(ProbeRecord.C) & 0xffff_ffffL);
      case DATA ->
          line(TraceLine.Kind.DATA, context(), queuePair(), number(ProbeRecord.A) & 0xffff_ffffL);
      case ELEMENTS ->
          line(TraceLine.Kind.DATA, context(), queuePair(), length(ProbeRecord.DATA, elements()));
      case BUFFERS -> {
        long length = 0;
        for (int i = 0; i < elements(); i++) {
          length +=
              number(ProbeRecord.DATA + i * Struct.DataBuffer.SIZE + Struct.DataBuffer.LENGTH);
        }
        line(TraceLine.Kind.DATA, context(), queuePair(), length);
      }
      case COMPLETE ->
          line(TraceLine.Kind.COMPLETE, context(), queuePair(), integer(ProbeRecord.A));
      case ABORT -> line(TraceLine.Kind.ABORT, context(), queuePair());
      case MODIFY -> modification();
      case REGISTER -> {
        if (number(ProbeRecord.A) == 0) {
          region(TraceLine.Kind.REGISTER_REFUSED, Math.abs(integer(ProbeRecord.B)));
        } else {
          region(TraceLine.Kind.REGISTER, key(ProbeRecord.DATA));
        }
      }
      case DEREGISTER -> {
        int errno = integer(ProbeRecord.A);
        if (errno == 0) {
          region(TraceLine.Kind.DEREGISTER, key(ProbeRecord.DATA));
        } else {
          region(TraceLine.Kind.DEREGISTER_REFUSED, Math.abs(errno));
        }
      }
      case REREGISTER -> reregistered();
      case CLOSE -> line(TraceLine.Kind.CLOSE, context());
    }
  }

  private void region(TraceLine.Kind kind, long last) {
    line(kind, context(), number(ProbeRecord.DATA), number(ProbeRecord.DATA + Long.BYTES), last);
  }

  /** Unless the arguments are not valid or the kernel refuses, it is another region then. */
  private void reregistered() {
    int result = integer(ProbeRecord.A);
    if (result != 0 && result != REREG_MR_ERR_DO_FORK_OLD) {
      region(TraceLine.Kind.REGISTER_REFUSED, 0);
      return;
    }
    int after = ProbeRecord.DATA + ProbeRecord.REGION_BYTES;
    region(TraceLine.Kind.DEREGISTER, key(ProbeRecord.DATA));
    line(TraceLine.Kind.REGISTER, context(), number(after), number(after + Long.BYTES), key(after));
  }

  /** The local key of a region. */
  private long key(int region) {
    return integer(region + 2 * Long.BYTES) & 0xffff_ffffL;
  }

  private void modification() {
    int attributes = ProbeRecord.DATA;
    line(
        TraceLine.Kind.MODIFY,
        context(),
        queuePair(),
        integer(ProbeRecord.A),
        integer(ProbeRecord.B),
        integer(attributes + QueuePairAttr.QP_STATE),
        integer(attributes + QueuePairAttr.PATH_MTU),
        octet(attributes + QueuePairAttr.PORT_NUM),
        octet(attributes + QueuePairAttr.TIMEOUT),
        octet(attributes + QueuePairAttr.RETRY_CNT),
        octet(attributes + QueuePairAttr.RNR_RETRY),
        octet(attributes + QueuePairAttr.MIN_RNR_TIMER),
        integer(attributes + QueuePairAttr.QP_ACCESS_FLAGS),
        integer(attributes + QueuePairAttr.DEST_QP_NUM),
        integer(attributes + QueuePairAttr.SQ_PSN),
        integer(attributes + QueuePairAttr.RQ_PSN),
        octet(attributes + QueuePairAttr.IS_GLOBAL),
        Short.toUnsignedInt(record.get(JAVA_SHORT_UNALIGNED, attributes + QueuePairAttr.DLID)),
        number(attributes + QueuePairAttr.DGID),
        number(attributes + QueuePairAttr.DGID + Long.BYTES));
  }

  /** How many elements of a list there are in the record. */
  private int elements() {
    return (int) Math.min(number(ProbeRecord.A), ProbePrograms.ELEMENTS);
  }

  private void post() {
    int request = ProbeRecord.DATA;
    int opcode = integer(request + SendRequest.OPCODE);
    boolean isAtomic = opcode == ATOMIC_CMP_AND_SWP || opcode == ATOMIC_FETCH_AND_ADD;
    int count = integer(request + SendRequest.NUM_SGE);
    line(
        TraceLine.Kind.POST,
        context(),
        queuePair(),
        number(request + SendRequest.WR_ID),
        opcode,
        integer(request + SendRequest.SEND_FLAGS),
        count,
        length(request + SendRequest.SIZE, count),
        number(request + SendRequest.REMOTE_ADDR),
        integer(request + (isAtomic ? SendRequest.ATOMIC_RKEY : SendRequest.RKEY)),
        number(ProbeRecord.A));
  }

  private void receive(TraceLine.Kind kind, long queue) {
    int request = ProbeRecord.DATA;
    int count = integer(request + Struct.ReceiveRequest.NUM_SGE);
    line(
        kind,
        context(),
        queue,
        number(request + Struct.ReceiveRequest.WR_ID),
        count,
        length(request + Struct.ReceiveRequest.SIZE, count),
        number(ProbeRecord.A));
  }

  private void completions() {
    long polled = number(ProbeRecord.A);
    long read = Math.min(polled, ProbePrograms.BATCH);
    for (int i = 0; i < read; i++) {
      int completion = ProbeRecord.DATA + i * WorkCompletion.SIZE;
      line(
          TraceLine.Kind.COMPLETION,
          number(ProbeRecord.STRUCTURE + CompletionQueue.CONTEXT),
          number(ProbeRecord.QUEUE),
          number(completion + WorkCompletion.WR_ID),
          integer(completion + WorkCompletion.STATUS),
          integer(completion + WorkCompletion.OPCODE),
          integer(completion + WorkCompletion.VENDOR_ERR),
          integer(completion + WorkCompletion.BYTE_LEN),
          integer(completion + WorkCompletion.QP_NUM));
    }
    if (polled > read) {
      more(1, polled - read);
    }
  }

  private void more(int what, long count) {
    line(TraceLine.Kind.MORE, what, count);
  }

  /** The sum of the lengths of scatter/gather elements; fewer than 0 are none. */
  private long length(int place, int count) {
    long length = 0;
    for (int i = 0; i < Math.min(count, ProbePrograms.ELEMENTS); i++) {
      int element = place + i * Struct.ScatterGatherElement.SIZE;
      length += integer(element + Struct.ScatterGatherElement.LENGTH) & 0xffff_ffffL;
    }
    return length;
  }

  private long context() {
    return number(ProbeRecord.STRUCTURE + QueuePair.CONTEXT);
  }

  /** The number of the queue pair of the record; tells of it if it is used for the first time. */
  private long queuePair() {
    int number = integer(ProbeRecord.STRUCTURE + QueuePair.QP_NUM);
    if (seen.add(new Queue(process, number(ProbeRecord.QUEUE), number))) {
      line(
          TraceLine.Kind.QUEUE_PAIR,
          context(),
          number,
          number(ProbeRecord.STRUCTURE + QueuePair.SEND_CQ),
          number(ProbeRecord.STRUCTURE + QueuePair.RECV_CQ));
    }
    return number;
  }

  private void line(TraceLine.Kind kind, long... numbers) {
    long[] all = new long[numbers.length + 3];
    all[0] = time;
    all[1] = process;
    all[2] = thread;
    System.arraycopy(numbers, 0, all, 3, numbers.length);
    sink.accept(TraceLine.of(kind, all));
  }

  private long number(int place) {
    return record.get(JAVA_LONG_UNALIGNED, place);
  }

  private int integer(int place) {
    return record.get(JAVA_INT, place);
  }

  private int octet(int place) {
    return Byte.toUnsignedInt(record.get(JAVA_BYTE, place));
  }
}
