// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kernel's tables of sockets that wait for connections, in the network namespace of this
 * program: {@code /proc/net/unix}, {@code tcp} and {@code tcp6} (proc(5)).
 */
final class ListeningSockets {
  /** {@code __SO_ACCEPTCON} in the flags of a unix-domain socket. */
  private static final long ACCEPTS = 1 << 16;

  /** {@code TCP_LISTEN}. */
  private static final String LISTEN = "0A";

  private final Path net;

  /**
   * @param proc where procfs is mounted
   */
  ListeningSockets(Path proc) {
    net = proc.resolve("net");
  }

  /**
   * A unix-domain socket.
   *
   * @param path as it was bound: absolute, or relative to a directory that the kernel does not tell
   */
  record Unix(long inode, String path) {}

  /** A TCP socket. */
  private record Tcp(long inode, InetAddress address, int port) {}

  /** Unix-domain sockets with a path. */
  List<Unix> unix() {
    return lines("unix").map(ListeningSockets::unix).flatMap(Optional::stream).toList();
  }

  /** Inodes of the sockets that accept a connection to an address. */
  List<Long> tcp(InetAddress address, int port) {
    return Stream.concat(lines("tcp"), lines("tcp6"))
        .map(ListeningSockets::tcp)
        .flatMap(Optional::stream)
        .filter(socket ->
            socket.port == port
                && (socket.address.isAnyLocalAddress() || socket.address.equals(address)))
        .map(Tcp::inode)
        .toList();
  }

  private Stream<String> lines(String table) {
    try {
      // A path may hold any byte, so no byte is refused.
      return Files.readAllLines(net.resolve(table), StandardCharsets.ISO_8859_1).stream().skip(1);
    } catch (IOException e) {
      return Stream.of();
    }
  }

  /** {@code Num RefCount Protocol Flags Type St Inode Path}, the first with a colon. */
  private static Optional<Unix> unix(String line) {
    String[] fields = line.strip().split(" +", 8);
    try {
      if (fields.length == 8
          && !fields[7].startsWith("@")
          && (Long.parseLong(fields[3], 16) & ACCEPTS) != 0) {
        byte[] path = fields[7].getBytes(StandardCharsets.ISO_8859_1);
        return Optional.of(
            new Unix(Long.parseLong(fields[6]), new String(path, StandardCharsets.UTF_8)));
      }
    } catch (NumberFormatException e) {
      // A path with a newline, or a kernel with other columns.
    }
    return Optional.empty();
  }

  /** {@code sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode}. */
  private static Optional<Tcp> tcp(String line) {
    String[] fields = line.strip().split(" +");
    try {
      if (fields.length > 9 && fields[3].equals(LISTEN)) {
        String[] local = fields[1].split(":");
        return Optional.of(
            new Tcp(Long.parseLong(fields[9]), address(local[0]), Integer.parseInt(local[1], 16)));
      }
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | UnknownHostException e) {
      // A kernel with other columns.
    }
    return Optional.empty();
  }

  /** An address in words of this machine's byte order, which is little-endian. */
  private static InetAddress address(String hex) throws UnknownHostException {
    byte[] words = HexFormat.of().parseHex(hex);
    byte[] bytes = new byte[words.length];
    for (int i = 0; i < words.length; i++) {
      bytes[i] = words[(i & ~3) + 3 - (i & 3)];
    }
    return InetAddress.getByAddress(bytes);
  }
}
