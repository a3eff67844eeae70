// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import static org.wridscope.bpf.Instructions.Arithmetic.ADD;
import static org.wridscope.bpf.Instructions.Arithmetic.AND;
import static org.wridscope.bpf.Instructions.Arithmetic.MULTIPLY;
import static org.wridscope.bpf.Instructions.Arithmetic.OR;
import static org.wridscope.bpf.Instructions.Arithmetic.SHIFT_LEFT;
import static org.wridscope.bpf.Instructions.Arithmetic.SHIFT_RIGHT;
import static org.wridscope.bpf.Instructions.Condition.EQUAL;
import static org.wridscope.bpf.Instructions.Condition.GREATER;
import static org.wridscope.bpf.Instructions.Condition.NOT_EQUAL;
import static org.wridscope.bpf.Instructions.Condition.SIGNED_LESS;
import static org.wridscope.bpf.Instructions.Width.DOUBLE;
import static org.wridscope.bpf.Instructions.Width.WORD;
import static org.wridscope.bpf.Register.FRAME;
import static org.wridscope.bpf.Register.R0;
import static org.wridscope.bpf.Register.R1;
import static org.wridscope.bpf.Register.R2;
import static org.wridscope.bpf.Register.R3;
import static org.wridscope.bpf.Register.R4;
import static org.wridscope.bpf.Register.R6;
import static org.wridscope.bpf.Register.R7;
import static org.wridscope.bpf.Register.R8;
import static org.wridscope.bpf.Register.R9;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.wridscope.bpf.BpfMap;
import org.wridscope.bpf.Helper;
import org.wridscope.bpf.Instructions;
import org.wridscope.bpf.Instructions.Label;
import org.wridscope.bpf.Register;
import org.wridscope.host.Processor;
import org.wridscope.verbs.rdma.VerbsFunction.Verb;
import org.wridscope.verbs.rdma.ffm.Struct;

/**
 * The programs that run at the entry and at the return of the functions through which programs post
 * and poll. They copy structures of the program into a {@link ProbeRecord}; what these mean is
 * found out by {@link ProbeRecords}.
 *
 * <p>What is posted is read when the function returns, because only then it is known which requests
 * were refused; the time is that of the call, because the device may complete a request before the
 * function returns. Completions exist only after the return.
 */
final class ProbePrograms {
  /** How many requests of a chain are read. */
  static final int CHAIN = 32;

  /** How many requests of a chain are counted, at most. */
  static final int COUNTED = 512;

  /** How many completions of a batch are read. */
  static final int BATCH = 64;

  /** How many scatter/gather elements of a request are read. */
  static final int ELEMENTS = 32;

  /** Most requests have so few elements, and most batches so few completions: shorter records. */
  private static final int FEW = 4;

  // The stack, as distances from its end: what a call is found by,
  private static final int THREAD = -8;
  private static final int FUNCTION = -16;
  private static final int KEY = FUNCTION;
  private static final int KEY_BYTES = 16;

  // and what is kept of it from its entry to its return: three arguments, two more values, the
  // time.
  private static final int TIME = -24;
  private static final int FIFTH = -32;
  private static final int FOURTH = -40;
  private static final int THIRD = -48;
  private static final int SECOND = -56;
  private static final int FIRST = -64;
  private static final int CALL = FIRST;
  private static final int CALL_BYTES = 48;

  /** Of a registration: what the kernel answered, 0 if it did not refuse. */
  private static final int ERRNO = FOURTH;

  /** The result of the function. */
  private static final int RESULT = -72;

  /** The first request that was refused. */
  private static final int BAD = -80;

  /** Not 0 if something could not be read. */
  private static final int UNREAD = -88;

  private static final int COUNT = -96;
  private static final int SCRATCH = -104;

  /** A request, before it is known how long its record is; or a region. */
  private static final int REQUEST = -232;

  /** Not 0 if that could not be read. */
  private static final int NOTHING = -240;

  /** A device's name. */
  private static final int NAME = REQUEST;

  /** How many calls are between their entry and their return at once. */
  private static final int CALLS = 1 << 14;

  private final @Nullable String device;
  private final Helper reads;
  private final BpfMap records;
  private final BpfMap lost;
  private final BpfMap calls;
  private final BpfMap leftOut;
  private final BpfMap empty;

  /**
   * @param device the name of the device in {@code struct ibv_device} whose calls are looked at;
   *     null for the calls of all processes but those that are left out
   * @param waits whether the programs may wait until a page is in memory
   * @param records the ring buffer for what is seen
   * @param lost counts what there was no room for
   * @param calls see {@link #calls}
   * @param leftOut the numbers of processes whose calls are not looked at
   * @param empty counts polls that found no completion, by process and completion queue
   */
  ProbePrograms(
      @Nullable String device,
      boolean waits,
      BpfMap records,
      BpfMap lost,
      BpfMap calls,
      BpfMap leftOut,
      BpfMap empty) {
    if (device != null && (device.isEmpty() || device.length() >= Struct.Device.NAME_SIZE)) {
      throw new IllegalArgumentException("a device's name of %d bytes".formatted(device.length()));
    }
    this.device = device;
    reads = waits ? Helper.COPY_FROM_USER : Helper.PROBE_READ_USER;
    this.records = records;
    this.lost = lost;
    this.calls = calls;
    this.leftOut = leftOut;
    this.empty = empty;
  }

  /** For calls whose return is awaited. */
  static BpfMap calls() throws IOException {
    return BpfMap.hash(KEY_BYTES, CALL_BYTES, CALLS);
  }

  /** The program at the entry of a function; null if it needs none. */
  @Nullable Instructions atEntry(Verb verb) {
    var program = new Program();
    program.begin(verb);
    switch (verb) {
      case CMD_REG_MR, CMD_REG_DMABUF_MR -> {
        return null;
      }
      case POLL_CQ,
          POST_SEND,
          POST_RECV,
          POST_SRQ_RECV,
          WR_COMPLETE,
          MODIFY_QP,
          REG_MR,
          REG_MR_IOVA,
          REG_MR_IOVA2,
          REG_DMABUF_MR,
          START_POLL,
          NEXT_POLL,
          READ_OPCODE,
          READ_VENDOR_ERR,
          READ_BYTE_LEN,
          READ_QP_NUM ->
          program.keepCall(verb);
      case END_POLL -> program.endOfPoll();
      case DEREG_MR, REREG_MR -> program.keepRegion(verb);
      case CLOSE_DEVICE -> program.close();
      case CONNECT, ACCEPT -> program.connection();
      case WR_SET_SGE -> program.data(3);
      case WR_SET_INLINE_DATA -> program.data(2);
      case WR_SET_SGE_LIST, WR_SET_INLINE_DATA_LIST -> program.dataList(verb);
      case WR_ABORT -> program.ofQueuePair(ProbeRecord.Kind.ABORT);
      default -> program.request(verb);
    }
    return program.end();
  }

  /** The program at the return of a function; null if it needs none. */
  @Nullable Instructions atReturn(Verb verb) {
    var program = new Program();
    switch (verb) {
      case POLL_CQ -> program.completions();
      case POST_SEND -> program.chain(verb, ProbeRecord.Kind.POST, Struct.SendRequest.SIZE);
      case POST_RECV -> program.chain(verb, ProbeRecord.Kind.RECEIVE, Struct.ReceiveRequest.SIZE);
      case POST_SRQ_RECV ->
          program.chain(verb, ProbeRecord.Kind.SHARED_RECEIVE, Struct.ReceiveRequest.SIZE);
      case WR_COMPLETE -> program.complete();
      case MODIFY_QP -> program.modification();
      case START_POLL, NEXT_POLL -> program.current(verb);
      case READ_OPCODE -> program.read(verb, ProbeRecord.OPCODE_READ);
      case READ_VENDOR_ERR -> program.read(verb, ProbeRecord.VENDOR_ERR_READ);
      case READ_BYTE_LEN -> program.read(verb, ProbeRecord.BYTE_LEN_READ);
      case READ_QP_NUM -> program.read(verb, ProbeRecord.QP_NUM_READ);
      case REG_MR, REG_MR_IOVA, REG_MR_IOVA2, REG_DMABUF_MR -> program.registration(verb);
      case DEREG_MR -> program.deregistration(verb, ProbeRecord.Kind.DEREGISTER);
      case REREG_MR -> program.deregistration(verb, ProbeRecord.Kind.REREGISTER);
      case CMD_REG_MR, CMD_REG_DMABUF_MR -> program.answer();
      default -> {
        return null;
      }
    }
    return program.end();
  }

  /** Offsets in the context of a program, a {@code struct pt_regs}. */
  private static int argument(int index) {
    return Processor.HERE == Processor.AARCH64
        ? index * Long.BYTES
        : new int[] {112, 104, 96, 88}[index];
  }

  private static int result() {
    return Processor.HERE == Processor.AARCH64 ? 0 : 80;
  }

  /** Writes one program. R6 is its context until a function is known to be of interest. */
  private final class Program {
    private final Instructions out = new Instructions();
    private final Label end = new Label();

    Instructions end() {
      return out.here(end).set(R0, 0).exit();
    }

    /** Takes the thread and the time of a call, and ends if it is not of interest. */
    void begin(Verb verb) {
      out.copy(R6, R1).store(DOUBLE, FRAME, UNREAD, 0);
      thread();
      if (device == null) {
        out.compute(R0, SHIFT_RIGHT, 32).store(DOUBLE, FRAME, SCRATCH, R0);
        out.set(R1, leftOut).address(R2, FRAME, SCRATCH).call(Helper.MAP_LOOKUP_ELEM);
        out.jump(R0, NOT_EQUAL, 0, end);
      } else {
        ofDevice(device, verb);
      }
      out.call(Helper.KTIME_GET_NS).store(DOUBLE, FRAME, TIME, R0);
    }

    private void thread() {
      out.call(Helper.GET_CURRENT_PID_TGID).store(DOUBLE, FRAME, THREAD, R0);
    }

    /**
     * The first argument is a context, which begins with a pointer to the device, or begins with a
     * pointer to one.
     */
    private void ofDevice(String only, Verb verb) {
      byte[] name = (only + "\0").getBytes(StandardCharsets.ISO_8859_1);
      int length = Math.ceilDiv(name.length, Long.BYTES) * Long.BYTES;
      out.load(DOUBLE, R7, R6, argument(0));
      if (verb != Verb.CLOSE_DEVICE) {
        follow(R7, 0);
      }
      follow(R7, Struct.Context.DEVICE);
      readToStack(NAME, length, R7, Struct.Device.NAME);
      out.jump(R0, NOT_EQUAL, 0, end);
      for (int at = 0; at < length; at += Integer.BYTES) {
        int word = 0;
        int mask = 0;
        for (int i = 0; i < Integer.BYTES && at + i < name.length; i++) {
          word |= (name[at + i] & 0xff) << (8 * i);
          mask |= 0xff << (8 * i);
        }
        if (mask != 0) {
          out.load(WORD, R1, FRAME, NAME + at);
          out.compute(R1, AND, mask).jump32(R1, NOT_EQUAL, word, end);
        }
      }
    }

    /** Replaces an address by the pointer that is there; ends if it cannot be read. */
    private void follow(Register address, int offset) {
      readToStack(SCRATCH, Long.BYTES, address, offset);
      out.jump(R0, NOT_EQUAL, 0, end).load(DOUBLE, address, FRAME, SCRATCH);
    }

    /** Reads memory of the program; R0 is 0 if that was possible. */
    private void readToStack(int to, int bytes, Register from, int offset) {
      out.address(R1, FRAME, to).set(R2, bytes).address(R3, from, offset);
      out.call(reads);
    }

    /** Reads memory of the program into the record in R8, and notes if that is not possible. */
    private void readToRecord(int to, int bytes, Register from, int offset) {
      out.set(R2, bytes);
      readToRecord(to, from, offset);
    }

    /** The same; R2 is the number of bytes. */
    private void readToRecord(int to, Register from, int offset) {
      out.address(R1, R8, to).address(R3, from, offset).call(reads);
      out.load(DOUBLE, R1, FRAME, UNREAD).compute(R1, OR, R0).store(DOUBLE, FRAME, UNREAD, R1);
    }

    // ---- a call that is looked at when it returns

    void keepCall(Verb verb) {
      for (int i = 0; i < 3; i++) {
        out.load(DOUBLE, R1, R6, argument(i)).store(DOUBLE, FRAME, FIRST + i * Long.BYTES, R1);
      }
      out.store(DOUBLE, FRAME, FOURTH, 0).store(DOUBLE, FRAME, FIFTH, 0);
      keep(verb);
    }

    /** The same of a region, which is not there any more when it was deregistered. */
    void keepRegion(Verb verb) {
      out.load(DOUBLE, R7, R6, argument(0)).store(DOUBLE, FRAME, FIRST, R7);
      readToStack(REQUEST, Struct.MemoryRegion.LKEY + Integer.BYTES, R7, 0);
      out.jump(R0, NOT_EQUAL, 0, end);
      out.load(DOUBLE, R1, FRAME, REQUEST + Struct.MemoryRegion.CONTEXT);
      out.store(DOUBLE, FRAME, SECOND, R1);
      out.load(DOUBLE, R1, FRAME, REQUEST + Struct.MemoryRegion.ADDR);
      out.store(DOUBLE, FRAME, THIRD, R1);
      out.load(DOUBLE, R1, FRAME, REQUEST + Struct.MemoryRegion.LENGTH);
      out.store(DOUBLE, FRAME, FOURTH, R1);
      out.load(WORD, R1, FRAME, REQUEST + Struct.MemoryRegion.LKEY);
      out.store(DOUBLE, FRAME, FIFTH, R1);
      keep(verb);
    }

    private void keep(Verb verb) {
      key(verb);
      out.set(R1, calls).address(R2, FRAME, KEY).address(R3, FRAME, CALL).set(R4, 0);
      out.call(Helper.MAP_UPDATE_ELEM).jump(R0, EQUAL, 0, end);
      countLost();
    }

    /**
     * Functions that register memory may call each other: they have one key, so that the return of
     * the innermost one tells what was registered, and those of the others find nothing.
     */
    private void key(Verb verb) {
      Verb function =
          switch (verb) {
            case REG_MR_IOVA, REG_MR_IOVA2, REG_DMABUF_MR -> Verb.REG_MR;
            default -> verb;
          };
      out.store(DOUBLE, FRAME, FUNCTION, function.ordinal());
    }

    /** Takes what was kept of the call, and its result; ends if nothing was. */
    private void resume(Verb verb) {
      out.copy(R6, R1).store(DOUBLE, FRAME, UNREAD, 0);
      thread();
      key(verb);
      out.set(R1, calls).address(R2, FRAME, KEY).call(Helper.MAP_LOOKUP_ELEM);
      out.jump(R0, EQUAL, 0, end);
      for (int at = 0; at < CALL_BYTES; at += Long.BYTES) {
        out.load(DOUBLE, R1, R0, at).store(DOUBLE, FRAME, CALL + at, R1);
      }
      out.load(DOUBLE, R1, R6, result()).store(DOUBLE, FRAME, RESULT, R1);
      out.set(R1, calls).address(R2, FRAME, KEY).call(Helper.MAP_DELETE_ELEM);
    }

    /** The upper half of a register that holds an int is not defined; it becomes 0. */
    private void asInt(Register register) {
      out.compute(register, SHIFT_LEFT, 32).compute(register, SHIFT_RIGHT, 32);
    }

    private void countLost() {
      var none = new Label();
      out.store(WORD, FRAME, SCRATCH, 0).set(R1, lost).address(R2, FRAME, SCRATCH);
      out.call(Helper.MAP_LOOKUP_ELEM).jump(R0, EQUAL, 0, none);
      out.set(R1, 1).addAtomically(R0, 0, R1).here(none);
    }

    // ---- records

    /**
     * Begins a record, which is then in R8; if there is no room for it, jumps.
     *
     * @param bytes of its data
     */
    private void record(ProbeRecord.Kind kind, int bytes, Label noRoom) {
      out.set(R1, records).set(R2, ProbeRecord.DATA + bytes).set(R3, 0);
      out.call(Helper.RINGBUF_RESERVE).jump(R0, EQUAL, 0, noRoom).copy(R8, R0);
      out.store(WORD, R8, ProbeRecord.KIND, kind.ordinal());
      move(ProbeRecord.TIME, TIME);
      move(ProbeRecord.THREAD, THREAD);
      out.address(R1, R8, ProbeRecord.COMMAND).set(R2, ProbeRecord.COMMAND_BYTES);
      out.call(Helper.GET_CURRENT_COMM);
    }

    /** Copies eight bytes from the stack into the record. */
    private void move(int to, int from) {
      out.load(DOUBLE, R1, FRAME, from).store(DOUBLE, R8, to, R1);
    }

    /** Sets the queue, which is in a register, and reads the beginning of its structure. */
    private void queue(Register address, int bytes) {
      out.store(DOUBLE, R8, ProbeRecord.QUEUE, address);
      readToRecord(ProbeRecord.STRUCTURE, bytes, address, 0);
    }

    private void submit() {
      out.load(DOUBLE, R1, FRAME, UNREAD).store(WORD, R8, ProbeRecord.UNREAD, R1);
      out.copy(R1, R8).set(R2, ProbeRecord.NO_WAKEUP).call(Helper.RINGBUF_SUBMIT);
    }

    /** The end of a program that has one record at most. */
    private void submitOrCount(Label noRoom) {
      submit();
      out.jump(end).here(noRoom);
      countLost();
    }

    // ---- the functions

    void completions() {
      resume(Verb.POLL_CQ);
      out.load(DOUBLE, R7, FRAME, RESULT);
      var some = new Label();
      out.jump32(R7, SIGNED_LESS, 0, end).jump32(R7, NOT_EQUAL, 0, some);
      countEmpty();
      out.here(some);
      asInt(R7);
      var noRoom = new Label();
      var many = new Label();
      out.jump(R7, GREATER, FEW, many);
      batch(FEW, noRoom);
      out.jump(end).here(many);
      batch(BATCH, noRoom);
      out.jump(end).here(noRoom);
      countLost();
    }

    /** A poll has found nothing; the end of a program. */
    private void countEmpty() {
      var first = new Label();
      out.load(DOUBLE, R1, FRAME, THREAD).compute(R1, SHIFT_RIGHT, 32);
      out.store(DOUBLE, FRAME, REQUEST, R1);
      out.load(DOUBLE, R1, FRAME, FIRST).store(DOUBLE, FRAME, REQUEST + Long.BYTES, R1);
      out.set(R1, empty).address(R2, FRAME, REQUEST).call(Helper.MAP_LOOKUP_ELEM);
      out.jump(R0, EQUAL, 0, first).set(R1, 1).addAtomically(R0, 0, R1).jump(end).here(first);
      out.store(DOUBLE, FRAME, COUNT, 1).set(R1, empty).address(R2, FRAME, REQUEST);
      out.address(R3, FRAME, COUNT).set(R4, 0).call(Helper.MAP_UPDATE_ELEM).jump(end);
    }

    private void batch(int most, Label noRoom) {
      record(ProbeRecord.Kind.COMPLETIONS, most * Struct.WorkCompletion.SIZE, noRoom);
      out.store(DOUBLE, R8, ProbeRecord.A, R7).load(DOUBLE, R9, FRAME, FIRST);
      queue(R9, Long.BYTES);
      bounded(R7, most, Struct.WorkCompletion.SIZE);
      out.load(DOUBLE, R9, FRAME, THIRD);
      readToRecord(ProbeRecord.DATA, R9, 0);
      // The time of completions is that of the return.
      out.call(Helper.KTIME_GET_NS).store(DOUBLE, R8, ProbeRecord.TIME, R0);
      submit();
    }

    /**
     * A poll of an extended completion queue has found a completion, unless its result is an errno;
     * then the one that the last poll found is over, too.
     */
    void current(Verb verb) {
      resume(verb);
      var none = new Label();
      var noRoom = new Label();
      out.load(DOUBLE, R7, FRAME, RESULT);
      out.jump32(R7, NOT_EQUAL, 0, none);
      record(ProbeRecord.Kind.CURRENT, ProbeRecord.CURRENT_BYTES, noRoom);
      out.load(DOUBLE, R9, FRAME, FIRST);
      queue(R9, Long.BYTES);
      int status = Struct.ExtendedCompletionQueue.STATUS.offset(Processor.HERE);
      readToRecord(ProbeRecord.DATA, ProbeRecord.CURRENT_BYTES, R9, status);
      returned(noRoom);
      out.jump(end).here(none);
      if (verb == Verb.START_POLL) {
        countEmpty();
      } else {
        var noRoomForEnd = new Label();
        record(ProbeRecord.Kind.END, 0, noRoomForEnd);
        move(ProbeRecord.QUEUE, FIRST);
        submitOrCount(noRoomForEnd);
      }
    }

    /** The program has read a field of the current completion. */
    void read(Verb verb, int field) {
      resume(verb);
      var noRoom = new Label();
      record(ProbeRecord.Kind.READ, 0, noRoom);
      out.store(DOUBLE, R8, ProbeRecord.A, field);
      move(ProbeRecord.B, RESULT);
      move(ProbeRecord.QUEUE, FIRST);
      submitOrCount(noRoom);
    }

    void endOfPoll() {
      var noRoom = new Label();
      record(ProbeRecord.Kind.END, 0, noRoom);
      out.load(DOUBLE, R7, R6, argument(0)).store(DOUBLE, R8, ProbeRecord.QUEUE, R7);
      submitOrCount(noRoom);
    }

    /** Sets R2 to the bytes of so many elements, at most of so many. */
    private void bounded(Register count, int most, int bytes) {
      var fits = new Label();
      out.copy(R2, count).jump(R2, GREATER, most, fits);
      var fewer = new Label();
      out.jump(fewer).here(fits).set(R2, most).here(fewer).compute(R2, MULTIPLY, bytes);
    }

    /** A chain of requests, in R7 one after the other. */
    void chain(Verb verb, ProbeRecord.Kind kind, int size) {
      resume(verb);
      refused();
      out.load(DOUBLE, R7, FRAME, SECOND).set(R9, 0);
      // R9 is the errno from the request on that was refused.
      var noBad = new Label();
      out.load(DOUBLE, R1, FRAME, BAD).jump(R1, NOT_EQUAL, 0, noBad);
      out.load(DOUBLE, R9, FRAME, RESULT).here(noBad);
      var next = new Label();
      var more = new Label();
      var done = new Label();
      out.store(DOUBLE, FRAME, COUNT, 0).here(next);
      out.jump(R7, EQUAL, 0, done);
      out.load(DOUBLE, R1, FRAME, COUNT).jump(R1, GREATER, CHAIN - 1, more);
      out.compute(R1, ADD, 1).store(DOUBLE, FRAME, COUNT, R1);
      one(kind, size, done);
      out.jump(next).here(more);
      rest(kind, size, done);
      out.here(done);
    }

    /** The result as an errno, and the request of which it is; that is 0 if nothing is refused. */
    private void refused() {
      var none = new Label();
      out.load(DOUBLE, R1, FRAME, RESULT);
      asInt(R1);
      out.store(DOUBLE, FRAME, RESULT, R1).store(DOUBLE, FRAME, BAD, 0).jump(R1, EQUAL, 0, none);
      out.load(DOUBLE, R7, FRAME, THIRD);
      readToStack(BAD, Long.BYTES, R7, 0);
      out.here(none);
    }

    /** Records the request in R7 and goes to the one after it, if it could be read. */
    private void one(ProbeRecord.Kind kind, int size, Label done) {
      var before = new Label();
      out.load(DOUBLE, R1, FRAME, BAD).jump(R1, NOT_EQUAL, R7, before);
      out.load(DOUBLE, R9, FRAME, RESULT).here(before);
      readToStack(REQUEST, size, R7, 0);
      out.store(DOUBLE, FRAME, UNREAD, R0).store(DOUBLE, FRAME, NOTHING, R0);
      var many = new Label();
      var noRoom = new Label();
      var after = new Label();
      out.load(WORD, R1, FRAME, REQUEST + Struct.SendRequest.NUM_SGE).jump(R1, GREATER, FEW, many);
      request(kind, size, FEW, noRoom);
      out.jump(after).here(many);
      request(kind, size, ELEMENTS, noRoom);
      out.jump(after).here(noRoom);
      countLost();
      out.here(after);
      out.load(DOUBLE, R1, FRAME, NOTHING).jump(R1, NOT_EQUAL, 0, done);
      out.load(DOUBLE, R7, FRAME, REQUEST + Struct.SendRequest.NEXT);
    }

    private void request(ProbeRecord.Kind kind, int size, int most, Label noRoom) {
      record(kind, size + most * Struct.ScatterGatherElement.SIZE, noRoom);
      out.store(DOUBLE, R8, ProbeRecord.A, R9);
      for (int at = 0; at < size; at += Long.BYTES) {
        move(ProbeRecord.DATA + at, REQUEST + at);
      }
      out.load(WORD, R1, FRAME, REQUEST + Struct.SendRequest.NUM_SGE);
      bounded(R1, most, Struct.ScatterGatherElement.SIZE);
      var none = new Label();
      out.jump(R2, EQUAL, 0, none);
      out.load(DOUBLE, R3, FRAME, REQUEST + Struct.SendRequest.SG_LIST);
      readToRecord(ProbeRecord.DATA + size, R3, 0);
      out.here(none).load(DOUBLE, R3, FRAME, FIRST);
      out.store(DOUBLE, R8, ProbeRecord.QUEUE, R3);
      int structure =
          kind == ProbeRecord.Kind.SHARED_RECEIVE ? Long.BYTES : ProbeRecord.STRUCTURE_BYTES;
      readToRecord(ProbeRecord.STRUCTURE, structure, R3, 0);
      submit();
    }

    /**
     * Counts what comes after the requests that are read: those that were posted, and, after the
     * one that was refused, which is recorded, the others that were.
     */
    private void rest(ProbeRecord.Kind kind, int size, Label done) {
      var begun = new Label();
      out.jump(R9, NOT_EQUAL, 0, begun);
      count(0);
      out.jump(R7, EQUAL, 0, done);
      var notBad = new Label();
      out.load(DOUBLE, R1, FRAME, BAD).jump(R1, NOT_EQUAL, R7, notBad);
      one(kind, size, done);
      out.here(begun);
      count(1);
      out.here(notBad);
    }

    /**
     * Counts requests up to the end or to the one that was refused, and records how many.
     *
     * @param refused 1 if they were refused, after that one
     */
    private void count(int refused) {
      var next = new Label();
      var counted = new Label();
      var nothing = new Label();
      var noRoom = new Label();
      out.store(DOUBLE, FRAME, COUNT, 0).here(next);
      out.jump(R7, EQUAL, 0, counted);
      if (refused == 0) {
        out.load(DOUBLE, R1, FRAME, BAD).jump(R1, EQUAL, R7, counted);
      }
      out.load(DOUBLE, R1, FRAME, COUNT).jump(R1, GREATER, COUNTED - 1, counted);
      out.compute(R1, ADD, 1).store(DOUBLE, FRAME, COUNT, R1);
      readToStack(SCRATCH, Long.BYTES, R7, Struct.SendRequest.NEXT);
      out.jump(R0, NOT_EQUAL, 0, counted).load(DOUBLE, R7, FRAME, SCRATCH).jump(next);
      out.here(counted).load(DOUBLE, R1, FRAME, COUNT).jump(R1, EQUAL, 0, nothing);
      record(ProbeRecord.Kind.MORE, 0, noRoom);
      move(ProbeRecord.A, COUNT);
      // What could not be read is of the request before them.
      out.store(DOUBLE, R8, ProbeRecord.B, refused).store(DOUBLE, FRAME, UNREAD, 0);
      submit();
      out.jump(nothing).here(noRoom);
      countLost();
      out.here(nothing);
    }

    void connection() {
      var noRoom = new Label();
      record(ProbeRecord.Kind.PEER, 32, noRoom);
      out.load(DOUBLE, R7, R6, argument(0)).load(DOUBLE, R9, R6, argument(1));
      readToRecord(ProbeRecord.STRUCTURE, Long.BYTES, R7, Struct.ConnectionId.VERBS);
      readToRecord(ProbeRecord.DATA, 32, R7, Struct.ConnectionId.DST_ADDR);
      readToRecord(ProbeRecord.QUEUE, Long.BYTES, R7, Struct.ConnectionId.QP);
      out.load(DOUBLE, R7, R8, ProbeRecord.QUEUE);
      out.store(DOUBLE, R8, ProbeRecord.A, 0);
      var parameter = new Label();
      var known = new Label();
      out.jump(R7, EQUAL, 0, parameter);
      readToRecord(ProbeRecord.A, Integer.BYTES, R7, Struct.QueuePair.QP_NUM);
      out.jump(known).here(parameter).jump(R9, EQUAL, 0, known);
      readToRecord(ProbeRecord.A, Integer.BYTES, R9, Struct.ConnectionParam.QP_NUM);
      out.here(known);
      submitOrCount(noRoom);
    }

    /** A request of the extended interface; only some have a remote key and address. */
    void request(Verb verb) {
      var noRoom = new Label();
      record(ProbeRecord.Kind.EXTENDED, 2 * Long.BYTES, noRoom);
      out.store(DOUBLE, R8, ProbeRecord.A, verb.opcode());
      switch (verb) {
        case WR_RDMA_WRITE,
            WR_RDMA_WRITE_IMM,
            WR_RDMA_READ,
            WR_ATOMIC_CMP_SWP,
            WR_ATOMIC_FETCH_ADD -> {
          out.load(DOUBLE, R1, R6, argument(2)).store(DOUBLE, R8, ProbeRecord.B, R1);
          out.load(DOUBLE, R1, R6, argument(1)).store(DOUBLE, R8, ProbeRecord.C, R1);
        }
        default -> out.store(DOUBLE, R8, ProbeRecord.B, 0).store(DOUBLE, R8, ProbeRecord.C, 0);
      }
      out.load(DOUBLE, R7, R6, argument(0));
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      int begin = Struct.ExtendedQueuePair.WR_ID.offset(Processor.HERE);
      readToRecord(ProbeRecord.DATA, 2 * Long.BYTES, R7, begin);
      submitOrCount(noRoom);
    }

    /** The data of the request that was begun last, of the length in an argument. */
    void data(int argument) {
      var noRoom = new Label();
      record(ProbeRecord.Kind.DATA, 0, noRoom);
      out.load(DOUBLE, R1, R6, argument(argument)).store(DOUBLE, R8, ProbeRecord.A, R1);
      out.load(DOUBLE, R7, R6, argument(0));
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      submitOrCount(noRoom);
    }

    /** The same, with a list of elements of 16 bytes. */
    void dataList(Verb verb) {
      var noRoom = new Label();
      int size = Struct.ScatterGatherElement.SIZE;
      record(
          verb == Verb.WR_SET_SGE_LIST ? ProbeRecord.Kind.ELEMENTS : ProbeRecord.Kind.BUFFERS,
          ELEMENTS * size,
          noRoom);
      out.load(DOUBLE, R7, R6, argument(1)).store(DOUBLE, R8, ProbeRecord.A, R7);
      out.load(DOUBLE, R9, R6, argument(2));
      bounded(R7, ELEMENTS, size);
      var none = new Label();
      out.jump(R2, EQUAL, 0, none);
      readToRecord(ProbeRecord.DATA, R9, 0);
      out.here(none).load(DOUBLE, R7, R6, argument(0));
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      submitOrCount(noRoom);
    }

    /** The requests that were begun are posted together, or not at all. */
    void complete() {
      resume(Verb.WR_COMPLETE);
      var noRoom = new Label();
      record(ProbeRecord.Kind.COMPLETE, 0, noRoom);
      move(ProbeRecord.A, RESULT);
      out.load(DOUBLE, R7, FRAME, FIRST);
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      submitOrCount(noRoom);
    }

    /** What a queue pair was to become; only the result tells whether it did. */
    void modification() {
      resume(Verb.MODIFY_QP);
      var noRoom = new Label();
      record(ProbeRecord.Kind.MODIFY, Struct.QueuePairAttr.SIZE, noRoom);
      move(ProbeRecord.A, RESULT);
      move(ProbeRecord.B, THIRD);
      out.load(DOUBLE, R7, FRAME, FIRST);
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      out.load(DOUBLE, R9, FRAME, SECOND);
      readToRecord(ProbeRecord.DATA, Struct.QueuePairAttr.SIZE, R9, 0);
      submitOrCount(noRoom);
    }

    /** What the kernel answers while memory is registered, if it refuses. */
    void answer() {
      out.copy(R6, R1).load(DOUBLE, R7, R6, result()).jump32(R7, EQUAL, 0, end);
      asInt(R7);
      thread();
      key(Verb.REG_MR);
      out.set(R1, calls).address(R2, FRAME, KEY).call(Helper.MAP_LOOKUP_ELEM);
      out.jump(R0, EQUAL, 0, end).store(DOUBLE, R0, ERRNO - CALL, R7);
    }

    void registration(Verb verb) {
      resume(verb);
      var noRoom = new Label();
      var refused = new Label();
      var known = new Label();
      record(ProbeRecord.Kind.REGISTER, ProbeRecord.REGION_BYTES, noRoom);
      move(ProbeRecord.A, RESULT);
      move(ProbeRecord.B, ERRNO);
      move(ProbeRecord.QUEUE, FIRST);
      move(ProbeRecord.DATA, SECOND);
      move(ProbeRecord.DATA + Long.BYTES, THIRD);
      out.store(DOUBLE, R8, ProbeRecord.DATA + 2 * Long.BYTES, 0);
      out.load(DOUBLE, R7, FRAME, RESULT).jump(R7, EQUAL, 0, refused);
      region(ProbeRecord.DATA);
      readToRecord(ProbeRecord.STRUCTURE, Long.BYTES, R7, Struct.MemoryRegion.CONTEXT);
      out.jump(known).here(refused).load(DOUBLE, R7, FRAME, FIRST);
      readToRecord(ProbeRecord.STRUCTURE, Long.BYTES, R7, 0);
      out.here(known);
      returned(noRoom);
    }

    /** Address, length and local key of the region in R7. */
    private void region(int to) {
      out.store(DOUBLE, R8, to + 2 * Long.BYTES, 0);
      readToRecord(to, 2 * Long.BYTES, R7, Struct.MemoryRegion.ADDR);
      readToRecord(to + 2 * Long.BYTES, Integer.BYTES, R7, Struct.MemoryRegion.LKEY);
    }

    /** What becomes of the region that was kept at the entry. */
    void deregistration(Verb verb, ProbeRecord.Kind kind) {
      resume(verb);
      var noRoom = new Label();
      boolean again = kind == ProbeRecord.Kind.REREGISTER;
      record(kind, ProbeRecord.REGION_BYTES * (again ? 2 : 1), noRoom);
      move(ProbeRecord.A, RESULT);
      move(ProbeRecord.QUEUE, FIRST);
      move(ProbeRecord.STRUCTURE, SECOND);
      move(ProbeRecord.DATA, THIRD);
      move(ProbeRecord.DATA + Long.BYTES, FOURTH);
      move(ProbeRecord.DATA + 2 * Long.BYTES, FIFTH);
      if (again) {
        out.load(DOUBLE, R7, FRAME, FIRST);
        region(ProbeRecord.DATA + ProbeRecord.REGION_BYTES);
      }
      returned(noRoom);
    }

    /** The end of a record whose time is that of the return. */
    private void returned(Label noRoom) {
      out.call(Helper.KTIME_GET_NS).store(DOUBLE, R8, ProbeRecord.TIME, R0);
      submitOrCount(noRoom);
    }

    /** A device is closed. */
    void close() {
      var noRoom = new Label();
      record(ProbeRecord.Kind.CLOSE, 0, noRoom);
      out.load(DOUBLE, R7, R6, argument(0)).store(DOUBLE, R8, ProbeRecord.STRUCTURE, R7);
      submitOrCount(noRoom);
    }

    /** A function of which only the queue pair is of interest. */
    void ofQueuePair(ProbeRecord.Kind kind) {
      var noRoom = new Label();
      record(kind, 0, noRoom);
      out.load(DOUBLE, R7, R6, argument(0));
      queue(R7, ProbeRecord.STRUCTURE_BYTES);
      submitOrCount(noRoom);
    }
  }
}
