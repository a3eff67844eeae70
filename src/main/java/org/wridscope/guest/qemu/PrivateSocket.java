// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.wridscope.files.Target;
import org.wridscope.guest.GuestException;
import org.wridscope.stream.Checkpoint;

/**
 * A UNIX-domain socket for one migration stream between this process and a QEMU, in a directory
 * that only the user of the QEMU and this one can enter. Its name is deleted as soon as both are
 * connected.
 */
final class PrivateSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PrivateSocket.class);

  /** Bytes of the longest path of a socket, see unix(7). */
  private static final int MAX_PATH = 107;

  private static final String DIRECTORY = "wridscope";
  private static final String FILE = "s";

  /** Nobody else can enter it. */
  private static final FileAttribute<Set<PosixFilePermission>> OWN =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private final Path directory;
  private final Path path;
  private @Nullable ServerSocketChannel server;

  private PrivateSocket(Path directory) {
    this.directory = directory;
    path = directory.resolve(FILE);
  }

  /**
   * A path for a socket, which does not exist yet.
   *
   * @param guard is told of it before there is anything to delete
   * @throws GuestException if there is no directory for it
   */
  static PrivateSocket create(QemuGuard guard) throws IOException {
    IOException last = null;
    for (Path parent : parents()) {
      var socket = new PrivateSocket(parent.resolve(DIRECTORY + name()));
      if (socket.path.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_PATH) {
        guard.creating(socket.path);
        try {
          Files.createDirectory(socket.directory, OWN);
          return socket;
        } catch (IOException e) {
          last = e;
        }
      }
    }
    throw new GuestException(
        "No directory for a socket that QEMU can reach%s; set TMPDIR to a writable directory with a short name."
            .formatted(last == null ? "" : " (" + Target.reason(last) + ")"));
  }

  private static String name() {
    return Long.toUnsignedString(new SecureRandom().nextLong(), Character.MAX_RADIX);
  }

  /** Whether a path is that of such a socket. */
  static boolean isOne(Path path) {
    Path parent = path.getParent();
    return path.isAbsolute()
        && path.equals(path.normalize())
        && path.endsWith(FILE)
        && parent != null
        && parent.getFileName() != null
        && parent.getFileName().toString().matches(DIRECTORY + "[0-9a-z]{1,13}");
  }

  private static List<Path> parents() {
    var parents = new ArrayList<Path>();
    String chosen = System.getenv("TMPDIR");
    if (chosen != null && chosen.startsWith("/")) {
      parents.add(Path.of(chosen));
    }
    parents.add(Path.of(System.getProperty("java.io.tmpdir", "/tmp")));
    parents.add(Path.of("/tmp"));
    return parents;
  }

  /**
   * Opens a superuser's directory to the user of the QEMU; others cannot give theirs away. After
   * this, that user may replace what is in it.
   */
  void giveTo(UserPrincipal user) throws IOException {
    if (!owner(directory).getOwner().equals(user)) {
      try {
        owner(directory).setOwner(user);
      } catch (IOException e) {
        close();
        throw new IOException("QEMU's user is %s, who cannot use it".formatted(user.getName()), e);
      }
    }
  }

  private static FileOwnerAttributeView owner(Path of) {
    return Files.getFileAttributeView(of, FileOwnerAttributeView.class, LinkOption.NOFOLLOW_LINKS);
  }

  /** The address for QEMU. */
  String uri() {
    return "unix:" + path;
  }

  /** Begins to wait for QEMU. */
  void listen(UserPrincipal user) throws IOException {
    ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server = listening;
    listening.bind(UnixDomainSocketAddress.of(path), 1);
    listening.configureBlocking(false);
    if (!owner(path).getOwner().equals(user)) {
      owner(path).setOwner(user);
    }
    giveTo(user);
  }

  /**
   * Waits for QEMU to connect.
   *
   * @param waiting called many times per second; throws if there is no point in waiting
   */
  QemuStream accept(Duration limit, Checkpoint waiting) throws IOException {
    ServerSocketChannel listening = server;
    if (listening == null) {
      throw new IllegalStateException("listen must be called first");
    }
    var deadline = new Deadline(limit);
    while (true) {
      SocketChannel connected = listening.accept();
      if (connected != null) {
        close();
        return new QemuStream(connected);
      }
      waiting.pass();
      deadline.pause("QEMU did not connect to its migration socket");
    }
  }

  /** Connects to a QEMU that listens. */
  QemuStream connect() throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(path));
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    close();
    return new QemuStream(channel);
  }

  /** Deletes the socket and its directory. Idempotent. */
  @Override
  public void close() {
    try {
      if (server != null) {
        server.close();
        server = null;
      }
      Files.deleteIfExists(path);
      Files.deleteIfExists(directory);
    } catch (IOException e) {
      LOG.warn("{} could not be deleted: {}", directory, e.getMessage());
    }
  }
}
