// SPDX-License-Identifier: Apache-2.0
package org.wridscope.qmp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A real sshd that lets the present user in with a key of its own. It has no port: an ssh that is
 * run through {@link #client} starts one, and it ends with that. {@code ./check} fetches it.
 */
public final class Sshd {
  /** The only host that {@link #client} knows. */
  public static final String HOST = "far";

  private static final String SSH = "/usr/bin/ssh";

  private final Path folder;
  private final Path client;

  /**
   * Makes keys and configurations; skips the test where there is no sshd.
   *
   * @param folder empty, for this user only
   */
  public Sshd(Path folder) throws IOException, InterruptedException {
    String named = System.getenv("WRIDSCOPE_SSHD_ROOT");
    assumeTrue(
        named != null && Files.isExecutable(Path.of(SSH)),
        "ssh or an unpacked sshd is missing; ./check fetches it");
    this.folder = folder;
    Path root = Path.of(Objects.requireNonNull(named));
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve("host").toString());
    makeKey();
    Files.writeString(
        folder.resolve("known"), HOST + " " + Files.readString(folder.resolve("host.pub")));
    Files.writeString(folder.resolve("sshd_config"), serverConfiguration(root));
    Path start = program("start-sshd", startScript(root));
    Files.writeString(
        folder.resolve("ssh_config"),
        """
        Host %s
          ProxyCommand %s -i
          UserKnownHostsFile %s
          GlobalKnownHostsFile /dev/null
          StrictHostKeyChecking yes
          IdentityFile %s
          IdentitiesOnly yes
          IdentityAgent none
        """
            .formatted(HOST, start, folder.resolve("known"), folder.resolve("key")));
    client = program("ssh", "exec %s -F %s \"$@\"\n".formatted(SSH, folder.resolve("ssh_config")));
    Process check = new ProcessBuilder(start.toString(), "-t").redirectErrorStream(true).start();
    String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assumeTrue(check.waitFor() == 0, "this user cannot run sshd here: " + said);
  }

  private String serverConfiguration(Path root) {
    var text =
        new StringBuilder(
            """
            HostKey %s
            AuthorizedKeysFile %s
            PidFile none
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            LogLevel ERROR
            """
                .formatted(folder.resolve("host"), folder.resolve("authorized")));
    // Since OpenSSH 9.8 it has parts, at fixed paths.
    for (String part : List.of("session", "auth")) {
      Path program = root.resolve("usr/lib/openssh/sshd-" + part);
      if (Files.exists(program)) {
        text.append(
            "Sshd%s%sPath %s\n"
                .formatted(
                    part.substring(0, 1).toUpperCase(Locale.ROOT), part.substring(1), program));
      }
    }
    return text.toString();
  }

  /**
   * As root, sshd needs a user and a directory that only the installation of its package makes;
   * here it has them in a mount namespace of its own.
   */
  private String startScript(Path root) {
    return """
    root=%1$s folder=%2$s
    for libraries in "$root"/lib/*-linux-gnu "$root"/usr/lib/*-linux-gnu; do
      LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    done
    [ "$root" = / ] || export LD_LIBRARY_PATH
    if [ "$(id -u)" = 0 ] && [ "$1" != inside ] && ! { [ -d /run/sshd ] && grep -q ^sshd: /etc/passwd; }; then
      exec unshare -m "$0" inside "$@"
    fi
    if [ "$1" = inside ]; then
      shift
      mkdir -p "$folder/run/sshd"
      { grep -v ^sshd: /etc/passwd; echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin; } >"$folder/passwd"
      chmod 644 "$folder/passwd"
      mount --bind "$folder/run" /run && mount --bind "$folder/passwd" /etc/passwd || exit
    fi
    exec "$root/usr/sbin/sshd" -e -f "$folder/sshd_config" "$@"
    """
        .formatted(root, folder);
  }

  private Path program(String name, String script) throws IOException {
    Path program = folder.resolve(name);
    Files.writeString(program, "#!/bin/sh\n" + script);
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }

  private static void run(String... command) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private void makeKey() throws IOException, InterruptedException {
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder.resolve("key").toString());
    Files.copy(folder.resolve("key.pub"), folder.resolve("authorized"));
  }

  /** From now on nobody is let in. */
  void revokeKey() throws IOException {
    Files.writeString(folder.resolve("authorized"), "");
  }

  /** From now on the host's key is not the one that the client knows. */
  void changeHostKey() throws IOException {
    Files.writeString(
        folder.resolve("known"), HOST + " " + Files.readString(folder.resolve("key.pub")));
  }

  /** The program {@code ssh} with which {@link #HOST} is reached. */
  public Path client() {
    return client;
  }
}
