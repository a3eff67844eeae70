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
import org.wridscope.files.Target;
import org.wridscope.text.Legible;

/** Finds scenarios: those that come with Wridscope, and files of users. */
public final class Scenarios {
  private static final String FOLDER = "/org/wridscope/scenarios/";
  private static final String INDEX = FOLDER + "index";
  private static final String SUFFIX = ".json";

  private Scenarios() {}

  /** All scenarios that come with Wridscope, in the recommended order. */
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
   * Finds a scenario by its name, or reads it from a file.
   *
   * @throws ScenarioException if there is no such scenario or file, or the file is not valid
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
          "There is no scenario or file '%s'; 'wridscope lab --list' lists the scenarios."
              .formatted(file),
          e);
    } catch (CharacterCodingException e) {
      throw new ScenarioException("%s: the file is not UTF-8 text.".formatted(file), e);
    } catch (IOException e) {
      throw new ScenarioException(
          "%s: the file cannot be read (%s).".formatted(file, Target.reason(e)), e);
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
