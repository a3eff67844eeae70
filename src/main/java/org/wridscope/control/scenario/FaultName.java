// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

/** Names of faults in files. */
enum FaultName {
  HOLD_COMPLETION,
  RETRANSMIT,
  DELAY,
  CUT,
  FATAL,
  EVENT,
  RECEIVER_NOT_READY,
  COMPLETE_WITH
}
