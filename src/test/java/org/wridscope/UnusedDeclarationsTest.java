// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Every class, method and constructor of the program is used, by the program or by a test. Private
 * ones are checked by Error Prone.
 *
 * <p>Exempt are methods that override another one, declarations with an annotation that a library
 * reads (picocli), and what the compiler generates for records and enums. Classes of constants,
 * which the compiler inlines, are exempt, too.
 */
@Slow("every use of every declaration is looked up")
@TestInstance(TestInstance.Lifecycle.PER_CLASS) // the classes are large, and not kept
final class UnusedDeclarationsTest {
  /** Descriptions that no view shows yet. */
  private static final Set<String> EXEMPT = Set.of("org.wridscope.telemetry.Metric.kind()");

  private static final Path PROGRAM = locationOf(Main.class);

  private final JavaClasses classes =
      new ClassFileImporter().importPaths(PROGRAM, locationOf(UnusedDeclarationsTest.class));

  private static Path locationOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyDeclarationIsUsed() {
    List<JavaClass> program = classes.stream().filter(UnusedDeclarationsTest::isInProgram).toList();
    assertThat(program).hasSizeGreaterThan(500);
    assertThat(program.stream().flatMap(this::unused).sorted()).isEmpty();
  }

  private static boolean isInProgram(JavaClass type) {
    return type.getSource()
        .map(source -> Path.of(source.getUri()).startsWith(PROGRAM))
        .orElse(false);
  }

  private Stream<String> unused(JavaClass type) {
    if (type.getName().startsWith("com.ibm.disni.") || type.getCodeUnits().isEmpty()) {
      return Stream.of();
    }
    if (!isUsed(type)) {
      return Stream.of(type.getName());
    }
    return type.getCodeUnits().stream()
        .filter(unit -> !isUsed(unit))
        .map(JavaCodeUnit::getFullName)
        .filter(name -> !EXEMPT.contains(name));
  }

  private boolean isUsed(JavaClass type) {
    return type.isEquivalentTo(Main.class)
        || Stream.concat(Stream.of(type), nestedIn(type))
            .anyMatch(used ->
                used.getFields().stream().anyMatch(UnusedDeclarationsTest::isConstant)
                    || used.getDirectDependenciesToSelf().stream()
                        .anyMatch(use -> !isIn(type, use.getOriginClass())));
  }

  private Stream<JavaClass> nestedIn(JavaClass type) {
    return classes.stream().filter(nested -> nested != type && isIn(type, nested));
  }

  private static boolean isIn(JavaClass outer, JavaClass type) {
    return type.equals(outer)
        || type.getEnclosingClass().filter(enclosing -> isIn(outer, enclosing)).isPresent();
  }

  private static boolean isConstant(JavaField field) {
    return field.getModifiers().containsAll(Set.of(JavaModifier.STATIC, JavaModifier.FINAL));
  }

  private static boolean isUsed(JavaCodeUnit unit) {
    return unit instanceof JavaStaticInitializer
        || unit.getModifiers().contains(JavaModifier.PRIVATE)
        || unit.getModifiers().contains(JavaModifier.SYNTHETIC)
        || !unit.getAnnotations().isEmpty()
        || unit.getAccessesToSelf().stream().anyMatch(use -> !use.getOrigin().equals(unit))
        || (unit instanceof JavaMethod method
            ? isGenerated(method) || overrides(method) || method.getName().equals("main")
            : isMadeByALibrary(unit.getOwner()));
  }

  /** Accessors of records, and the methods of every enum. */
  private static boolean isGenerated(JavaMethod method) {
    JavaClass owner = method.getOwner();
    return (owner.isRecord() && owner.tryGetField(method.getName()).isPresent())
        || (owner.isEnum() && Set.of("values", "valueOf").contains(method.getName()));
  }

  private static boolean overrides(JavaMethod method) {
    JavaClass owner = method.getOwner();
    int parameters = method.getRawParameterTypes().size();
    return Stream.concat(
            owner.getAllRawSuperclasses().stream(), owner.getAllRawInterfaces().stream())
        .flatMap(type -> type.getMethods().stream())
        .anyMatch(above ->
            above.getName().equals(method.getName())
                && above.getRawParameterTypes().size() == parameters);
  }

  /** Whether constructors are called by a library: of picocli's classes, and the application. */
  private static boolean isMadeByALibrary(JavaClass type) {
    return type.isRecord()
        || !type.getAnnotations().isEmpty()
        || type.isAssignableTo("picocli.CommandLine$IVersionProvider")
        || type.isAssignableTo("javafx.application.Application");
  }
}
