// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.wridscope.verbs.DeviceDescription;
import org.wridscope.verbs.RdmaDevice;
import org.wridscope.verbs.VerbsException;

/** Sessions that use the test's own device, named {@value #NAME}. */
public final class SessionsOnDevice {
  public static final String NAME = "watched";

  private SessionsOnDevice() {}

  /** Opens the device. */
  @FunctionalInterface
  public interface Opener {
    RdmaDevice open() throws VerbsException;
  }

  public static SessionManager open(Opener opener) {
    return new LocalSessions(
        new InstalledDevices() {
          @Override
          public List<DeviceDescription> list() {
            return List.of();
          }

          @Override
          public RdmaDevice open(String name) throws VerbsException {
            return opener.open();
          }

          @Override
          public Optional<String> nameOf(InetAddress address) {
            return Optional.empty();
          }
        });
  }
}
