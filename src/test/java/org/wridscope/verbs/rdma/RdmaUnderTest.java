// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.PortDescription;
import org.wridscope.verbs.PortDescription.PortState;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;
import org.wridscope.verbs.VerbsUnderTest;

/** The first RDMA device of this machine with an active port that has an address. */
public final class RdmaUnderTest implements VerbsUnderTest {
  /** Which device tests use, where there are several; the first one if it is not set. */
  private static final String PROPERTY = "wridscope.test.device";

  private static final String DEVICE = System.getProperty(PROPERTY, "");

  private final String device;
  private final InetAddress address;

  public RdmaUnderTest() {
    this(Inet4Address.class);
  }

  private RdmaUnderTest(Class<? extends InetAddress> family) {
    try {
      for (DeviceDescription one : RdmaDevices.list()) {
        for (PortDescription port : one.ports()) {
          for (InetAddress candidate : port.addresses()) {
            if ((DEVICE.isEmpty() || DEVICE.equals(one.name()))
                && port.state() == PortState.ACTIVE
                && family.isInstance(candidate)
                && !candidate.isLinkLocalAddress()) {
              device = one.name();
              address = candidate;
              return;
            }
          }
        }
      }
    } catch (VerbsException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalStateException("no RDMA device has an address; run these tests where one is");
  }

  /** With an IPv6 address. */
  static RdmaUnderTest overIpv6() {
    return new RdmaUnderTest(Inet6Address.class);
  }

  /** The option of a JVM that has the same device under test. */
  public static String option() {
    return "-D%s=%s".formatted(PROPERTY, DEVICE);
  }

  /** Its name. */
  public String device() {
    return device;
  }

  @Override
  public RdmaDevice open(String name) throws VerbsException {
    return RdmaDevices.open(device);
  }

  @Override
  public InetSocketAddress address() {
    return new InetSocketAddress(address, 0);
  }

  @Override
  public boolean hasExactStatuses() {
    return false;
  }

  @Override
  public boolean rejectsBeyondBacklog() {
    return false;
  }
}
