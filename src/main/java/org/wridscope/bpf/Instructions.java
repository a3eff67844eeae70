// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

import java.util.Arrays;

/**
 * Builds a program, one instruction after the other, in the encoding of the kernel's
 * Documentation/bpf/standardization/instruction-set.rst. Distances from {@link Register#FRAME} are
 * negative. Not thread-safe.
 */
public final class Instructions {
  /** What an instruction does, in the low bits of its opcode: 64-bit arithmetic, jumps, memory. */
  private static final int ALU64 = 0x07;

  private static final int JUMP = 0x05;
  private static final int JUMP32 = 0x06;
  private static final int LOAD = 0x61;
  private static final int STORE_IMMEDIATE = 0x62;
  private static final int STORE = 0x63;
  private static final int ATOMIC = 0xc3;
  private static final int LOAD_MAP = 0x18;

  /** The other operand is a register rather than the number in the instruction. */
  private static final int OF_REGISTER = 0x08;

  /** The number of {@link #LOAD_MAP} is the descriptor of a map. */
  private static final int MAP_DESCRIPTOR = 1;

  private static final int CALL = 0x85;
  private static final int EXIT = 0x95;
  private static final int IMMEDIATE_BITS = 32;

  /** How many bytes are loaded or stored. */
  public enum Width {
    WORD(0x00),
    DOUBLE(0x18);

    private final int bits;

    Width(int bits) {
      this.bits = bits;
    }
  }

  /** Arithmetic with 64 bits. */
  public enum Arithmetic {
    ADD(0x00),
    OR(0x40),
    AND(0x50),
    SHIFT_LEFT(0x60),
    SHIFT_RIGHT(0x70),
    MULTIPLY(0x20);

    private final int bits;

    Arithmetic(int bits) {
      this.bits = bits;
    }
  }

  /** When a conditional jump is made. */
  public enum Condition {
    EQUAL(0x10),
    NOT_EQUAL(0x50),
    /** Without signs. */
    GREATER(0x20),
    /** With signs. */
    SIGNED_LESS(0xc0);

    private final int bits;

    Condition(int bits) {
      this.bits = bits;
    }
  }

  /** A place to jump to. */
  public static final class Label {
    private int place = -1;
    private int[] jumps = {};

    private int distance(int jump) {
      return place - jump - 1;
    }
  }

  private long[] words = new long[64];
  private int length;

  private Instructions add(int opcode, int to, int from, int offset, int number) {
    if (offset != (short) offset) {
      throw new IllegalArgumentException("the offset %d has more than 16 bits".formatted(offset));
    }
    if (length == words.length) {
      words = Arrays.copyOf(words, 2 * length);
    }
    words[length++] =
        (opcode & 0xffL)
            | ((long) to << 8)
            | ((long) from << 12)
            | ((offset & 0xffffL) << 16)
            | ((long) number << IMMEDIATE_BITS);
    return this;
  }

  /** Copies a register. */
  public Instructions copy(Register to, Register from) {
    return add(0xb0 | OF_REGISTER | ALU64, to.ordinal(), from.ordinal(), 0, 0);
  }

  /** Sets a register to a number. */
  public Instructions set(Register to, int number) {
    return add(0xb0 | ALU64, to.ordinal(), 0, 0, number);
  }

  /** Sets a register to a map. */
  public Instructions set(Register to, BpfMap map) {
    add(LOAD_MAP, to.ordinal(), MAP_DESCRIPTOR, 0, map.descriptor());
    return add(0, 0, 0, 0, 0);
  }

  /** Sets a register to an address: that of another one, and a distance. */
  public Instructions address(Register to, Register base, int distance) {
    return copy(to, base).compute(to, Arithmetic.ADD, distance);
  }

  public Instructions compute(Register to, Arithmetic operation, int number) {
    return add(operation.bits | ALU64, to.ordinal(), 0, 0, number);
  }

  public Instructions compute(Register to, Arithmetic operation, Register with) {
    return add(operation.bits | OF_REGISTER | ALU64, to.ordinal(), with.ordinal(), 0, 0);
  }

  public Instructions load(Width width, Register to, Register base, int offset) {
    return add(LOAD | width.bits, to.ordinal(), base.ordinal(), offset, 0);
  }

  public Instructions store(Width width, Register base, int offset, Register from) {
    return add(STORE | width.bits, base.ordinal(), from.ordinal(), offset, 0);
  }

  public Instructions store(Width width, Register base, int offset, int number) {
    return add(STORE_IMMEDIATE | width.bits, base.ordinal(), 0, offset, number);
  }

  /** Adds to a number of 64 bits that other processors may add to. */
  public Instructions addAtomically(Register base, int offset, Register number) {
    return add(ATOMIC | Width.DOUBLE.bits, base.ordinal(), number.ordinal(), offset, 0);
  }

  public Instructions call(Helper helper) {
    return add(CALL, 0, 0, 0, helper.number());
  }

  public Instructions exit() {
    return add(EXIT, 0, 0, 0, 0);
  }

  /** Puts a label here. */
  public Instructions here(Label label) {
    label.place = length;
    for (int jump : label.jumps) {
      words[jump] |= (label.distance(jump) & 0xffffL) << 16;
    }
    return this;
  }

  public Instructions jump(Label to) {
    return jump(JUMP, 0, 0, 0, to);
  }

  /** Jumps if a register and a number, which is extended with its sign, are so. */
  public Instructions jump(Register left, Condition condition, int right, Label to) {
    return jump(condition.bits | JUMP, left.ordinal(), 0, right, to);
  }

  /** The same for the low 32 bits of the register. */
  public Instructions jump32(Register left, Condition condition, int right, Label to) {
    return jump(condition.bits | JUMP32, left.ordinal(), 0, right, to);
  }

  public Instructions jump(Register left, Condition condition, Register right, Label to) {
    return jump(condition.bits | OF_REGISTER | JUMP, left.ordinal(), right.ordinal(), 0, to);
  }

  private Instructions jump(int opcode, int left, int right, int number, Label to) {
    int jump = length;
    if (to.place < 0) {
      to.jumps = Arrays.copyOf(to.jumps, to.jumps.length + 1);
      to.jumps[to.jumps.length - 1] = jump;
      return add(opcode, left, right, 0, number);
    }
    return add(opcode, left, right, to.distance(jump), number);
  }

  /** The program, a word for each instruction, in this machine's byte order. */
  public long[] words() {
    return Arrays.copyOf(words, length);
  }
}
