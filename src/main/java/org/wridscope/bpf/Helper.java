// SPDX-License-Identifier: Apache-2.0
package org.wridscope.bpf;

/** A function of the kernel that a program can call, with its number; see bpf-helpers(7). */
public enum Helper {
  MAP_LOOKUP_ELEM(1),
  MAP_UPDATE_ELEM(2),
  MAP_DELETE_ELEM(3),
  KTIME_GET_NS(5),
  GET_CURRENT_PID_TGID(14),
  GET_CURRENT_COMM(16),
  PROBE_READ_USER(112),
  RINGBUF_RESERVE(131),
  RINGBUF_SUBMIT(132),
  /** Only of a program that may wait. */
  COPY_FROM_USER(148);

  private final int number;

  Helper(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }
}
