// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

/** What a work request does. */
public enum RequestKind {
  WRITE("RDMA WRITE"),
  SEND("SEND"),
  RECEIVE("receive");

  private final String text;

  RequestKind(String text) {
    this.text = text;
  }

  /** As views call it. */
  public String text() {
    return text;
  }
}
