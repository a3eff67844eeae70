// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs Jazzer, which searches for inputs that break a parser, with a process for each parser;
 * {@code lab/nightly} calls it. Its findings are left in {@code target/fuzz}.
 *
 * <p>Arguments: {@code --minutes N} limits the time of all parsers together, and replaces the 100
 * million inputs; {@code --keep} adds the inputs that reached different code to the test resources;
 * names of parsers select them.
 */
public final class Nightly {
  /** Of all parsers together. */
  private static final long INPUTS = 100_000_000;

  private static final Path FOLDER = Path.of("target", "fuzz");
  private static final Path RESOURCES =
      Path.of("src", "test", "resources", "org", "wridscope", "fuzz");

  /** {@code #200000 DONE cov: 51 ft: 82 corp: 33/589b lim: 1660 exec/s: 200000 rss: 1559Mb}. */
  private static final Pattern DONE =
      Pattern.compile("#(\\d+)\\s+DONE\\s+cov: (\\d+) ft: (\\d+) corp: (\\d+)/.*");

  private final long seconds;
  private final boolean keep;
  private final List<FuzzTarget> targets;

  private Nightly(long seconds, boolean keep, List<FuzzTarget> targets) {
    this.seconds = seconds;
    this.keep = keep;
    this.targets = targets;
  }

  /**
   * Exits with 1 when an input broke something.
   *
   * @param args the arguments
   */
  public static void main(String[] args) throws Exception {
    long minutes = 0;
    boolean keep = false;
    var targets = new ArrayList<FuzzTarget>();
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--minutes" -> minutes = Long.parseLong(args[++i]);
        case "--keep" -> keep = true;
        default -> targets.add(FuzzTargets.named(args[i]));
      }
    }
    List<FuzzTarget> chosen = targets.isEmpty() ? FuzzTargets.all() : targets;
    System.exit(new Nightly(minutes * 60 / chosen.size(), keep, chosen).run() ? 0 : 1);
  }

  private boolean run() throws Exception {
    System.out.printf(
        "%-24s%14s%10s%10s%10s%10s%n", "parser", "inputs", "a second", "branches", "corpus", "");
    boolean sound = true;
    for (FuzzTarget target : targets) {
      sound &= run(target);
    }
    return sound;
  }

  /** The parser's share of the {@link #INPUTS}: each parser gets the same time. */
  static long inputs(FuzzTarget target) {
    long all = FuzzTargets.all().stream().mapToLong(FuzzTarget::perSecond).sum();
    return Math.ceilDiv(INPUTS * target.perSecond(), all);
  }

  private boolean run(FuzzTarget target) throws Exception {
    Path folder = FOLDER.resolve(target.name());
    Path corpus = Files.createDirectories(folder.resolve("corpus"));
    Path findings = Files.createDirectories(folder.resolve("findings"));
    var inputs = new ArrayList<>(target.seeds().get());
    inputs.addAll(Corpus.kept(target));
    for (int i = 0; i < inputs.size(); i++) {
      Files.write(corpus.resolve("kept-%04d".formatted(i)), inputs.get(i));
    }
    long begin = System.nanoTime();
    Path log = folder.resolve("log");
    Process process =
        jazzer(
            target,
            log,
            seconds > 0 ? "-max_total_time=" + seconds : "-runs=" + inputs(target),
            "-artifact_prefix=" + findings + "/",
            corpus.toString());
    int status = process.waitFor();
    double took = (System.nanoTime() - begin) / (double) TimeUnit.SECONDS.toNanos(1);
    report(target, log, took, status);
    if (status == 0 && keep) {
      keep(target, folder, corpus);
    }
    if (status != 0) {
      System.out.printf(
          "  Log: %s. The input that broke it is in %s. Move it to %s, where FuzzTest repeats it,"
              + " and correct the parser.%n",
          log, findings, RESOURCES.resolve(target.name()));
    }
    return status == 0;
  }

  private static Process jazzer(FuzzTarget target, Path log, String... options) throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx1g",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "-D" + Jazzer.TARGET + "=" + target.name(),
            "-cp",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + Jazzer.class.getName(),
            "--instrumentation_includes=org.wridscope.**:com.google.gson.**",
            "--instrumentation_excludes=org.wridscope.fuzz.**",
            // The first input includes the instrumentation of classes, slow beside other work.
            "-timeout=120",
            "-max_len=" + 2 * target.seeds().get().stream().mapToInt(s -> s.length).max().orElse(1),
            "-rss_limit_mb=3000",
            "-print_final_stats=0",
            "--reproducer_path=" + FOLDER.resolve(target.name()),
            // Jazzer takes a connection for a defect; one of the targets connects on purpose.
            "--disabled_hooks=com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery"));
    command.addAll(List.of(options));
    var builder = new ProcessBuilder(command);
    // A warning for each input would fill the disk.
    builder.environment().put("WRIDSCOPE_LOG", "ERROR");
    return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private static void report(FuzzTarget target, Path log, double took, int status)
      throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(log)) {
      String line;
      String[] figures = {"?", "?", "?"};
      while ((line = lines.readLine()) != null) {
        Matcher done = DONE.matcher(line);
        if (done.matches()) {
          figures = new String[] {done.group(1), done.group(2), done.group(4)};
        }
      }
      boolean known = !figures[0].equals("?");
      System.out.printf(
          "%-24s%14s%10s%10s%10s%10s%n",
          target,
          known ? "%,d".formatted(Long.parseLong(figures[0])) : "?",
          known ? "%,.0f".formatted(Long.parseLong(figures[0]) / took) : "?",
          figures[1],
          figures[2],
          status == 0 ? "sound" : "BROKEN");
    }
  }

  /** Reduces the corpus to the inputs that reach different code, and packs these. */
  private static void keep(FuzzTarget target, Path folder, Path corpus) throws Exception {
    Path reduced = folder.resolve("reduced-" + HexFormat.of().toHexDigits(System.nanoTime()));
    Files.createDirectories(reduced);
    int status =
        jazzer(
                target,
                folder.resolve("reduce.log"),
                "-merge=1",
                "-artifact_prefix=" + folder + "/",
                reduced.toString(),
                corpus.toString())
            .waitFor();
    if (status != 0) {
      throw new IOException("the corpus cannot be reduced: see " + folder.resolve("reduce.log"));
    }
    Files.createDirectories(RESOURCES);
    Corpus.pack(reduced, RESOURCES.resolve(target.name() + ".zip"));
    try (Stream<Path> files = Files.list(reduced)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(reduced);
  }
}
