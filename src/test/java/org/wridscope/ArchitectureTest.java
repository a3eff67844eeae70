// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.be;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.wridscope.files.Folder;

/** Which package may depend on which, as in the table of {@code docs/architecture.md}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // the classes are large, and not kept
final class ArchitectureTest {
  private static final String BASE = "org.wridscope";

  /** The layers, lowest first: each may depend only on those before it. */
  private static final List<String> LAYERS =
      List.of(
          "text",
          "time",
          "units",
          "host",
          "files",
          "verbs",
          "verbs.common",
          "verbs.soft",
          "verbs.rdma",
          "protocol",
          "wire",
          "qmp",
          "libvirt",
          "memory",
          "process",
          "bpf",
          "telemetry",
          "account",
          "figures",
          "analysis",
          "stream",
          "guest.virtio",
          "guest",
          "guest.qemu",
          "settings",
          "engine",
          "control",
          "recording.file",
          "recording.imported",
          "recording.replay",
          "recording.qemu",
          "recording.packets",
          "recording.programs",
          "recording",
          "watch",
          "aftermath",
          "remote",
          "export",
          "metrics",
          "bench",
          "cli",
          "ui",
          "bench.window");

  /** The entry point, above all layers. */
  private static final String ENTRY_POINT = "";

  /** The classes that replace DiSNI's own, with DiSNI's names. */
  private static final Set<String> DISNI_REPLACEMENTS =
      Set.of("com.ibm.disni.verbs.impl.NativeDispatcher");

  /** Where the time that passes is what is tried: faults and power cuts come at some moment. */
  private static final Set<String> SLEEPING = Set.of("Run.java", "PowerCutWriter.java");

  /** Calls of what the JavaFX thread computes, and of robots that compute it on the test's. */
  private static final Pattern COMPUTED =
      Pattern.compile(
          "[.:](getBoundsIn\\w+|getLayoutBounds|(local|parent|scene|screen)To[LPS]\\w+|applyCss"
              + "|(pref|min|max)(Width|Height))\\b(?!;)|\\.layout\\(\\)|::layout\\b"
              + "|new FxRobot\\(|ApplicationExtension\\.class");

  /** A test where no JavaFX thread is. */
  private static final String WITHOUT_JAVAFX = "LegendLinesTest.java";

  /** Methods of {@link Files}. */
  private static final Set<String> LAZY =
      Set.of("list", "lines", "walk", "find", "newDirectoryStream");

  private final JavaClasses classes =
      new ClassFileImporter()
          .importUrl(Main.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void everyClassIsInALayer() {
    classes()
        .that(
            describe(
                "do not replace DiSNI's",
                type -> !DISNI_REPLACEMENTS.contains(outermost(type).getName())))
        .should(be(inALayer()))
        .check(classes);
  }

  @Test
  void theTableOfThePage_hasTheseLayersInThisOrder() throws IOException {
    List<String> rows =
        Files.readAllLines(Path.of("docs", "architecture.md")).stream()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(3, line.indexOf('`', 3)))
            .toList();
    assertThat(rows).filteredOn(row -> layerOf(BASE + "." + row).equals(row)).isEqualTo(LAYERS);
  }

  @ParameterizedTest
  @FieldSource("LAYERS")
  void aLayerDependsOnlyOnLayersBeforeIt(String layer) {
    List<String> forbidden = LAYERS.subList(LAYERS.indexOf(layer) + 1, LAYERS.size());
    noClasses()
        .that(in(layer))
        .should()
        .dependOnClassesThat(
            describe(
                "are in " + forbidden + " or in the entry point",
                type -> forbidden.contains(layerOf(type)) || ENTRY_POINT.equals(layerOf(type))))
        .allowEmptyShould(true)
        .check(classes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"protocol", "memory", "process", "guest.virtio", "guest", "guest.qemu", "stream"})
  void bytesMemoryAndGuests_doNotDependOnVerbs(String layer) {
    noClasses()
        .that(in(layer))
        .should()
        .dependOnClassesThat(in("verbs").or(in("verbs.soft")).or(in("verbs.rdma")))
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void windowAndCommandLine_useTheEngineOnlyThroughControl() {
    noClasses()
        .that(in("ui").or(in("cli")))
        .should()
        .dependOnClassesThat(in("engine"))
        .allowEmptyShould(true)
        .check(classes);
  }

  /** Else a run under a scheduler would not repeat, or would wait for ever. */
  @Test
  void whatRunsUnderAScheduler_hasItsTimeAndThreadsFromThere() {
    noClasses()
        .that(describe("run under a scheduler", ArchitectureTest::runsUnderScheduler))
        .should()
        .callMethodWhere(
            describe(
                "the JDK's own clock, threads or waits",
                call -> isOfMachine(call.getTargetOwner().getName(), call.getName())))
        .check(classes);
  }

  private static boolean runsUnderScheduler(JavaClass type) {
    String name = outermost(type).getSimpleName();
    return switch (layerOf(type)) {
      case "verbs.soft" -> !name.matches("DeviceThread|(Network|Link).*");
      case "control" ->
          Set.of("LocalSession", "LocalSessions", "SessionGuest", "PredictedHarm", "Reports")
              .contains(name);
      case "wire" -> name.equals("PacketRecorder");
      case "metrics" -> name.equals("MigrationMetrics");
      case "cli" -> name.equals("ScenarioRunner");
      case "recording" -> name.equals("Recorder");
      case "recording.file" -> name.matches("SessionRecorder|RecordingWriter");
      case "verbs.common",
          "protocol",
          "engine",
          "telemetry",
          "account",
          "stream",
          "guest",
          "guest.virtio",
          "control.scenario" ->
          true;
      default -> false;
    };
  }

  private static boolean isOfMachine(String owner, String method) {
    return switch (owner) {
      case "java.lang.System" -> method.equals("nanoTime") || method.equals("currentTimeMillis");
      case "java.lang.Thread" ->
          Set.of("sleep", "join", "yield", "ofPlatform", "ofVirtual", "isAlive").contains(method)
              || method.startsWith("start");
      case "java.lang.Object" -> method.equals("wait");
      case "java.time.Instant", "java.time.LocalDateTime" -> method.equals("now");
      case "java.util.concurrent.CountDownLatch" -> method.equals("await");
      case "java.util.concurrent.locks.LockSupport" -> true;
      case "java.util.concurrent.locks.Condition" -> method.startsWith("await");
      case "java.util.concurrent.TimeUnit" -> Set.of("sleep", "timedWait").contains(method);
      default -> false;
    };
  }

  @Test
  void javaFxIsUsedOnlyByTheWindow() {
    noClasses()
        .that(in("ui").or(in("bench.window")).or(in(ENTRY_POINT)).negate())
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "javafx..",
                "com.sun.javafx..",
                "org.controlsfx..",
                "impl.org.controlsfx..",
                "atlantafx..",
                "org.kordamp.."))
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void disniIsUsedOnlyByTheRdmaDevice() {
    noClasses()
        .that()
        .resideInAPackage(BASE + "..")
        .and(in("verbs.rdma").negate())
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.ibm.disni..")
        .check(classes);
  }

  @Test
  void nobodyUsesAwtOrSwing() {
    noClasses()
        .should()
        .dependOnClassesThat(resideInAnyPackage("java.awt..", "javax.swing..", "javafx.embed.."))
        .check(classes);
  }

  /** Their streams report an entry that goes meanwhile as an unchecked exception. */
  @Test
  void directoriesAreReadThroughFolder() {
    noClasses()
        .that(describe("are not Folder", type -> !outermost(type).isEquivalentTo(Folder.class)))
        .should()
        .callMethodWhere(
            describe(
                "is a lazy method of Files",
                call ->
                    call.getTargetOwner().isEquivalentTo(Files.class)
                        && LAZY.contains(call.getName())))
        .check(classes);
  }

  @Test
  void packagesHaveNoCycles() {
    slices()
        .matching(BASE + ".(**)")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(classes);
  }

  @Test
  void layerOf_nestedPackage_isTheInnermostLayer() {
    assertThat(layerOf(BASE + ".verbs")).isEqualTo("verbs");
    assertThat(layerOf(BASE + ".verbs.soft.tcp")).isEqualTo("verbs.soft");
    assertThat(layerOf(BASE + ".verbsmith")).isEqualTo("verbsmith");
    assertThat(layerOf(BASE)).isEqualTo(ENTRY_POINT);
    assertThat(layerOf("java.util")).isEqualTo("java.util");
  }

  /** What {@code ./check --fast} leaves out is marked, so that it stays fast. */
  @Test
  void testsOfWindowsAndProcesses_saySo() throws IOException {
    Pattern slow = Pattern.compile("\\b(OnFxRobot|WindowFixture|MachineQemu|OtherProcess)\\b");
    Pattern marked = Pattern.compile("@Slow\\(|@Tag\\(\"(qemu|rdma|kernel)\"\\)");
    assertThat(testSources())
        .filteredOn(source -> source.getKey().endsWith("Test.java"))
        .filteredOn(source -> slow.matcher(source.getValue()).find())
        .hasSizeGreaterThan(30)
        .allMatch(source -> marked.matcher(source.getValue()).find());
  }

  @Test
  void slowTests_sayWhy() throws IOException {
    Pattern reason = Pattern.compile("@Slow\\(\\s*(\"[^\"]*\"|[^)]*)");
    assertThat(testSources())
        .flatExtracting(source ->
            reason.matcher(source.getValue()).results().map(found -> found.group(1)).toList())
        .hasSizeGreaterThan(50)
        .allMatch(text -> text.matches("\"(\\S+ ){2,}\\S+\""));
    assertThat(testSources())
        .filteredOn(source -> source.getValue().contains("@Tag(\"slow\")"))
        .extracting(Map.Entry::getKey)
        .containsExactly("Slow.java");
  }

  /** A test waits for conditions, with {@link TimeLimit}, or under a schedule. */
  @Test
  void noTestSleeps() throws IOException {
    Pattern sleep = Pattern.compile("(?<!Time)\\.sleep\\(");
    assertThat(testSources())
        .filteredOn(source -> sleep.matcher(source.getValue()).find())
        .extracting(Map.Entry::getKey)
        .isSubsetOf(SLEEPING);
  }

  /** JavaFX computes bounds and sizes when they are asked for, and damages them on two threads. */
  @Test
  void whatJavaFxComputes_isAskedForInOnePlace() throws IOException {
    assertThat(testSources())
        .filteredOn(source -> COMPUTED.matcher(source.getValue()).find())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder("OnFx.java", WITHOUT_JAVAFX);
  }

  private static List<Map.Entry<String, String>> testSources() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src", "test", "java"))) {
      var sources = new ArrayList<Map.Entry<String, String>>();
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().toList()) {
        String name = file.getFileName().toString();
        if (!name.equals("ArchitectureTest.java")) {
          sources.add(Map.entry(name, Files.readString(file)));
        }
      }
      return sources;
    }
  }

  private static DescribedPredicate<JavaClass> in(String layer) {
    return describe("are in " + layer, type -> layer.equals(layerOf(type)));
  }

  private static DescribedPredicate<JavaClass> inALayer() {
    return describe(
        "in a layer", type -> LAYERS.contains(layerOf(type)) || ENTRY_POINT.equals(layerOf(type)));
  }

  private static String layerOf(JavaClass type) {
    return layerOf(type.getPackageName());
  }

  /** The innermost layer that contains a package; a package outside all layers is its own. */
  private static String layerOf(String packageName) {
    if (packageName.equals(BASE)) {
      return ENTRY_POINT;
    }
    if (!packageName.startsWith(BASE + ".")) {
      return packageName;
    }
    String path = packageName.substring(BASE.length() + 1);
    return LAYERS.stream()
        .filter(layer -> path.equals(layer) || path.startsWith(layer + "."))
        .max(Comparator.comparingInt(String::length))
        .orElse(path);
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }
}
