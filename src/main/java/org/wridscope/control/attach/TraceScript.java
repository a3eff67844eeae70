// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.wridscope.host.Processor;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * The program for bpftrace that prints each post, each completion and each connection as a {@link
 * TraceLine}. It is made of numbers, of paths that {@link Probe} has checked, and of a {@link
 * TraceFilter}.
 *
 * <p>What is posted is read when the function returns, because only then it is known which requests
 * were refused; the time is that of the call, because the device may complete a request before the
 * function returns. Completions exist only after the return.
 */
final class TraceScript {
  /** How many requests of a chain are read. */
  static final int CHAIN = 32;

  /** How many requests of a chain are counted, at most. */
  static final int COUNTED = 512;

  /** How many completions of a batch are read. */
  static final int BATCH = 64;

  /** How many scatter/gather elements of a request are added up. */
  static final int ELEMENTS = 32;

  private static final int PAGE_MASK = 0xfff;

  /** The register with the address of the function, as bpftrace calls it. */
  private static final String COUNTER = Processor.HERE == Processor.AARCH64 ? "pc" : "ip";

  /** How often each processor prints the time, by which {@link TimeOrder} orders the lines. */
  static final int BEAT_MILLIS = 250;

  private static final String FRAME =
      """
      BEGIN { printf("B %llx\\n", nsecs); }
      profile:ms:@BEAT { printf("t %llx %x\\n", nsecs, cpu); }
      END { clear(@call); clear(@time); clear(@polls); clear(@seen); clear(@named); }
      """;

  private static final String POLL =
      """
      uprobe:@PLACE /@FILTER/ { @polls[tid] = (arg0, arg2); }
      uretprobe:@PLACE /@polls[tid].1/ {
        $p = @polls[tid];
        $cq = (uint64)$p.0; $c = (uint64)$p.1; $n = (int32)retval; $i = 0;
        if ($n > 0) {
          $x = *(uint64*)($cq + @CQ_CONTEXT); $t = nsecs;
          @NAME_OF_PROCESS
          while ($i < $n && $i < @BATCH) {
            printf("c %llx %x %x %llx %llx %llx %x %x %x %x %x\\n", $t, pid, tid, $x, $cq,
              *(uint64*)($c + @WC_WR_ID), *(uint32*)($c + @WC_STATUS), *(uint32*)($c + @WC_OPCODE),
              *(uint32*)($c + @WC_VENDOR_ERR), *(uint32*)($c + @WC_BYTE_LEN),
              *(uint32*)($c + @WC_QP_NUM));
            $c = $c + @WC_SIZE; $i++;
          }
          if ($n > @BATCH) { printf("o %llx %x %x 1 %x\\n", $t, pid, tid, $n - @BATCH); }
        }
        delete(@polls[tid]);
      }
      """;

  /** The entry and the first half of the return, the same for all three functions that post. */
  private static final String POST_BEGIN =
      """
      uprobe:@PLACE /@FILTER/ { @call[tid] = (arg0, arg1, arg2); @time[tid] = nsecs; }
      uretprobe:@PLACE /@time[tid]/ {
        $a = @call[tid]; $t = @time[tid];
        $q = (uint64)$a.0; $w = (uint64)$a.1; $r = (uint32)retval; $bad = (uint64)0; $e = (uint32)0;
        if ($r != 0) { $bad = *(uint64*)((uint64)$a.2); if ($bad == 0) { $e = $r; } }
        $x = *(uint64*)($q + @QUEUE_CONTEXT);
        @NAME_OF_PROCESS
      """;

  private static final String QUEUE_PAIR =
      """
        $n = *(uint32*)($q + @QP_QP_NUM);
        if (@seen[pid, $q, $n] == 0) {
          @seen[pid, $q, $n] = 1;
          printf("q %llx %x %x %llx %x %llx %llx\\n", $t, pid, tid, $x, $n,
            *(uint64*)($q + @QP_SEND_CQ), *(uint64*)($q + @QP_RECV_CQ));
        }
      """;

  private static final String WALK =
      """
        $i = 0;
        while ($w != 0 && $i < @CHAIN) {
          if ($r != 0 && $w == $bad) { $e = $r; }
      """;

  private static final String ELEMENTS_OF_REQUEST =
      """
          $s = *(uint64*)($w + @SG_LIST); $k = *(int32*)($w + @NUM_SGE); $l = (uint64)0; $j = 0;
          while ($j < $k && $j < @ELEMENTS) {
            $l = $l + *(uint32*)($s + @SGE_LENGTH); $s = $s + @SGE_SIZE; $j++;
          }
      """;

  private static final String SEND =
      """
          $o = *(uint32*)($w + @SEND_OPCODE); $key = *(uint32*)($w + @SEND_RKEY);
          if ($o == 5 || $o == 6) { $key = *(uint32*)($w + @SEND_ATOMIC_RKEY); }
          printf("p %llx %x %x %llx %x %llx %x %x %x %llx %llx %x %x\\n", $t, pid, tid, $x, $n,
            *(uint64*)($w + @WR_ID), $o, *(uint32*)($w + @SEND_FLAGS), $k, $l,
            *(uint64*)($w + @SEND_REMOTE_ADDR), $key, $e);
      """;

  private static final String RECEIVE =
      """
          printf("r %llx %x %x %llx %x %llx %x %llx %x\\n", $t, pid, tid, $x, $n,
            *(uint64*)($w + @WR_ID), $k, $l, $e);
      """;

  private static final String SHARED_RECEIVE =
      """
          printf("s %llx %x %x %llx %llx %llx %x %llx %x\\n", $t, pid, tid, $x, $q,
            *(uint64*)($w + @WR_ID), $k, $l, $e);
      """;

  /** Those that were posted are only counted, and the one that was refused is told. */
  private static final String COUNT =
      """
          $w = *(uint64*)($w + @NEXT); $i++;
        }
        $m = 0; $stop = $bad;
        if ($e != 0) { $stop = $w; }
        while ($w != $stop && $m < @COUNTED) { $w = *(uint64*)($w + @NEXT); $m++; }
        if ($m > 0) { printf("o %llx %x %x 0 %x\\n", $t, pid, tid, $m); }
        $f = 0;
        if ($r != 0 && $e == 0 && $w == $bad) {
          $e = $r;
      """;

  private static final String POST_END =
      """
          $w = *(uint64*)($w + @NEXT);
        }
        while ($e != 0 && $w != 0 && $f < @COUNTED) { $w = *(uint64*)($w + @NEXT); $f++; }
        if ($f > 0) { printf("o %llx %x %x 2 %x\\n", $t, pid, tid, $f); }
        delete(@call[tid]); delete(@time[tid]);
      }
      """;

  /** The peer of a connection identifier, at the entry of rdma_connect or rdma_accept. */
  private static final String CONNECT =
      """
      uprobe:@PLACE /@FILTER/ {
        $i = (uint64)arg0; $p = (uint64)arg1; $t = nsecs; $n = (uint32)0;
        $q = *(uint64*)($i + @CM_QP);
        if ($q != 0) { $n = *(uint32*)($q + @QP_QP_NUM); }
        if ($q == 0 && $p != 0) { $n = *(uint32*)($p + @PARAM_QP_NUM); }
        if ($n != 0) {
          @NAME_OF_PROCESS
          $d = $i + @CM_DST_ADDR;
          printf("d %llx %x %x %llx %x %llx %llx %llx %llx\\n", $t, pid, tid,
            *(uint64*)($i + @CM_VERBS), $n, *(uint64*)$d, *(uint64*)($d + 8),
            *(uint64*)($d + 16), *(uint64*)($d + 24));
        }
      }
      """;

  /** With the first line of a process, since it may have ended before that line is read. */
  private static final String NAME_OF_PROCESS =
      """
      if (@named[pid] == 0) {
          @named[pid] = 1; printf("n %llx %x %x %r\\n", $t, pid, tid, buf(comm, 16));
        }\
      """;

  /**
   * Requests of the extended interface: one function for each operation. The low bits of the
   * address tell which; the same program for all of them is compiled once.
   */
  private static final String REQUEST =
      """
      @PLACES /@FILTER/ {
        $q = (uint64)arg0; $t = nsecs; $x = *(uint64*)($q + @QUEUE_CONTEXT);
        $p = reg("@COUNTER") & @PAGE_MASK; $o = 0;
        @OPCODES
        @NAME_OF_PROCESS
      """;

  /** Only some operations have a remote key and address as their next arguments. */
  private static final String REQUEST_END =
      """
        printf("x %llx %x %x %llx %x %llx %x %x %llx %x\\n", $t, pid, tid, $x, $n,
          *(uint64*)($q + @EX_WR_ID), $o, *(uint32*)($q + @EX_WR_FLAGS), @REMOTE);
      }
      """;

  /** The data of the request that was begun last, as a length or as a list of lengths. */
  private static final String DATA =
      """
      uprobe:@PLACE /@FILTER/ {
        $x = *(uint64*)((uint64)arg0 + @QUEUE_CONTEXT);
        printf("g %llx %x %x %llx %x %llx\\n", nsecs, pid, tid, $x,
          *(uint32*)((uint64)arg0 + @QP_QP_NUM), (uint64)@LENGTH);
      }
      """;

  private static final String DATA_LIST =
      """
      uprobe:@PLACE /@FILTER/ {
        $x = *(uint64*)((uint64)arg0 + @QUEUE_CONTEXT);
        $s = (uint64)arg2; $k = (uint64)arg1; $l = (uint64)0; $j = (uint64)0;
        while ($j < $k && $j < @ELEMENTS) {
          $l = $l + *(@WIDTH*)($s + @LENGTH); $s = $s + @STEP; $j++;
        }
        printf("g %llx %x %x %llx %x %llx\\n", nsecs, pid, tid, $x,
          *(uint32*)((uint64)arg0 + @QP_QP_NUM), $l);
      }
      """;

  /** The requests that were begun are posted together, or not at all. */
  private static final String COMPLETE =
      """
      uprobe:@PLACE /@FILTER/ { @call[tid] = (arg0, arg0, arg0); @time[tid] = nsecs; }
      uretprobe:@PLACE /@time[tid]/ {
        $a = @call[tid]; $q = (uint64)$a.0;
        $x = *(uint64*)($q + @QUEUE_CONTEXT);
        printf("w %llx %x %x %llx %x %x\\n", @time[tid], pid, tid, $x,
          *(uint32*)($q + @QP_QP_NUM), (uint32)retval);
        delete(@call[tid]); delete(@time[tid]);
      }
      """;

  private static final String ABORT =
      """
      uprobe:@PLACE /@FILTER/ {
        $x = *(uint64*)((uint64)arg0 + @QUEUE_CONTEXT);
        printf("a %llx %x %x %llx %x\\n", nsecs, pid, tid, $x,
          *(uint32*)((uint64)arg0 + @QP_QP_NUM));
      }
      """;

  private TraceScript() {}

  /** The program that traces the calls of these functions which pass the filter. */
  static String of(Collection<Probe> probes, TraceFilter filter) {
    var script = new StringBuilder(filled(FRAME, Map.of()));
    Map<String, String> condition = Map.of("FILTER", filter.condition());
    for (Probe probe : probes) {
      if (!probe.verb().isRequest()) {
        script.append(filled(filled(body(probe.verb()), Map.of("PLACE", place(probe))), condition));
      }
    }
    for (List<Probe> alike : requests(probes)) {
      script.append(filled(requests(alike), condition));
    }
    return script.toString();
  }

  private static String place(Probe probe) {
    return "\"%s\":0x%x".formatted(probe.library(), probe.offset());
  }

  /** The functions that begin a request, in groups that one program can tell apart. */
  private static List<List<Probe>> requests(Collection<Probe> probes) {
    List<List<Probe>> groups = new ArrayList<>();
    for (Probe probe : probes) {
      if (probe.verb().isRequest()) {
        groups.stream()
            .filter(group -> remote(group.getFirst()).equals(remote(probe)))
            .filter(group -> group.stream().noneMatch(other -> inPage(other) == inPage(probe)))
            .findFirst()
            .orElseGet(() -> {
              groups.add(new ArrayList<>());
              return groups.getLast();
            })
            .add(probe);
      }
    }
    return groups;
  }

  private static long inPage(Probe probe) {
    return probe.offset() & PAGE_MASK;
  }

  private static String requests(List<Probe> alike) {
    String places =
        alike.stream().map(probe -> "uprobe:" + place(probe)).collect(Collectors.joining(",\n"));
    String opcodes =
        alike.stream()
            .map(probe ->
                "if ($p == 0x%x) { $o = %d; }".formatted(inPage(probe), probe.verb().opcode()))
            .collect(Collectors.joining("\n  "));
    return filled(
        REQUEST + QUEUE_PAIR + REQUEST_END,
        Map.of("PLACES", places, "OPCODES", opcodes, "REMOTE", remote(alike.getFirst())));
  }

  private static String body(Verb verb) {
    return switch (verb) {
      case POLL_CQ -> POLL;
      case POST_SEND -> POST_BEGIN + QUEUE_PAIR + chain(SEND);
      case POST_RECV -> POST_BEGIN + QUEUE_PAIR + chain(RECEIVE);
      case POST_SRQ_RECV -> POST_BEGIN + chain(SHARED_RECEIVE);
      case CONNECT, ACCEPT -> CONNECT;
      case WR_SET_SGE -> filled(DATA, Map.of("LENGTH", "(uint32)arg3"));
      case WR_SET_INLINE_DATA -> filled(DATA, Map.of("LENGTH", "arg2"));
      case WR_SET_SGE_LIST ->
          list("uint32", Struct.ScatterGatherElement.LENGTH, Struct.ScatterGatherElement.SIZE);
      case WR_SET_INLINE_DATA_LIST ->
          list("uint64", Struct.DataBuffer.LENGTH, Struct.DataBuffer.SIZE);
      case WR_COMPLETE -> COMPLETE;
      case WR_ABORT -> ABORT;
      default -> throw new IllegalArgumentException(verb + " is a request");
    };
  }

  /**
   * @param request prints one
   */
  private static String chain(String request) {
    return WALK + ELEMENTS_OF_REQUEST + request + COUNT + ELEMENTS_OF_REQUEST + request + POST_END;
  }

  private static String list(String width, int length, int step) {
    return filled(
        DATA_LIST,
        Map.of("WIDTH", width, "LENGTH", Integer.toString(length), "STEP", Integer.toString(step)));
  }

  /** The remote address and the remote key. */
  private static String remote(Probe request) {
    return switch (request.verb()) {
      case WR_RDMA_WRITE, WR_RDMA_WRITE_IMM, WR_RDMA_READ, WR_ATOMIC_CMP_SWP, WR_ATOMIC_FETCH_ADD ->
          "(uint64)arg2, (uint32)arg1";
      default -> "(uint64)0, (uint32)0";
    };
  }

  /** Replaces each name after an at sign; longer names first, since one may begin another. */
  private static String filled(String text, Map<String, String> more) {
    Map<String, String> values =
        new TreeMap<>(
            (a, b) -> a.length() == b.length() ? a.compareTo(b) : b.length() - a.length());
    VALUES.forEach((name, value) -> values.put(name, value.toString()));
    values.put("NAME_OF_PROCESS", NAME_OF_PROCESS);
    values.put("COUNTER", COUNTER);
    values.putAll(more);
    String filled = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
      filled = filled.replace("@" + value.getKey(), value.getValue());
    }
    return filled;
  }

  /** Offsets of 64-bit structures, the same for both kinds of request where one name is given. */
  private static final Map<String, Integer> VALUES =
      Map.ofEntries(
          Map.entry("BEAT", BEAT_MILLIS),
          Map.entry("PAGE_MASK", PAGE_MASK),
          Map.entry("CHAIN", CHAIN),
          Map.entry("COUNTED", COUNTED),
          Map.entry("BATCH", BATCH),
          Map.entry("ELEMENTS", ELEMENTS),
          Map.entry("CQ_CONTEXT", Struct.CompletionQueue.CONTEXT),
          Map.entry("WC_WR_ID", Struct.WorkCompletion.WR_ID),
          Map.entry("WC_STATUS", Struct.WorkCompletion.STATUS),
          Map.entry("WC_OPCODE", Struct.WorkCompletion.OPCODE),
          Map.entry("WC_VENDOR_ERR", Struct.WorkCompletion.VENDOR_ERR),
          Map.entry("WC_BYTE_LEN", Struct.WorkCompletion.BYTE_LEN),
          Map.entry("WC_QP_NUM", Struct.WorkCompletion.QP_NUM),
          Map.entry("WC_SIZE", Struct.WorkCompletion.SIZE),
          Map.entry("QUEUE_CONTEXT", Struct.QueuePair.CONTEXT),
          Map.entry("QP_QP_NUM", Struct.QueuePair.QP_NUM),
          Map.entry("CM_VERBS", Struct.ConnectionId.VERBS),
          Map.entry("CM_QP", Struct.ConnectionId.QP),
          Map.entry("CM_DST_ADDR", Struct.ConnectionId.DST_ADDR),
          Map.entry("PARAM_QP_NUM", Struct.ConnectionParam.QP_NUM),
          Map.entry("QP_SEND_CQ", Struct.QueuePair.SEND_CQ),
          Map.entry("QP_RECV_CQ", Struct.QueuePair.RECV_CQ),
          Map.entry("EX_WR_ID", Struct.ExtendedQueuePair.WR_ID.offset(Processor.HERE)),
          Map.entry("EX_WR_FLAGS", Struct.ExtendedQueuePair.WR_FLAGS.offset(Processor.HERE)),
          Map.entry("WR_ID", Struct.SendRequest.WR_ID),
          Map.entry("NEXT", Struct.SendRequest.NEXT),
          Map.entry("SG_LIST", Struct.SendRequest.SG_LIST),
          Map.entry("NUM_SGE", Struct.SendRequest.NUM_SGE),
          Map.entry("SEND_OPCODE", Struct.SendRequest.OPCODE),
          Map.entry("SEND_FLAGS", Struct.SendRequest.SEND_FLAGS),
          Map.entry("SEND_REMOTE_ADDR", Struct.SendRequest.REMOTE_ADDR),
          Map.entry("SEND_RKEY", Struct.SendRequest.RKEY),
          Map.entry("SEND_ATOMIC_RKEY", Struct.SendRequest.ATOMIC_RKEY),
          Map.entry("SGE_LENGTH", Struct.ScatterGatherElement.LENGTH),
          Map.entry("SGE_SIZE", Struct.ScatterGatherElement.SIZE));
}
