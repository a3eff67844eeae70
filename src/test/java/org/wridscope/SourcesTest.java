// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Member;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@code docs/sources.md} says of the five sources is there. */
final class SourcesTest {
  private static final Path PAGE = Path.of("docs", "sources.md");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** How many items each part of the sources has. */
  private static final Map<String, Long> ITEMS =
      Map.of(
          "Out-of-order wrid", 14L,
          "Functions", 73L,
          "Constants", 37L,
          "Trace events", 59L,
          "Errors", 96L,
          "TODO", 3L,
          "Events of queue pairs", 15L,
          "Send contexts", 15L,
          "State of virtqueues", 22L);

  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "TestFactory", "RepeatedTest", "Property");

  private final List<String> classes = classesBeside(Main.class);
  private final List<String> testClasses = classesBeside(SourcesTest.class);

  /** A row of a table, with the heading above it. */
  private record Row(String part, String item, String place, String proof) {
    boolean hasPlace() {
      return place.startsWith("`");
    }
  }

  /** The names of the compiled classes there. */
  private static List<String> classesBeside(Class<?> type) {
    try {
      Path root = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (Stream<Path> files = Files.walk(root)) {
        return files
            .map(file -> root.relativize(file).toString())
            .filter(file -> file.endsWith(".class"))
            .map(file -> file.replaceFirst("\\.class$", "").replace('/', '.'))
            .toList();
      }
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Row> rows() throws IOException {
    var rows = new ArrayList<Row>();
    String part = "";
    boolean inTable = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("#")) {
        part = line.replaceFirst("#+ ", "");
      } else if (line.startsWith("| --- ")) {
        inTable = true;
      } else if (!line.startsWith("|")) {
        inTable = false;
      } else if (inTable) {
        String[] cells = line.substring(1, line.length() - 1).split("\\|", -1);
        assertThat(cells).as(line).hasSize(3);
        rows.add(new Row(part, cells[0].strip(), cells[1].strip(), cells[2].strip()));
      }
    }
    return rows;
  }

  private static List<String> code(String cell) {
    return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  /** The classes with a name, which may be {@code Outer.Nested}. */
  private static List<Class<?>> named(List<String> all, String name) {
    String ending = "." + name.replace('.', '$');
    var found = new ArrayList<Class<?>>();
    for (String type : all) {
      if (type.endsWith(ending)) {
        try {
          found.add(Class.forName(type, false, SourcesTest.class.getClassLoader()));
        } catch (ClassNotFoundException e) {
          throw new IllegalStateException(e);
        }
      }
    }
    return found;
  }

  private static <T extends Member & AnnotatedElement> boolean isWanted(
      T member, String name, boolean test) {
    return member.getName().equals(name)
        && (!test
            || Stream.of(member.getAnnotations())
                .anyMatch(
                    annotation -> TESTS.contains(annotation.annotationType().getSimpleName())));
  }

  /**
   * Whether a place, {@code Class} or {@code Class#member}, is there; the member may have to be a
   * test.
   */
  private static boolean has(List<String> all, String place, boolean test) {
    int at = place.indexOf('#');
    List<Class<?>> types = named(all, at < 0 ? place : place.substring(0, at));
    String member = place.substring(at + 1);
    return at < 0
        ? !types.isEmpty()
        : types.stream()
            .anyMatch(type ->
                Stream.of(type.getDeclaredMethods()).anyMatch(own -> isWanted(own, member, test))
                    || (!test
                        && Stream.of(type.getDeclaredFields())
                            .anyMatch(own -> isWanted(own, member, false))));
  }

  private boolean exists(String place) {
    return place.endsWith(".json")
        ? Main.class.getResource("scenarios/" + place) != null
        : has(classes, place, false);
  }

  @Test
  void eachPart_hasAsManyRowsAsTheSourceHasItems() throws Exception {
    assertThat(rows().stream().collect(groupingBy(Row::part, counting()))).isEqualTo(ITEMS);
  }

  @Test
  void eachItem_isThereOnce() throws Exception {
    assertThat(rows().stream().map(row -> row.part() + ": " + row.item())).doesNotHaveDuplicates();
  }

  @Test
  void eachPlace_exists() throws Exception {
    assertThat(
            rows().stream()
                .filter(Row::hasPlace)
                .flatMap(row -> code(row.place()).stream())
                .filter(place -> !exists(place))
                .distinct())
        .isEmpty();
  }

  @Test
  void eachPlace_isProvenByATest() throws Exception {
    assertThat(rows().stream().filter(row -> row.hasPlace() && code(row.proof()).isEmpty()))
        .isEmpty();
    assertThat(
            rows().stream()
                .flatMap(row -> code(row.proof()).stream())
                .filter(test -> !test.contains("#") || !has(testClasses, test, true))
                .distinct())
        .isEmpty();
  }

  @Test
  void whatHasNoPlace_hasAReason() throws Exception {
    assertThat(rows().stream().filter(row -> !row.hasPlace()).map(Row::place))
        .allMatch(reason -> reason.matches("(Not applicable|Refused): \\S.{9,}"));
  }

  @Test
  void nothingIsDoneHalf() throws Exception {
    assertThat(Files.readString(PAGE)).doesNotContainIgnoringCase("partly");
  }

  @Test
  void traceEvents_areThoseOfTheSource() throws Exception {
    try (InputStream in =
        SourcesTest.class.getResourceAsStream("recording/qemu/qemu-2.0-rdma-events.txt")) {
      assertThat(in).isNotNull();
      assertThat(rows())
          .filteredOn(row -> row.part().equals("Trace events"))
          .flatExtracting(row -> code(row.item()))
          .containsExactlyElementsOf(
              new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
    }
  }
}
