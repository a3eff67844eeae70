// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the shell scripts install and what they ask before. The scripts are copies; the programs
 * that they find on their {@code PATH} are the machine's own, except those that query or install
 * packages, which are replaced.
 */
@Slow("the programs that it installs are run")
final class InstallTest {
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "cat",
          "dirname",
          "find",
          "flock",
          "grep",
          "mkdir",
          "mktemp",
          "mv",
          "readlink",
          "rm",
          "sed",
          "touch");

  @TempDir private Path folder;
  private Path project;
  private Path bin;
  private Path installed;

  /** The output, standard error included, and the exit status. */
  private record Outcome(String output, int status) {}

  @BeforeEach
  void copyScripts() throws Exception {
    project = folder.resolve("project");
    for (String script :
        List.of(
            "wridscope",
            "check",
            "packaging/setup.sh",
            "lab/releases.sh",
            "lab/softroce",
            "lab/vm/init")) {
      Path copy = project.resolve(script);
      Files.createDirectories(copy.getParent());
      Files.copy(Path.of(script), copy);
    }
    Files.createDirectories(project.resolve("src/main"));
    Files.writeString(project.resolve("pom.xml"), "");
    bin = Files.createDirectories(folder.resolve("bin"));
    installed = folder.resolve("installed");
    for (String tool : TOOLS) {
      program(tool, "exec %s \"$@\"".formatted(onPath(tool)));
    }
    program("id", "echo 0");
    program("uname", "echo x86_64");
    program("ldconfig", "echo libpangoft2-1.0.so.0 libXtst.so.6 libXxf86vm.so.1 libGL.so.1");
    program("dpkg", "");
    program("dpkg-deb", "");
    program("dpkg-query", "");
    program("apt-cache", "[[ $2 == libgtk-3-0t64 ]] || echo '  Candidate: 1'");
    program(
        "apt-get",
        """
        [[ " $* " == *' install '* ]] || exit 0
        echo "${@:7}" >>"%s"
        printf '#!/bin/bash\\necho "mvn $*"\\n' >"%2$s" && /bin/chmod +x "%2$s"
        """
            .formatted(installed, bin.resolve("mvn")));
    Path jdk = Files.createDirectories(folder.resolve("jdk/bin"));
    Files.writeString(folder.resolve("jdk/release"), "JAVA_VERSION=\"25\"\n");
    program(jdk.resolve("javac"), "");
    program(jdk.resolve("java"), "echo started ${@: -1}");
  }

  @Test
  void withoutATerminal_installs_andSaysWhat() throws Exception {
    Outcome outcome = run(Map.of(), "./wridscope", "lab");

    assertThat(outcome.output())
        .contains("about to install with apt-get: maven (and dependencies)")
        .doesNotContain("continue?")
        .contains("started lab");
    assertThat(outcome.status()).isZero();
    assertThat(installed).hasContent("maven");
  }

  @Test
  void onATerminal_asksOnce_beforeItInstalls() throws Exception {
    Outcome outcome = onTerminal("\n", Map.of("DISPLAY", ":0"), "./wridscope");

    assertThat(outcome.output())
        .containsOnlyOnce("about to install with apt-get: maven, libgtk-3-0 (and dependencies)")
        .containsOnlyOnce("continue? [Y/n]")
        .contains("started org.wridscope.Main");
    assertThat(outcome.status()).isZero();
    assertThat(installed).hasContent("maven libgtk-3-0");
  }

  @Test
  void onATerminal_refused_installsNothing_andPrintsTheCommand() throws Exception {
    for (String answer : List.of("n\n", "no\n", "what?\n", "\u0004")) {
      Outcome outcome = onTerminal(answer, Map.of(), "./wridscope", "lab");

      assertThat(outcome.output())
          .as(answer)
          .contains("continue? [Y/n]")
          .contains("install them with: sudo apt-get install maven")
          .doesNotContain("started");
      assertThat(outcome.status()).as(answer).isEqualTo(1);
      assertThat(installed).as(answer).doesNotExist();
    }
  }

  @Test
  void onATerminal_withYes_installsWithoutAQuestion() throws Exception {
    Outcome outcome = onTerminal("", Map.of(), "./wridscope", "--yes", "lab");

    assertThat(outcome.output())
        .contains("about to install with apt-get: maven")
        .doesNotContain("continue?")
        .contains("started lab");
    assertThat(installed).hasContent("maven");
  }

  @Test
  void anOrdinaryUser_isGivenTheCommand() throws Exception {
    program("id", "echo 1000");

    Outcome outcome = onTerminal("", Map.of("DISPLAY", ":0"), "./wridscope");

    assertThat(outcome.output())
        .contains("install them with: sudo apt-get install maven libgtk-3-0")
        .doesNotContain("about to install", "continue?");
    assertThat(outcome.status()).isEqualTo(1);
    assertThat(installed).doesNotExist();
  }

  @Test
  void aFailedInstallation_showsItsMessages() throws Exception {
    program("apt-get", "echo 'E: no space left'; exit 100");

    Outcome outcome = run(Map.of(), "./wridscope", "lab");

    assertThat(outcome.output()).contains("E: no space left").doesNotContain("started");
    assertThat(outcome.status()).isEqualTo(1);
  }

  @Test
  void theCheck_asksToo() throws Exception {
    Outcome refused = onTerminal("n\n", Map.of(), "./check", "--format");
    assertThat(refused.output())
        .contains("about to install with apt-get: maven", "continue? [Y/n]");
    assertThat(refused.status()).isEqualTo(1);
    assertThat(installed).doesNotExist();

    Outcome agreed = onTerminal("", Map.of(), "./check", "--yes", "--format");
    assertThat(agreed.output()).doesNotContain("continue?").contains("spotless:apply");
    assertThat(agreed.status()).isZero();
    assertThat(installed).hasContent("maven");
  }

  @Test
  void theLab_asksToo_andCannotRunWithoutItsPackages() throws Exception {
    Outcome outcome = onTerminal("n\n", Map.of(), "lab/softroce", "prepare");

    assertThat(outcome.output())
        .contains("about to install with apt-get: qemu-system-x86, ", "continue? [Y/n]")
        .contains(
            "the VM needs packages; install them with: sudo apt-get install qemu-system-x86 ");
    assertThat(outcome.status()).isEqualTo(77);
    assertThat(installed).doesNotExist();
  }

  /** Runs a command without a terminal. */
  private Outcome run(Map<String, String> environment, String... command) throws Exception {
    return run("", environment, List.of(command));
  }

  /** Runs a command on a terminal of its own, on which somebody types. */
  private Outcome onTerminal(String typed, Map<String, String> environment, String... command)
      throws Exception {
    return run(
        typed, environment, List.of("script", "-qec", String.join(" ", command), "/dev/null"));
  }

  private Outcome run(String input, Map<String, String> environment, List<String> command)
      throws Exception {
    var builder = new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.environment().put("PATH", bin.toString());
    builder.environment().put("SHELL", "/bin/bash");
    builder.environment().put("HOME", folder.toString());
    builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    Process process = builder.start();
    try {
      var output =
          CompletableFuture.supplyAsync(() -> {
            try {
              return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
              return e.toString();
            }
          });
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
      return new Outcome(output.get(10, TimeUnit.SECONDS), process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }

  private void program(String name, String text) throws IOException {
    program(bin.resolve(name), text);
  }

  private static void program(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/bash\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path onPath(String tool) {
    var folders = new ArrayList<>(Arrays.asList(System.getenv("PATH").split(":")));
    folders.addAll(List.of("/usr/bin", "/bin"));
    return folders.stream()
        .map(folder -> Path.of(folder, tool))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("this machine has no " + tool));
  }
}
