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
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may import whom, as {@code docs/architecture.md} has it. */
final class ArchitectureTest {
  private static final String BASE = "org.wridscope";

  /** The rooms from the ground up: each may import only those that stand before it. */
  private static final List<String> ROOMS =
      List.of(
          "verbs",
          "verbs.common",
          "verbs.soft",
          "verbs.rdma",
          "protocol",
          "files",
          "memory",
          "telemetry",
          "analysis",
          "stream",
          "guest.virtio",
          "guest",
          "engine",
          "control",
          "recording",
          "export",
          "cli",
          "ui");

  /** The entry point stands above all rooms. */
  private static final String ENTRANCE = "";

  /** The classes that take the place of DiSNI's own, under DiSNI's names. */
  private static final Set<String> DISNI_STAND_INS =
      Set.of(
          "com.ibm.disni.verbs.impl.NativeDispatcher",
          "com.ibm.disni.util.MemoryUtils",
          "com.ibm.disni.util.NativeAffinity");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(Main.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void everyClassLivesInARoom() {
    classes()
        .that(
            describe(
                "are not stand-ins for DiSNI's",
                type -> !DISNI_STAND_INS.contains(outermost(type).getName())))
        .should(be(inSomeRoom()))
        .check(CLASSES);
  }

  @ParameterizedTest
  @FieldSource("ROOMS")
  void aRoomImportsOnlyRoomsBeforeIt(String room) {
    List<String> forbidden = ROOMS.subList(ROOMS.indexOf(room) + 1, ROOMS.size());
    noClasses()
        .that(in(room))
        .should()
        .dependOnClassesThat(
            describe(
                "are in " + forbidden + " or in the entry point",
                type -> forbidden.contains(roomOf(type)) || ENTRANCE.equals(roomOf(type))))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"protocol", "memory", "guest.virtio", "guest", "stream"})
  void bytesMemoryAndGuestsKnowNothingOfVerbs(String room) {
    noClasses()
        .that(in(room))
        .should()
        .dependOnClassesThat(in("verbs").or(in("verbs.soft")).or(in("verbs.rdma")))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void windowAndCommandLineReachTheEngineOnlyThroughControl() {
    noClasses()
        .that(in("ui").or(in("cli")))
        .should()
        .dependOnClassesThat(in("engine"))
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void javaFxIsKnownOnlyToTheWindow() {
    noClasses()
        .that(in("ui").or(in(ENTRANCE)).negate())
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
        .check(CLASSES);
  }

  @Test
  void disniIsKnownOnlyToTheRdmaDevice() {
    noClasses()
        .that()
        .resideInAPackage(BASE + "..")
        .and(in("verbs.rdma").negate())
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.ibm.disni..")
        .check(CLASSES);
  }

  @Test
  void nobodyUsesAwtOrSwing() {
    noClasses()
        .should()
        .dependOnClassesThat(resideInAnyPackage("java.awt..", "javax.swing..", "javafx.embed.."))
        .check(CLASSES);
  }

  @Test
  void packagesHaveNoCycles() {
    slices()
        .matching(BASE + ".(**)")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void roomOf_nestedPackage_isTheInnermostRoom() {
    assertThat(roomOf(BASE + ".verbs")).isEqualTo("verbs");
    assertThat(roomOf(BASE + ".verbs.soft.tcp")).isEqualTo("verbs.soft");
    assertThat(roomOf(BASE + ".verbsmith")).isEqualTo("verbsmith");
    assertThat(roomOf(BASE)).isEqualTo(ENTRANCE);
    assertThat(roomOf("java.util")).isEqualTo("java.util");
  }

  private static DescribedPredicate<JavaClass> in(String room) {
    return describe("are in " + room, type -> room.equals(roomOf(type)));
  }

  private static DescribedPredicate<JavaClass> inSomeRoom() {
    return describe(
        "in a room", type -> ROOMS.contains(roomOf(type)) || ENTRANCE.equals(roomOf(type)));
  }

  private static String roomOf(JavaClass type) {
    return roomOf(type.getPackageName());
  }

  /** The innermost room that holds a package; a package outside all rooms is its own. */
  private static String roomOf(String packageName) {
    if (packageName.equals(BASE)) {
      return ENTRANCE;
    }
    if (!packageName.startsWith(BASE + ".")) {
      return packageName;
    }
    String path = packageName.substring(BASE.length() + 1);
    return ROOMS.stream()
        .filter(room -> path.equals(room) || path.startsWith(room + "."))
        .max(Comparator.comparingInt(String::length))
        .orElse(path);
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }
}
