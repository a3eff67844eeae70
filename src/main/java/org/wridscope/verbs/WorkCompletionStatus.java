// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/** Status of a work completion; values and texts of {@code enum ibv_wc_status}. */
public enum WorkCompletionStatus {
  SUCCESS("success"),
  LOC_LEN_ERR("local length error"),
  LOC_QP_OP_ERR("local queue pair operation error"),
  LOC_EEC_OP_ERR("local end-to-end context operation error"),
  LOC_PROT_ERR("local protection error"),
  WR_FLUSH_ERR("work request flushed"),
  MW_BIND_ERR("memory window bind error"),
  BAD_RESP_ERR("bad response"),
  LOC_ACCESS_ERR("local access error"),
  REM_INV_REQ_ERR("remote invalid request"),
  REM_ACCESS_ERR("remote access error"),
  REM_OP_ERR("remote operation error"),
  RETRY_EXC_ERR("transport retry counter exceeded"),
  RNR_RETRY_EXC_ERR("receiver not ready, retry counter exceeded"),
  LOC_RDD_VIOL_ERR("local reliable datagram domain violation"),
  REM_INV_RD_REQ_ERR("remote invalid reliable datagram request"),
  REM_ABORT_ERR("remote aborted"),
  INV_EECN_ERR("invalid end-to-end context number"),
  INV_EEC_STATE_ERR("invalid end-to-end context state"),
  FATAL_ERR("fatal error"),
  RESP_TIMEOUT_ERR("response time-out"),
  GENERAL_ERR("general error");

  private static final WorkCompletionStatus[] VALUES = values();

  private final String text;

  WorkCompletionStatus(String text) {
    this.text = text;
  }

  /** The value in {@code enum ibv_wc_status}. */
  public int value() {
    return ordinal();
  }

  /** The status in words. */
  public String text() {
    return text;
  }

  /** The status with this value, {@link #GENERAL_ERR} when it is unknown. */
  public static WorkCompletionStatus of(int value) {
    return value >= 0 && value < VALUES.length ? VALUES[value] : GENERAL_ERR;
  }
}
