// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a unix-domain socket on which this process listens. It gets its name only when it has
 * its permissions, so that there is no moment at which others could open it, and it takes no name
 * that something else has, except a socket on which nobody listens any more.
 */
final class SocketFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketFile.class);

  /** Bytes of the longest path of a socket, see unix(7). */
  private static final int MAX_PATH = 107;

  /** The bit of a directory in which everybody may delete and rename only his own files. */
  private static final int STICKY = 01000;

  private static final int GROUP_WRITES = 020;
  private static final int OTHERS_WRITE = 02;

  private final Path path;
  private final @Nullable Object key;

  private SocketFile(Path path, @Nullable Object key) {
    this.path = path;
    this.key = key;
  }

  /**
   * Binds a channel to a path.
   *
   * @param channel of unix-domain sockets
   * @param path absolute
   * @throws IOException if that is not possible, or others could replace the socket; one sentence
   */
  static SocketFile bind(ServerSocketChannel channel, Path path, Access access) throws IOException {
    Path directory = requireDirectory(path);
    if (access != Access.USERS) {
      requireSafe(directory, access);
    }
    boolean stale = isStale(path);
    Path own =
        directory.resolve(
            ".w" + Integer.toUnsignedString(new SecureRandom().nextInt(), Character.MAX_RADIX));
    Path bound = own.resolve("s");
    if (bound.toString().getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
      throw new IOException(
          "The directory %s has too long a name for a socket; choose another one."
              .formatted(directory));
    }
    try {
      Files.createDirectory(
          own, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      try {
        channel.bind(UnixDomainSocketAddress.of(bound));
        Files.setPosixFilePermissions(bound, access.permissions());
        if (stale) {
          Files.deleteIfExists(path);
        }
        Files.createLink(path, bound);
      } finally {
        Files.deleteIfExists(bound);
        Files.deleteIfExists(own);
      }
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          "%s was created by another program just now; choose another name.".formatted(path), e);
    } catch (IOException e) {
      throw new IOException(
          "The socket %s cannot be made: %s; choose another place.".formatted(path, reason(e)), e);
    }
    return new SocketFile(path, keyOf(path));
  }

  private static String reason(IOException e) {
    return e instanceof java.nio.file.AccessDeniedException
        ? "you may not write there"
        : String.valueOf(e.getMessage());
  }

  private static Path requireDirectory(Path path) throws IOException {
    Path parent = Objects.requireNonNull(path.getParent(), "the path of a socket has a parent");
    if (!Files.isDirectory(parent)) {
      throw new IOException(
          "There is no directory %s; create it, or choose another one.".formatted(parent));
    }
    return parent.toRealPath();
  }

  /** Refuses a directory in which other users could replace the socket by one of theirs. */
  private static void requireSafe(Path directory, Access access) throws IOException {
    UserPrincipal user = Files.getOwner(Path.of("/proc/self"));
    UserPrincipal root = Files.getOwner(Path.of("/"));
    int others = access == Access.GROUP ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITES;
    for (Path each = directory; each != null; each = each.getParent()) {
      int mode = (Integer) Files.getAttribute(each, "unix:mode");
      UserPrincipal owner = Files.getOwner(each);
      boolean owned = owner.equals(user) || owner.equals(root);
      if (!owned || ((mode & others) != 0 && (mode & STICKY) == 0)) {
        throw new IOException(
            "Others could replace a socket in %s, because %s; choose a directory of your own, or allow them with --qmp-allow users."
                .formatted(
                    directory,
                    owned
                        ? "they may write in " + each
                        : each + " belongs to the user " + owner.getName()));
      }
    }
  }

  /** Whether there is a socket on which nobody listens any more. */
  private static boolean isStale(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new IOException(
          "%s exists already and is no socket; choose another name.".formatted(path));
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      // Not to wait for somebody who listens and does not accept.
      probe.configureBlocking(false);
      boolean _ = probe.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException e) {
      return true;
    } catch (IOException e) {
      throw new IOException(
          "%s exists already (%s); choose another name.".formatted(path, e.getMessage()), e);
    }
    throw new IOException(
        "Another program listens at %s; end it, or choose another name.".formatted(path));
  }

  private static @Nullable Object keyOf(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Deletes the file, unless another one has its name now. */
  @Override
  public void close() {
    try {
      if (Objects.equals(key, keyOf(path))) {
        Files.delete(path);
      }
    } catch (IOException e) {
      LOG.info("the socket {} is not there any more: {}", path, e.getMessage());
    }
  }
}
