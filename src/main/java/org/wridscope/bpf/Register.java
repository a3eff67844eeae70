// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

/** A register of the BPF virtual machine, of 64 bits. A call changes R0 to R5. */
public enum Register {
  /** The result of a call, and of the program. */
  R0,
  /** The first argument of a call, and the program's context. */
  R1,
  R2,
  R3,
  R4,
  R5,
  R6,
  R7,
  R8,
  R9,
  /** The end of the 512 bytes of the stack; cannot be written to. */
  FRAME
}
