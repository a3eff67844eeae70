// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a procfs of files, and on this machine's own, where this process has the sockets. */
final class QemuDiscoveryTest {
  @TempDir private Path directory;

  private Path proc;

  @BeforeEach
  void emptyProcfs() throws IOException {
    proc = Files.createDirectories(directory.resolve("proc"));
    Files.createDirectories(proc.resolve("net"));
    Files.createDirectories(proc.resolve("sys"));
    sockets("");
  }

  /** JUnit warns of links that lead out of its directory. */
  @AfterEach
  void removeLinks() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isSymbolicLink).toList()) {
        Files.delete(file);
      }
    }
  }

  private void sockets(String lines) throws IOException {
    Files.writeString(
        proc.resolve("net/unix"),
        "Num       RefCount Protocol Flags    Type St Inode Path\n" + lines);
  }

  /** A process with sockets as its descriptors 10, 11 and so on. */
  private void process(long pid, Path cwd, List<String> arguments, long... inodes)
      throws IOException {
    Path process = Files.createDirectories(proc.resolve(Long.toString(pid)));
    Files.writeString(process.resolve("cmdline"), String.join("\0", arguments) + "\0");
    Files.createSymbolicLink(process.resolve("cwd"), cwd);
    Path fd = Files.createDirectories(process.resolve("fd"));
    Files.createSymbolicLink(fd.resolve("0"), Path.of("/dev/null"));
    for (int i = 0; i < inodes.length; i++) {
      Files.createSymbolicLink(
          fd.resolve(Integer.toString(10 + i)), Path.of("socket:[" + inodes[i] + "]"));
    }
  }

  private List<FoundQemu> found() {
    return new QemuDiscovery(proc).find();
  }

  private OptionalLong pidOf(String address) {
    return new QemuDiscovery(proc).pidOf(QmpAddress.parse(address));
  }

  private static FoundQemu qemu(long pid, String name, String... addresses) {
    return new FoundQemu(
        pid == 0 ? OptionalLong.empty() : OptionalLong.of(pid),
        name,
        List.of(addresses).stream().map(QmpAddress::parse).toList());
  }

  @Test
  void aMachineWithoutQemus_hasNone() {
    assertThat(found()).isEmpty();
    assertThat(new QemuDiscovery(directory.resolve("absent")).find()).isEmpty();
  }

  @Test
  void qemus_areFoundByCommandLine_byDescriptor_andByTheNameOfTheSocket() throws IOException {
    sockets(
        """
        0000000000000000: 00000002 00000000 00010000 0001 01 501 /run/one.sock
        0000000000000000: 00000002 00000000 00010000 0001 01 502 /var/lib/libvirt/qemu/domain-3-web server/monitor.sock
        0000000000000000: 00000002 00000000 00010000 0001 01 503 /var/run/qemu-server/100.qmp
        0000000000000000: 00000002 00000000 00010000 0001 01 504 /run/one.qmp
        0000000000000000: 00000003 00000000 00000000 0001 03 505 /run/connected.qmp
        0000000000000000: 00000002 00000000 00010000 0001 01 506 @abstract.qmp
        0000000000000000: 00000002 00000000 00010000 0001 01 507 /run/other.sock
        0000000000000000: 00000002 00000000 00010000 0001 01 508 vm.qmp
        0000000000000000: 00000002 00000000 00010000 0001 01 509
        broken
        """);
    process(
        21,
        Path.of("/"),
        List.of("qemu-system-x86_64", "-name", "one", "-qmp", "unix:/run/one.sock,server,nowait"),
        501,
        504);
    process(
        9,
        Path.of("/"),
        List.of(
            "/usr/bin/qemu-system-x86_64",
            "-name",
            "guest=web server",
            "-chardev",
            "socket,id=m,fd=10,server=on",
            "-mon",
            "m,mode=control"),
        502);
    process(30, Path.of("/home/me"), List.of("python3", "vm.py"), 508);
    process(31, Path.of("/"), List.of("qemu-system-x86_64", "-S"));
    assertThat(found())
        .containsExactly(
            qemu(9, "web server", "/var/lib/libvirt/qemu/domain-3-web server/monitor.sock"),
            qemu(21, "one", "/run/one.sock", "/run/one.qmp"),
            qemu(0, "100.qmp", "/var/run/qemu-server/100.qmp"),
            qemu(30, "vm.qmp", "/home/me/vm.qmp"));
    assertThat(pidOf("/run/one.sock")).hasValue(21);
    assertThat(pidOf("/home/me/vm.qmp")).hasValue(30);
    assertThat(pidOf("/var/run/qemu-server/100.qmp")).isEmpty();
    assertThat(pidOf("/run/connected.qmp")).isEmpty();
    assertThat(pidOf("/run/absent.qmp")).isEmpty();
  }

  @Test
  void aDomainOfAnotherUser_hasTheNameThatItsDirectoryTells() throws IOException {
    sockets(
        "0: 00000002 00000000 00010000 0001 01 5"
            + " /var/lib/libvirt/qemu/domain-3-web/monitor.sock\n");
    assertThat(found())
        .containsExactly(qemu(0, "web", "/var/lib/libvirt/qemu/domain-3-web/monitor.sock"));
  }

  @Test
  void ofSeveralProcessesWithASocket_theQemuIsMeant_andOfSeveralQemusNone() throws IOException {
    sockets("0: 00000002 00000000 00010000 0001 01 5 /run/vm.qmp\n");
    process(4, Path.of("/"), List.of("libvirtd"), 5);
    process(5, Path.of("/"), List.of("qemu-kvm"), 5);
    assertThat(pidOf("/run/vm.qmp")).hasValue(5);
    process(6, Path.of("/"), List.of("qemu-kvm"), 5);
    assertThat(pidOf("/run/vm.qmp")).isEmpty();
  }

  @Test
  void aPathThatIsNotSafeToShow_isNotOffered() throws IOException {
    sockets("0: 00000002 00000000 00010000 0001 01 5 /run/\u001b[2J.qmp\n");
    assertThat(found()).isEmpty();
  }

  @Test
  void tcp_isFoundByPort_andAddress() throws IOException {
    Files.writeString(
        proc.resolve("net/tcp"),
        """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:115C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 61 1 0 100 0 0 10 0
           1: 0200007F:115D 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 62 1 0 100 0 0 10 0
           2: 0100007F:115E 0100007F:1000 01 00000000:00000000 00:00000000 00000000     0        0 63 1 0 100 0 0 10 0
           3: broken
        """);
    Files.writeString(
        proc.resolve("net/tcp6"),
        """
          sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 00000000000000000000000001000000:115F 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 64 1
           1: 00000000000000000000000000000000:1160 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 65 1
        """);
    process(7, Path.of("/"), List.of("qemu-kvm"), 61, 62, 63, 64, 65);
    assertThat(pidOf("tcp:127.0.0.1:4444")).hasValue(7);
    assertThat(pidOf("tcp:127.0.0.1:4445")).isEmpty();
    assertThat(pidOf("tcp:127.0.0.2:4445")).hasValue(7);
    assertThat(pidOf("tcp:127.0.0.1:4446")).isEmpty();
    assertThat(pidOf("tcp:[::1]:4447")).hasValue(7);
    assertThat(pidOf("tcp:127.0.0.1:4448")).hasValue(7);
    assertThat(pidOf("tcp:192.0.2.1:4448")).isEmpty();
    assertThat(pidOf("ssh:127.0.0.1:/run/vm.qmp")).isEmpty();
    assertThat(new QemuDiscovery(proc).pidOf(new QmpAddress.Stdio(8))).hasValue(8);
  }

  @Test
  void onThisMachine_thisProcess_isFoundByItsSockets() throws IOException {
    var machine = new QemuDiscovery();
    long self = ProcessHandle.current().pid();
    Path socket = directory.resolve("vm.qmp");
    Path link = Files.createSymbolicLink(directory.resolve("link"), socket);
    try (var unix = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        var tcp = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unix.bind(UnixDomainSocketAddress.of(socket));
      var address = new QmpAddress.Unix(socket);
      assertThat(machine.pidOf(address)).hasValue(self);
      assertThat(machine.pidOf(new QmpAddress.Unix(link))).hasValue(self);
      assertThat(machine.pidOf(new QmpAddress.Tcp("127.0.0.1", tcp.getLocalPort()))).hasValue(self);
      assertThat(machine.find())
          .contains(new FoundQemu(OptionalLong.of(self), "vm.qmp", List.of(address)));
    }
    assertThat(machine.pidOf(new QmpAddress.Unix(socket))).isEmpty();
  }
}
