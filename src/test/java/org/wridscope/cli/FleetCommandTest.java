// SPDX-License-Identifier: Apache-2.0
package org.wridscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.wridscope.libvirt.SystemLibvirt;
import org.wridscope.libvirt.VirtException;
import org.wridscope.libvirt.VirtUri;

/** {@code fleet} and {@code migrate-domain} with hosts that libvirt simulates in this process. */
final class FleetCommandTest {
  private static final String SIMULATED = "test:///default";

  @TempDir private Path folder;
  private String other = "";

  /** Skips these tests where libvirt is not installed, if that is what the user is told. */
  @BeforeAll
  static void requireLibrary() throws VirtException {
    try {
      new SystemLibvirt().open(VirtUri.parse(SIMULATED)).close();
    } catch (VirtException e) {
      if (e.sentence().contains("install the package libvirt0")) {
        abort(e.sentence());
      }
      throw e;
    }
  }

  @BeforeEach
  void otherHost() throws IOException {
    Path node = folder.resolve("node.xml");
    Files.writeString(
        node,
        """
        <node>
          <domain type='test'>
            <name>web</name>
            <memory>1048576</memory>
            <os><type>hvm</type></os>
          </domain>
        </node>
        """);
    other = "test://" + node;
  }

  private static CommandRun run(String... args) {
    return CommandRun.of(CommandRun.SUCCESS, args);
  }

  @Test
  void fleet_listsHostsAndDomains() {
    CommandRun run = run("fleet", SIMULATED, other);
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run.out())
        .containsPattern("(?m)^\\S+  test:///default, TEST .* libvirt \\d+\\.\\d+\\.\\d+,")
        .containsPattern("(?m)^  test +running +2.00 GiB  2 CPUs$")
        .containsPattern("(?m)^  web +running +1.00 GiB  1 CPU$");
  }

  @Test
  void fleet_isJsonForScripts_andAHostThatFailsHasAProblem() {
    CommandRun run = run("fleet", "--json", SIMULATED, "qemu+unix:///system?socket=/nowhere");
    assertThat(run.status()).isEqualTo(1);
    var hosts = JsonParser.parseString(run.out()).getAsJsonArray();
    JsonObject domain =
        hosts.get(0).getAsJsonObject().getAsJsonArray("domains").get(0).getAsJsonObject();
    assertThat(domain.get("name").getAsString()).isEqualTo("test");
    assertThat(domain.get("memory").getAsLong()).isEqualTo(2L << 30);
    assertThat(hosts.get(1).getAsJsonObject().get("problem").getAsString()).contains("/nowhere");
  }

  @Test
  void wrongInput_isRefusedBeforeAHostIsAsked() {
    assertThat(run("fleet", "node1").status()).isEqualTo(2);
    assertThat(run("migrate-domain", "web", other, "node1").status()).isEqualTo(2);
    CommandRun parallel =
        run("migrate-domain", "web", other, SIMULATED, "--uri", "rdma://x", "--connections", "2");
    assertThat(parallel.status()).isEqualTo(2);
    assertThat(parallel.err()).contains("QEMU has none over RDMA");
  }

  @Test
  void domainThatIsNotThere_isToldWithTheCommandThatListsThem() {
    CommandRun run = run("migrate-domain", "nobody", SIMULATED, other);
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).contains("There is no domain", "'./wridscope fleet test:///default'");
  }

  @Test
  void check_saysWhatPreventsRdma() {
    CommandRun run = run("migrate-domain", "test", SIMULATED, other, "--check");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .contains("failure", "libvirt: Its libvirt does not migrate over rdma.", "hard_limit");
  }

  @Test
  void migrationThatLibvirtRefuses_failsWithItsWords() {
    CommandRun run = run("migrate-domain", "test", SIMULATED, other, "--uri", "tcp://localhost");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out() + run.err()).contains("libvirt says: ", "not supported");
  }
}
