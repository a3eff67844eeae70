// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** A work completion, reused from poll to poll; see {@code struct ibv_wc}. */
public final class WorkCompletion {
  private long workRequestId;
  private WorkCompletionStatus status = WorkCompletionStatus.SUCCESS;
  private WorkCompletionOpcode opcode = WorkCompletionOpcode.SEND;
  private int byteLength;
  private int vendorError;
  private int queuePairNumber;

  /** Creates {@code count} completions for {@link CompletionQueue#poll} to fill. */
  public static WorkCompletion[] array(int count) {
    var completions = new WorkCompletion[count];
    for (int i = 0; i < count; i++) {
      completions[i] = new WorkCompletion();
    }
    return completions;
  }

  /** Called by {@link CompletionQueue#poll}. */
  public void set(
      long workRequestId,
      WorkCompletionStatus status,
      WorkCompletionOpcode opcode,
      int byteLength,
      int vendorError,
      int queuePairNumber) {
    this.workRequestId = workRequestId;
    this.status = status;
    this.opcode = opcode;
    this.byteLength = byteLength;
    this.vendorError = vendorError;
    this.queuePairNumber = queuePairNumber;
  }

  /** The id that the work request was posted with. */
  public long workRequestId() {
    return workRequestId;
  }

  public WorkCompletionStatus status() {
    return status;
  }

  /** What completed. Undefined unless the status is {@link WorkCompletionStatus#SUCCESS}. */
  public WorkCompletionOpcode opcode() {
    return opcode;
  }

  /** Bytes received. Defined for successful receives only. */
  public int byteLength() {
    return byteLength;
  }

  /** The vendor's error code of a failure, 0 when there is none. */
  public int vendorError() {
    return vendorError;
  }

  public int queuePairNumber() {
    return queuePairNumber;
  }
}
