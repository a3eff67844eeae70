// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.wridscope.control.attach.TraceLine.Kind;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * Reads what the kernel prints for {@link UprobeEvents}. A post is told when its function has
 * returned, with the time of the call. Not thread-safe.
 */
final class UprobeLines {
  /** What the lines say that we write ourselves into the trace. */
  static final String BEGIN = "wridscope begins";

  static final String BEAT = "wridscope beats";
  static final String END = "wridscope ends";

  /** The name of a thread has sixteen columns, and may be anything. */
  private static final Pattern LINE =
      Pattern.compile(
          "(.{16})-(\\d{1,10}) +\\[\\d+] \\S+ +(\\d{1,9})\\.(\\d{6}): (\\S+): (.*)",
          Pattern.DOTALL);

  private static final Pattern LOST = Pattern.compile("CPU:\\d+ \\[LOST (?:(\\d{1,9}) )?EVENTS\\]");

  private static final Pattern EVENT =
      Pattern.compile("([a-z_]+)_\\d+(" + UprobeEvents.RETURN + ")?");
  private static final Pattern NEW_TASK =
      Pattern.compile("pid=(\\d{1,10}) comm=.* clone_flags=([0-9a-f]{1,16}) oom_score_adj=-?\\d+");

  private static final String TASK = "task_newtask";

  /** What the kernel prints for a thread whose name it has forgotten. */
  private static final String FORGOTTEN = "<...>";

  private static final long CLONE_THREAD = 0x10000;

  /** A function that was called and has not returned. */
  private record Call(Verb verb, long nanos, Fields fields) {}

  private record QueuePair(long pid, long address, int number) {}

  private final String synthetic;
  private final LongPredicate isWanted;
  private final ThreadTable threads;
  private final Consumer<TraceLine> sink;
  private final Map<Long, Call> calls = new HashMap<>();
  private final Set<QueuePair> seen = new HashSet<>();
  private final Set<Long> named = new HashSet<>();
  private boolean ended;

  /**
   * @param synthetic the name of the event of a poll that had completions
   * @param isWanted whether a process is looked at
   */
  UprobeLines(
      String synthetic, LongPredicate isWanted, ThreadTable threads, Consumer<TraceLine> sink) {
    this.synthetic = synthetic;
    this.isWanted = isWanted;
    this.threads = threads;
    this.sink = sink;
  }

  /** Whether the line of the end was read. */
  boolean isEnded() {
    return ended;
  }

  /** Takes a line. One that is not understood counts as lost, whatever it was. */
  void take(String text) {
    Matcher lost = LOST.matcher(text);
    if (lost.matches()) {
      // The function of any call may have returned meanwhile.
      calls.clear();
      lost(lost.group(1) == null ? 1 : Integer.parseInt(lost.group(1)));
      return;
    }
    Matcher line = LINE.matcher(text);
    try {
      if (!line.matches()) {
        throw new IllegalArgumentException("a line of another form");
      }
      long nanos =
          (Long.parseLong(line.group(3)) * 1_000_000 + Long.parseLong(line.group(4))) * 1000;
      long thread = Long.parseLong(line.group(2));
      event(nanos, thread, line.group(1).strip(), line.group(5), line.group(6));
    } catch (IllegalArgumentException e) {
      lost(1);
    }
  }

  private void lost(int events) {
    sink.accept(TraceLine.of(Kind.LOST, 0, events));
  }

  private void event(long nanos, long thread, String name, String event, String text) {
    switch (text.strip()) {
      case BEGIN -> sink.accept(TraceLine.of(Kind.BEGIN, nanos));
      case BEAT -> sink.accept(TraceLine.of(Kind.BEAT, nanos, 0));
      case END -> ended = true;
      default -> {
        if (event.equals(TASK)) {
          newTask(thread, text);
          return;
        }
        long pid = threads.processOf(thread);
        if (isWanted.test(pid)) {
          program(new Source(nanos, pid, thread), name, event, text);
        }
      }
    }
  }

  private void newTask(long parent, String text) {
    Matcher task = NEW_TASK.matcher(text);
    if (!task.matches()) {
      throw new IllegalArgumentException("a task of another form");
    }
    long flags = Long.parseUnsignedLong(task.group(2), 16);
    threads.begins(Long.parseLong(task.group(1)), (flags & CLONE_THREAD) == 0 ? 0 : parent);
  }

  private void program(Source source, String name, String event, String text) {
    if (named.add(source.pid()) && !name.equals(FORGOTTEN)) {
      sink.accept(TraceLine.named(source.nanos(), source.pid(), source.thread(), name));
    }
    if (event.equals(synthetic)) {
      Fields fields = Fields.of(text);
      tell(
          source, Kind.POLLED, fields.number("context"), fields.number("cq"), fields.number("got"));
      return;
    }
    Matcher of = EVENT.matcher(event);
    if (!of.matches()) {
      throw new IllegalArgumentException("another event");
    }
    Verb verb = Verb.valueOf(of.group(1).toUpperCase(Locale.ROOT));
    if (of.group(2) != null) {
      Call call = calls.remove(source.thread());
      if (call != null && call.verb() == verb) {
        returned(
            new Source(call.nanos(), source.pid(), source.thread()),
            call,
            (int) Fields.of(text).number("got"));
      }
    } else {
      called(source, verb, Fields.of(text));
    }
  }

  private void called(Source source, Verb verb, Fields of) {
    switch (verb) {
      case POST_SEND, POST_RECV, POST_SRQ_RECV, WR_COMPLETE ->
          calls.put(source.thread(), new Call(verb, source.nanos(), of));
      case CONNECT, ACCEPT -> {
        long number =
            of.number("qp") != 0
                ? of.number("number")
                : of.number("parameters") != 0 ? of.number("own") : 0;
        if (number != 0) {
          long[] peer = of.words("peer", 4);
          tell(source, Kind.PEER, of.number("context"), number, peer[0], peer[1], peer[2], peer[3]);
        }
      }
      case WR_ABORT -> tell(source, Kind.ABORT, of.number("context"), of.number("number"));
      case WR_SET_SGE, WR_SET_INLINE_DATA -> data(source, of, of.number("length"));
      case WR_SET_SGE_LIST ->
          data(source, of, length(of.words("list", 2 * UprobeEvents.ELEMENTS), of.number("count")));
      case WR_SET_INLINE_DATA_LIST -> {
        long[] list = of.words("list", 2 * UprobeEvents.ELEMENTS);
        long length = 0;
        for (int i = 0; i < Math.min(of.number("count"), UprobeEvents.ELEMENTS); i++) {
          length += list[(i * Struct.DataBuffer.SIZE + Struct.DataBuffer.LENGTH) / Long.BYTES];
        }
        data(source, of, length);
      }
      default -> {
        queuePair(source, of);
        boolean remote = hasRemote(verb);
        tell(
            source,
            Kind.EXTENDED,
            of.number("context"),
            of.number("number"),
            of.number("wr_id"),
            verb.opcode(),
            of.number("flags"),
            remote ? of.number("address") : 0,
            remote ? of.number("key") : 0);
      }
    }
  }

  private static boolean hasRemote(Verb verb) {
    return switch (verb) {
      case WR_RDMA_WRITE, WR_RDMA_WRITE_IMM, WR_RDMA_READ, WR_ATOMIC_CMP_SWP, WR_ATOMIC_FETCH_ADD ->
          true;
      default -> false;
    };
  }

  private void data(Source source, Fields of, long length) {
    tell(source, Kind.DATA, of.number("context"), of.number("number"), length);
  }

  /** The elements' lengths in all, of those that are read. */
  private static long length(long[] elements, long count) {
    long length = 0;
    for (int i = 0; i < Math.min(count, UprobeEvents.ELEMENTS); i++) {
      length +=
          Integer.toUnsignedLong(
              integer(
                  elements,
                  i * Struct.ScatterGatherElement.SIZE + Struct.ScatterGatherElement.LENGTH));
    }
    return length;
  }

  /** The 32 bits at an offset, in words of a little-endian machine. */
  private static int integer(long[] words, int offset) {
    return (int) (words[offset / Long.BYTES] >>> (Byte.SIZE * (offset % Long.BYTES)));
  }

  private void returned(Source source, Call call, int result) {
    Fields of = call.fields();
    if (call.verb() == Verb.WR_COMPLETE) {
      tell(source, Kind.COMPLETE, of.number("context"), of.number("number"), errno(result));
      return;
    }
    if (call.verb() != Verb.POST_SRQ_RECV) {
      queuePair(source, of);
    }
    int chain = chain(of);
    if (result != 0 && chain > 1) {
      // The first that was refused is known only from memory that is not read at the return.
      tell(source, Kind.MORE, 0, chain);
      return;
    }
    for (int i = 0; i < Math.min(chain, UprobeEvents.CHAIN); i++) {
      post(source, call.verb(), of, i, errno(result));
    }
    if (chain > UprobeEvents.CHAIN) {
      tell(source, Kind.MORE, 0, chain - UprobeEvents.CHAIN);
    }
  }

  private static long errno(int result) {
    return Integer.toUnsignedLong(result);
  }

  /** How many requests there are, at most {@link UprobeEvents#COUNTED}. */
  private static int chain(Fields of) {
    if (of.number("first") == 0) {
      return 0;
    }
    int count = 1;
    while (count < UprobeEvents.COUNTED && hasNext(of, count - 1)) {
      count++;
    }
    return count;
  }

  private static boolean hasNext(Fields of, int request) {
    return request < UprobeEvents.CHAIN
        ? of.words("w" + request, 2)[Struct.SendRequest.NEXT / Long.BYTES] != 0
        : of.number("n" + (request + 1)) != 0;
  }

  private void post(Source source, Verb verb, Fields of, int index, long errno) {
    long[] words = of.words("w" + index, Struct.ReceiveRequest.SIZE / Long.BYTES);
    long wrid = words[Struct.SendRequest.WR_ID / Long.BYTES];
    int elements = integer(words, Struct.SendRequest.NUM_SGE);
    long length = length(of.words("s" + index, 2 * UprobeEvents.ELEMENTS), elements);
    long context = of.number("context");
    switch (verb) {
      case POST_RECV ->
          tell(source, Kind.RECEIVE, context, of.number("number"), wrid, elements, length, errno);
      case POST_SRQ_RECV ->
          tell(
              source,
              Kind.SHARED_RECEIVE,
              context,
              of.number("queue"),
              wrid,
              elements,
              length,
              errno);
      default -> {
        long[] all = of.words("w" + index, Struct.SendRequest.ATOMIC_RKEY / Long.BYTES + 1);
        int opcode = integer(all, Struct.SendRequest.OPCODE);
        boolean atomic =
            opcode == Verb.WR_ATOMIC_CMP_SWP.opcode()
                || opcode == Verb.WR_ATOMIC_FETCH_ADD.opcode();
        tell(
            source,
            Kind.POST,
            context,
            of.number("number"),
            wrid,
            opcode,
            integer(all, Struct.SendRequest.SEND_FLAGS),
            elements,
            length,
            all[Struct.SendRequest.REMOTE_ADDR / Long.BYTES],
            integer(all, atomic ? Struct.SendRequest.ATOMIC_RKEY : Struct.SendRequest.RKEY),
            errno);
      }
    }
  }

  private void queuePair(Source source, Fields of) {
    int number = (int) of.number("number");
    if (seen.add(new QueuePair(source.pid(), of.number("qp"), number))) {
      tell(
          source,
          Kind.QUEUE_PAIR,
          of.number("context"),
          number,
          of.number("send"),
          of.number("receive"));
    }
  }

  /** When and where something was called. */
  private record Source(long nanos, long pid, long thread) {}

  private void tell(Source source, Kind kind, long... numbers) {
    long[] all = new long[3 + numbers.length];
    all[0] = source.nanos();
    all[1] = source.pid();
    all[2] = source.thread();
    System.arraycopy(numbers, 0, all, 3, numbers.length);
    sink.accept(TraceLine.of(kind, all));
  }

  /** The fields of an event. */
  private record Fields(Map<String, String> values) {
    static Fields of(String text) {
      Map<String, String> values = new HashMap<>();
      for (String word : text.split(" ", -1)) {
        int equals = word.indexOf('=');
        if (equals > 0) {
          values.put(word.substring(0, equals), word.substring(equals + 1));
        }
      }
      return new Fields(values);
    }

    private String value(String name) {
      String value = values.get(name);
      if (value == null) {
        throw new IllegalArgumentException("no field " + name);
      }
      return value;
    }

    long number(String name) {
      return parse(value(name));
    }

    /** An array of at least so many numbers. */
    long[] words(String name, int least) {
      String value = value(name);
      if (!value.startsWith("{") || !value.endsWith("}")) {
        throw new IllegalArgumentException(name + " is no array");
      }
      String[] each = value.substring(1, value.length() - 1).split(",", -1);
      if (each.length < least) {
        throw new IllegalArgumentException(name + " is too short");
      }
      long[] words = new long[each.length];
      for (int i = 0; i < words.length; i++) {
        words[i] = parse(each[i]);
      }
      return words;
    }

    private static long parse(String number) {
      return number.startsWith("0x")
          ? Long.parseUnsignedLong(number.substring(2), 16)
          : number.startsWith("-") ? Long.parseLong(number) : Long.parseUnsignedLong(number);
    }
  }
}
