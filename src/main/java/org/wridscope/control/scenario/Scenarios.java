// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.protocol.Legible;

/** The scenarios that are shipped, and those of users. */
public final class Scenarios {
  private static final String FOLDER = "/org/wridscope/scenarios/";
  private static final String INDEX = FOLDER + "index";
  private static final String SUFFIX = ".json";

  private Scenarios() {}

  /** All that are shipped, in the order in which they are best tried. */
  public static List<Scenario> shipped() {
    var scenarios = new ArrayList<Scenario>();
    for (String name : resource(INDEX).lines().toList()) {
      try {
        scenarios.add(ScenarioReader.read(name, name, resource(FOLDER + name + SUFFIX)));
      } catch (ScenarioException e) {
        throw new IllegalStateException(e);
      }
    }
    return scenarios;
  }

  /**
   * A shipped one by its name, or a file of the user's.
   *
   * @throws ScenarioException when there is no such one, or it is not as it must be
   */
  public static Scenario find(String nameOrFile) throws ScenarioException {
    Optional<Scenario> shipped =
        shipped().stream().filter(scenario -> scenario.name().equals(nameOrFile)).findFirst();
    return shipped.isPresent() ? shipped.get() : read(nameOrFile);
  }

  private static Scenario read(String file) throws ScenarioException {
    try {
      Path path = Path.of(file);
      String name = Legible.of(String.valueOf(path.getFileName()).replaceAll("\\.json$", ""));
      return ScenarioReader.read(name, file, Files.readString(path));
    } catch (ScenarioException e) {
      throw e;
    } catch (NoSuchFileException | InvalidPathException e) {
      throw new ScenarioException(
          "There is no scenario '%s', and no such file; 'wridscope lab --list' names the scenarios."
              .formatted(file),
          e);
    } catch (CharacterCodingException e) {
      throw new ScenarioException("%s: it is not a text in UTF-8.".formatted(file), e);
    } catch (IOException e) {
      throw new ScenarioException("%s: it cannot be read: %s.".formatted(file, e.getMessage()), e);
    }
  }

  private static String resource(String path) {
    try (InputStream in = Scenarios.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("there is no resource " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
