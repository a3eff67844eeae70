// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a QEMU accepts QMP: {@code unix:PATH} or the path alone, {@code tcp:HOST:PORT}, {@code
 * ssh:[USER@]HOST:PATH}. {@code toString()} gives a form that {@link #parse} accepts, except for
 * that of a child process.
 */
public sealed interface QmpAddress {

  /**
   * A unix-domain socket of this machine.
   *
   * @param path absolute
   */
  record Unix(Path path) implements QmpAddress {
    public Unix {
      path = path.toAbsolutePath();
    }

    @Override
    public String toString() {
      return "unix:" + path;
    }
  }

  /**
   * A TCP port.
   *
   * @param host name or address, without brackets; not empty
   * @param port 1 to 65535
   */
  record Tcp(String host, int port) implements QmpAddress {
    /** Resolves the host, which may take long. */
    InetSocketAddress resolve() {
      return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
      return "tcp:%s:%d".formatted(host.indexOf(':') >= 0 ? "[" + host + "]" : host, port);
    }
  }

  /**
   * A unix-domain socket of another machine, reached by the program ssh.
   *
   * @param destination {@code HOST} or {@code USER@HOST}, as ssh takes it; a host may be a name of
   *     the user's ssh configuration
   * @param path absolute, on that machine; without characters that ssh interprets
   */
  record Ssh(String destination, String path) implements QmpAddress {
    @Override
    public String toString() {
      return "ssh:" + destination + ":" + path;
    }
  }

  /**
   * Standard input and output of a process that this program has started.
   *
   * @param pid of the process
   */
  record Stdio(long pid) implements QmpAddress {
    @Override
    public String toString() {
      return "stdio of process " + pid;
    }
  }

  /** The host that it names, without a user; empty if it names none and is on this machine. */
  default Optional<String> namedHost() {
    return switch (this) {
      case Unix _, Stdio _ -> Optional.empty();
      case Tcp tcp -> Optional.of(tcp.host());
      case Ssh ssh -> Optional.of(ssh.destination().substring(ssh.destination().indexOf('@') + 1));
    };
  }

  /**
   * Parses an address.
   *
   * @throws IllegalArgumentException with one sentence for the user
   */
  static QmpAddress parse(String text) {
    return AddressParser.parse(text.strip());
  }
}
