// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QemuCommandLineTest {
  private static QemuCommandLine line(String... arguments) {
    return new QemuCommandLine(
        Arrays.asList(arguments),
        Path.of("/home/me"),
        descriptor ->
            descriptor.equals("33")
                ? Optional.of(QmpAddress.parse("/run/by-descriptor"))
                : Optional.empty());
  }

  private static List<String> addresses(String... arguments) {
    return line(arguments).addresses().stream().map(QmpAddress::toString).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "unix:/run/vm.qmp,server,nowait | unix:/run/vm.qmp",
        "unix:/run/vm.qmp,server=on,wait=off | unix:/run/vm.qmp",
        "unix:vm.qmp,server=on | unix:/home/me/vm.qmp",
        "unix:/run/a,,b.qmp,server=yes | unix:/run/a,b.qmp",
        "unix:/run/a=b,server | unix:/run/a=b",
        "tcp:127.0.0.1:4444,server=on | tcp:127.0.0.1:4444",
        "tcp::4444,server | tcp:127.0.0.1:4444",
        "tcp:0.0.0.0:4444,server | tcp:127.0.0.1:4444",
        "tcp:[::]:4444,server | tcp:[::1]:4444",
        "tcp:[::1]:4444,server | tcp:[::1]:4444"
      })
  void theShortForm_ofAServer(String value, String address) {
    // QEMU takes a path up to the first comma, so a value with "=" in it needs the long form there.
    List<String> expected = value.contains("a=b") ? List.of() : List.of(address);
    assertThat(addresses("qemu-system-x86_64", "-qmp", value)).isEqualTo(expected);
    assertThat(addresses("qemu-system-x86_64", "--qmp-pretty", value)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stdio",
        "unix:/run/client",
        "unix:/run/client,server=off",
        "unix:,server",
        "tcp:127.0.0.1:0,server",
        "tcp:127.0.0.1:service,server",
        "tcp:127.0.0.1,server",
        "unix:/run/x,server,tls-creds=t",
        "unix:/run/x,server,telnet=on",
        "unix:/run/x,server,websocket",
        "unix:/run/x,server,abstract=on",
        "unix:/run/\u001b[2J,server",
        "unix:/run/\0,server",
        "chardev:absent",
        ","
      })
  void whatCannotBeUsed_isLeftOut(String value) {
    assertThat(addresses("qemu-system-x86_64", "-qmp", value)).isEmpty();
  }

  @Test
  void theLongForm_asLibvirtAndOperatorsWriteIt() {
    assertThat(
            addresses(
                "/usr/bin/qemu-system-x86_64",
                "-name",
                "guest=vm1,debug-threads=on",
                "-mon",
                "chardev=charmonitor,id=monitor,mode=control",
                "-chardev",
                "socket,id=charmonitor,fd=33,server=on,wait=off",
                "-chardev",
                "socket,path=/run/second,server=on,id=c2",
                "-mon",
                "c2,mode=control,pretty=on",
                "-chardev",
                "socket,host=::1,port=5555,server=on,id=c3",
                "-qmp",
                "chardev:c3",
                "-chardev",
                "socket,path=/run/human,server=on,id=human",
                "-mon",
                "chardev=human,mode=readline",
                "-chardev",
                "socket,path=/run/serial,server=on,id=serial0",
                "-serial",
                "chardev:serial0",
                "-chardev",
                "pty,id=p",
                "-mon",
                "p,mode=control",
                "-mon"))
        .containsExactly("unix:/run/by-descriptor", "unix:/run/second", "tcp:[::1]:5555");
  }

  @ParameterizedTest
  @CsvSource({
    "qemu-system-x86_64, true",
    "/usr/local/bin/qemu-system-aarch64, true",
    "/usr/libexec/qemu-kvm, true",
    "/usr/bin/kvm, true",
    "qemu-img, false",
    "/usr/bin/vim qemu-system-x86_64.c, false",
    "'', false"
  })
  void theProgram_isAQemuThatEmulatesAMachine(String program, boolean qemu) {
    assertThat(line(program).isQemu()).isEqualTo(qemu);
  }

  @Test
  void theName_isTheGuests_safeToShow() {
    assertThat(line("qemu-kvm", "-name", "vm1").name()).isEqualTo("vm1");
    assertThat(line("qemu-kvm", "-name", "a", "-name", "process=p,guest=v,,m\n").name())
        .isEqualTo("v,m\\n");
    assertThat(line("qemu-kvm").name()).isEmpty();
    assertThat(line("qemu-kvm", "-name").name()).isEmpty();
  }
}
