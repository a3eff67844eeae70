// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who can open a socket, and what happens to files with its name. */
final class SocketFileTest {
  @TempDir private Path directory;

  private ServerSocketChannel channel;
  private Path path;

  @BeforeEach
  void open() throws IOException {
    channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    path = directory.resolve("w.qmp");
  }

  @AfterEach
  void close() throws IOException {
    channel.close();
  }

  private SocketFile bind(Access access) throws IOException {
    return SocketFile.bind(channel, path, access);
  }

  private void permit(String permissions) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  @ParameterizedTest
  @CsvSource({"OWNER,rw-------", "GROUP,rw-rw----", "USERS,rw-rw-rw-"})
  void aSocket_hasItsPermissions_canBeOpened_andIsRemoved(Access access, String permissions)
      throws IOException {
    try (SocketFile _ = bind(access)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo(permissions);
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        assertThat(client.isConnected()).isTrue();
      }
      assertThat(entries()).isEqualTo(1);
    }
    assertThat(entries()).isZero();
  }

  private long entries() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.count();
    }
  }

  @Test
  void aFile_isNeitherReplacedNorDeleted() throws IOException {
    Files.writeString(path, "precious");
    assertThatThrownBy(() -> bind(Access.OWNER))
        .isInstanceOf(IOException.class)
        .hasMessage(path + " exists already and is no socket; choose another name.");
    assertThat(path).hasContent("precious");
    assertThat(entries()).isEqualTo(1);
  }

  @Test
  void aSocketOnWhichSomebodyListens_isLeftAlone() throws IOException {
    try (SocketFile _ = bind(Access.OWNER);
        ServerSocketChannel second = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      assertThatThrownBy(() -> SocketFile.bind(second, path, Access.OWNER))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Another program listens at " + path);
      try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
        assertThat(client.isConnected()).isTrue();
      }
    }
  }

  @Test
  void aSocketOfAKilledProcess_isReplaced() throws IOException {
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(UnixDomainSocketAddress.of(path));
    }
    assertThat(Files.exists(path)).isTrue();
    try (SocketFile _ = bind(Access.OWNER);
        SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      assertThat(client.isConnected()).isTrue();
    }
  }

  @Test
  void aFileThatTookTheNameLater_isNotDeleted() throws IOException {
    SocketFile file = bind(Access.OWNER);
    Files.delete(path);
    Files.writeString(path, "precious");
    file.close();
    assertThat(path).hasContent("precious");
  }

  @ParameterizedTest
  @CsvSource({
    "OWNER,rwxrwx---,false",
    "OWNER,rwx---rwx,false",
    "GROUP,rwxrwx---,true",
    "GROUP,rwx---rwx,false",
    "USERS,rwxrwxrwx,true"
  })
  void aDirectoryInWhichOthersWrite_isRefusedUnlessTheyAreAllowed(
      Access access, String permissions, boolean taken) throws IOException {
    permit(permissions);
    if (taken) {
      bind(access).close();
    } else {
      assertThatThrownBy(() -> bind(access))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Others could replace a socket in " + directory)
          .hasMessageContaining("they may write in " + directory)
          .hasMessageContaining("--qmp-allow users");
      assertThat(entries()).isZero();
    }
  }

  /** As in /tmp: everybody may write there, but replace nobody else's files. */
  @Test
  void aStickyDirectory_isSafe() throws IOException {
    Files.setAttribute(directory, "unix:mode", 01777);
    bind(Access.OWNER).close();
    assertThat(entries()).isZero();
  }

  @Test
  void aDirectoryThatIsAbsent_orTooLong_isSaid() throws IOException {
    assertThatThrownBy(
            () -> SocketFile.bind(channel, directory.resolve("absent/w.qmp"), Access.OWNER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("There is no directory");
    Path deep = Files.createDirectory(directory.resolve("x".repeat(100)));
    assertThatThrownBy(() -> SocketFile.bind(channel, deep.resolve("s"), Access.OWNER))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too long a name for a socket");
  }
}
