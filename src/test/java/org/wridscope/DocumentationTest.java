// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the pages of this repository refer to exists. */
final class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)[^)]*\\)");
  private static final Pattern CODE = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern TYPE =
      Pattern.compile("([A-Z][a-z]+[A-Za-z]*)(\\.([a-z]\\w*))?(es)?");

  /** Types of the JDK, JavaFX, DiSNI and others. */
  private static final Set<String> OTHERS =
      Set.of("LineChart", "Canvas", "RdmaCm", "IbvContext", "IbvPd", "RDMARegister");

  private static List<Path> pages() throws IOException {
    var pages = new ArrayList<Path>();
    for (String name : List.of("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")) {
      pages.add(Path.of(name + ".md"));
    }
    try (Stream<Path> files = Files.walk(Path.of("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
    }
    return pages;
  }

  @Test
  void linksLeadSomewhere() throws IOException {
    var broken = new ArrayList<String>();
    for (Path page : pages()) {
      Matcher link = LINK.matcher(Files.readString(page));
      while (link.find()) {
        boolean isFile = !link.group(1).startsWith("http");
        if (isFile && !Files.exists(page.resolveSibling(link.group(1)))) {
          broken.add(page + ": " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void namedFilesAndTypesExist() throws IOException {
    Set<String> types;
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      types =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".java"))
              .map(name -> name.substring(0, name.length() - ".java".length()))
              .collect(Collectors.toSet());
    }
    var unknown = new ArrayList<String>();
    for (Path page : pages()) {
      if (!page.equals(Path.of("CONTRIBUTING.md"))
          && !page.startsWith(Path.of("docs", "decisions"))
          && !page.equals(Path.of("docs", "architecture.md"))) {
        continue;
      }
      Matcher code = CODE.matcher(Files.readString(page));
      while (code.find()) {
        Matcher type = TYPE.matcher(code.group(1));
        boolean isPath = code.group(1).startsWith("src/") && !code.group(1).contains("NAME");
        boolean isOurType = type.matches() && !OTHERS.contains(type.group(1));
        if ((isPath && !Files.exists(Path.of(code.group(1))))
            || (isOurType && !types.contains(type.group(1)))) {
          unknown.add(page + ": " + code.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
  }
}
