// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.wridscope.guest.qemu.Journals;
import org.wridscope.process.WriteTrackers;

/** The parts of a machine that the checks read; tests replace it. */
public interface Machine {

  /** The directory that contains {@code sys}, {@code proc}, {@code dev} and {@code lib}. */
  Path root();

  /** Whether this process may read and write a file. */
  boolean mayReadAndWrite(Path file);

  /** Bytes that the file system of a directory has free; empty if that is not known. */
  OptionalLong freeBytes(Path directory);

  /** Whether the dynamic linker finds a shared library, for example {@code libibverbs.so.1}. */
  boolean hasLibrary(String name);

  /** Whether this program may call native code. */
  boolean hasNativeAccess();

  /**
   * Why the kernel cannot find the writes of another process in this way, as a sentence that begins
   * anywhere; empty if it can.
   */
  Optional<String> dirtyLogObstacle(WriteTrackers.Kind kind);

  /** Whether DiSNI is on the class path. */
  boolean hasDisni();

  /** Location of DiSNI's own native dispatcher if it comes before this program's; else empty. */
  Optional<String> foreignDispatcher();

  /** Addresses by the name of their network interface. */
  Map<String, List<InetAddress>> addresses();

  /** Directories in which guests may have been captured. */
  List<Path> captureFolders();

  /** The journals of QEMUs that were changed. */
  Journals journals();

  /** Resolves a host name or address. */
  List<InetAddress> resolve(String host) throws IOException;

  /** The local address on the route to a peer. */
  InetAddress localTowards(InetSocketAddress peer) throws IOException;
}
