// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** States of a queue pair (IBTA 10.3.1). */
public enum QueuePairState {
  RESET,
  INIT,
  RTR,
  RTS,
  SQD,
  SQE,
  ERROR
}
