// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs;

/**
 * How the kernel knows a device; see {@code struct ibv_device}.
 *
 * @param name for example {@code rxe0} or {@code soft0}
 * @param uverbsName for example {@code uverbs0}; empty when the kernel does not know the device
 * @param uverbsPath path of the class device {@code infiniband_verbs}; empty likewise
 * @param classPath path of the class device {@code infiniband}; empty likewise
 */
public record DeviceIdentity(String name, String uverbsName, String uverbsPath, String classPath) {

  /** The identity of a device that the kernel does not know. */
  public static DeviceIdentity ofProgram(String name) {
    return new DeviceIdentity(name, "", "", "");
  }

  /** Whether the kernel knows the device. */
  public boolean isKernels() {
    return !uverbsName.isEmpty();
  }
}
