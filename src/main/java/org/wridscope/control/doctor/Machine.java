// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the checks look at. */
public interface Machine {

  /** Where {@code sys}, {@code proc}, {@code dev} and {@code lib} are; {@code /} on a real one. */
  Path root();

  /** Whether this process may read and write a file. */
  boolean mayReadAndWrite(Path file);

  /** Whether a shared library is found, such as {@code libibverbs.so.1}. */
  boolean hasLibrary(String name);

  /** Whether this program may call native code. */
  boolean hasNativeAccess();

  /** Where this program's own classes are. */
  Optional<URL> ownOrigin();

  /** Where a class would be loaded from; empty when there is none of that name. */
  Optional<URL> originOf(String className);

  /** Addresses by the name of their network interface. */
  Map<String, List<InetAddress>> addresses();

  /** Folders in which guests may have been captured. */
  List<Path> captureFolders();

  /** Addresses of a host. */
  List<InetAddress> resolve(String host) throws IOException;

  /** Our own address on the route to a peer. */
  InetAddress localTowards(InetSocketAddress peer) throws IOException;
}
