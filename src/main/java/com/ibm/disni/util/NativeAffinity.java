// SPDX-License-Identifier: Apache-2.0
package com.ibm.disni.util;

/**
 * Stands in for DiSNI's class of this name, which would load a native library to bind threads to
 * processors. Only DiSNI's endpoint interface, which is not used here, asks for that.
 */
public class NativeAffinity {
  private NativeAffinity() {}

  /** Leaves the thread where it is. */
  public static void setAffinity(long affinity) {}

  /** No processor in particular. */
  public static long getAffinity() {
    return 0;
  }
}
