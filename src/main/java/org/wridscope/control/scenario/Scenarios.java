// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.scenario;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.wridscope.files.FileKind;
import org.wridscope.files.Target;
import org.wridscope.files.Unpacked;
import org.wridscope.text.Legible;

/** Finds scenarios: those that come with Wridscope, and files of users. */
public final class Scenarios {
  private static final String FOLDER = "/org/wridscope/scenarios/";
  private static final String INDEX = FOLDER + "index";
  private static final String SUFFIX = ".json";

  /** No scenario is as long, however small its packed file is. */
  private static final long MOST_UNPACKED = 1 << 24;

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
   * Reads the text of a scenario's file.
   *
   * @throws ScenarioException if it is not valid; a sentence
   */
  public static Scenario parse(String name, String text) throws ScenarioException {
    return ScenarioReader.read(name, name, text);
  }

  /** One that comes with Wridscope. */
  public static Scenario shipped(String name) {
    return shipped().stream()
        .filter(scenario -> scenario.name().equals(name))
        .findFirst()
        .orElseThrow();
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
      return read(Path.of(file));
    } catch (InvalidPathException e) {
      throw unknown(file, e);
    }
  }

  private static ScenarioException unknown(String file, Exception e) {
    return new ScenarioException(
        "There is no scenario or file '%s'; 'wridscope lab list' lists the scenarios."
            .formatted(file),
        e);
  }

  /**
   * Whether a file begins like a scenario, valid or not; false if it cannot be read, which whoever
   * opens it says.
   */
  public static boolean isMeant(Path file) {
    try {
      return Files.size(file) > 0 && FileKind.SCENARIO.isWithin(file);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Reads a scenario from a file.
   *
   * @throws ScenarioException if there is no such file, or it is not valid
   */
  public static Scenario read(Path file) throws ScenarioException {
    try {
      String name =
          String.valueOf(file.getFileName()).replaceAll("(\\.wridscope)?\\.json(\\.gz)?$", "");
      return ScenarioReader.read(Legible.of(name), file.toString(), text(file));
    } catch (ScenarioException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw unknown(file.toString(), e);
    } catch (CharacterCodingException e) {
      throw new ScenarioException("%s: the file is not UTF-8 text.".formatted(file), e);
    } catch (IOException e) {
      throw new ScenarioException(
          "%s: the file cannot be read (%s).".formatted(file, Target.reason(e)), e);
    }
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        Unpacked content = Unpacked.of(in, MOST_UNPACKED)) {
      byte[] bytes = content.readAllBytes();
      if (content.damage() != null) {
        throw new IOException(content.damage());
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
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
