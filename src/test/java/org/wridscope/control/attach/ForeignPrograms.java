// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.attach;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.wridscope.control.Session;
import org.wridscope.verbs.rdma.RdmaUnderTest;

/**
 * Attaches to programs that others have written, and compares what is seen with an account that
 * they write themselves ({@code logger.c}), event by event; for {@code lab/nightly --programs}.
 * Appends a row for each to a file. Arguments: the file; the commit of this program; and a regular
 * expression of which a part of the names of programs must match. Programs that have passed at this
 * commit are left out.
 */
public final class ForeignPrograms {
  /** How long a client may run. */
  private static final long SECONDS = 60;

  /** How often the client is tried, since the server may not listen yet; more are not shown. */
  private static final int TRIES = 6;

  /** A session's events that the account does not have. */
  private static final Pattern NOT_LOGGED =
      Pattern.compile("(target|peer|modified|path|regions|empty|region refused) .*");

  private final Path folder;
  private final Path logger;
  private final String device;

  private ForeignPrograms(Path folder, Path logger, String device) {
    this.folder = folder;
    this.logger = logger;
    this.device = device;
  }

  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]).toAbsolutePath();
    String commit = arguments[1];
    Pattern wanted = Pattern.compile(arguments[2]);
    Files.createDirectories(file.getParent());
    Map<String, ForeignRow> rows = ForeignRow.read(file);
    var under = new RdmaUnderTest();
    Path folder = Files.createTempDirectory("programs");
    for (String script : List.of("verbs.py", "mpi.py")) {
      Path _ = resource(folder, script);
    }
    var programs = new ForeignPrograms(folder, logger(folder), under.device());
    List<ForeignProgram> left =
        ForeignProgram.all(folder, under.device(), under.address().getAddress().getHostAddress())
            .stream()
            .filter(each -> wanted.matcher(each.name()).find())
            .filter(each -> {
              ForeignRow row = rows.get(each.name());
              return row == null || !row.passed() || !row.commit().equals(commit);
            })
            .toList();
    System.out.printf("%d programs to run%n", left.size());
    int failed = 0;
    try (var out =
        new PrintStream(
            Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
            true,
            StandardCharsets.UTF_8)) {
      for (ForeignProgram program : left) {
        ForeignRow row = programs.run(program, commit);
        out.println(row.line());
        System.out.println(row.line());
        failed += row.passed() ? 0 : 1;
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }

  private static Path logger(Path folder) throws Exception {
    Path source = resource(folder, "logger.c");
    Path library = folder.resolve("logger.so");
    KnownProgram.run("gcc", "-O1", "-shared", "-fPIC", "-o", library + "", source + "", "-ldl");
    return library;
  }

  private static Path resource(Path folder, String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream resource = ForeignPrograms.class.getResourceAsStream(name)) {
      Files.copy(Objects.requireNonNull(resource), file);
    }
    return file;
  }

  private ForeignRow run(ForeignProgram program, String commit) throws Exception {
    Path own = Files.createTempDirectory(folder, "run");
    String note = "";
    List<Session> sessions = new CopyOnWriteArrayList<>();
    try (var _ = Attachment.start(new AttachTarget.OfDevice(device), sessions::add)) {
      note = runBoth(program, own);
    }
    Map<Long, List<String>> seen = new HashMap<>();
    for (Session session : sessions) {
      long pid = Long.parseLong(session.uri().substring("pid:".length()));
      seen.put(pid, lines(session));
    }
    long equal = 0;
    long differences = 0;
    for (Map.Entry<Long, List<String>> log : logs(own).entrySet()) {
      Map<String, Integer> balance = new HashMap<>();
      log.getValue().forEach(line -> balance.merge(line, 1, Integer::sum));
      List<String> others = seen.getOrDefault(log.getKey(), List.of());
      others.forEach(line -> balance.merge(line, -1, Integer::sum));
      long different = balance.values().stream().mapToLong(Math::abs).sum();
      differences += different;
      equal += (log.getValue().size() + others.size() - different) / 2;
      balance.forEach((line, count) -> {
        if (count != 0) {
          System.out.printf(
              "  %s %s of %d%n", count > 0 ? "not seen:" : "too many:", line, log.getKey());
        }
      });
    }
    return new ForeignRow(
        program.name(),
        version(program.debianPackage()),
        commit,
        LocalDate.now(ZoneOffset.UTC).toString(),
        equal,
        differences,
        note);
  }

  /** What is seen of a session, in the words of the account. */
  private static List<String> lines(Session session) {
    return KnownProgram.lines(session.telemetry().log().read(0, Integer.MAX_VALUE), _ -> "?")
        .stream()
        .filter(line -> !NOT_LOGGED.matcher(line).matches())
        .map(line -> line.replaceFirst(" CQ \\d+", "").replaceFirst(" \\(context \\d+\\)", ""))
        .toList();
  }

  private static Map<Long, List<String>> logs(Path own) throws IOException {
    Map<Long, List<String>> logs = new HashMap<>();
    try (Stream<Path> files = Files.list(own)) {
      for (Path file :
          files.filter(each -> each.getFileName().toString().startsWith("log.")).toList()) {
        String name = file.getFileName().toString();
        logs.put(Long.parseLong(name.substring("log.".length())), Files.readAllLines(file));
      }
    }
    return logs;
  }

  /** Runs the server, and the client until it has succeeded. Returns what went wrong. */
  private String runBoth(ForeignProgram program, Path own) throws Exception {
    Process server = start(program, program.server(), own, "server");
    try {
      int status = 0;
      for (int i = 0; i < TRIES; i++) {
        Process client = start(program, program.client(), own, "client");
        if (!client.waitFor(SECONDS, TimeUnit.SECONDS)) {
          client.destroyForcibly().waitFor();
          return "the client did not end";
        }
        status = client.exitValue();
        if (status == 0) {
          boolean _ = server.waitFor(5, TimeUnit.SECONDS);
          return "";
        }
        if (server.waitFor(1, TimeUnit.SECONDS)) {
          return "the server ended with status %d: %s"
              .formatted(server.exitValue(), last(own.resolve("server")));
        }
      }
      return "the client ended with status %d: %s".formatted(status, last(own.resolve("client")));
    } finally {
      server.destroy();
      if (!server.waitFor(10, TimeUnit.SECONDS)) {
        server.destroyForcibly().waitFor();
      }
    }
  }

  private Process start(ForeignProgram program, List<String> command, Path own, String role)
      throws IOException {
    var builder =
        new ProcessBuilder(command)
            .directory(own.toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(own.resolve(role).toFile());
    builder.environment().putAll(program.environment());
    builder.environment().put("PROGRAM_LOG", own.resolve("log").toString());
    builder.environment().merge("LD_PRELOAD", logger.toString(), (other, log) -> log + " " + other);
    return builder.start();
  }

  private static String last(Path output) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(output, StandardCharsets.ISO_8859_1));
    lines.removeIf(line -> !line.matches(".*[a-z].*"));
    return lines.isEmpty() ? "it printed nothing" : lines.getLast().strip();
  }

  private static String version(String debianPackage) throws IOException, InterruptedException {
    Process query =
        new ProcessBuilder("dpkg-query", "-W", "-f", "${Version}", debianPackage)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String version =
        new String(query.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return query.waitFor() == 0 && !version.isEmpty()
        ? "%s %s".formatted(debianPackage, version)
        : debianPackage + " is not installed";
  }
}
