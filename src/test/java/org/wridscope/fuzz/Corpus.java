// SPDX-License-Identifier: Apache-2.0
package org.wridscope.fuzz;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * The inputs of a parser that are kept as test resources: {@code NAME.zip} holds those that reach
 * different code, and the folder {@code NAME/} holds those that once broke the parser, a file each.
 */
final class Corpus {
  private Corpus() {}

  /** Both kinds. */
  static List<byte[]> kept(FuzzTarget target) throws IOException {
    var inputs = new ArrayList<>(found(target));
    inputs.addAll(broke(target));
    return inputs;
  }

  /** Inputs that once broke the parser. */
  static List<byte[]> broke(FuzzTarget target) throws IOException {
    URL folder = Corpus.class.getResource(target.name());
    if (folder == null) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(Path.of(folder.toURI()))) {
      return files.sorted().map(Corpus::read).toList();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<byte[]> found(FuzzTarget target) throws IOException {
    var inputs = new ArrayList<byte[]>();
    try (InputStream in = Corpus.class.getResourceAsStream(target.name() + ".zip")) {
      if (in == null) {
        return inputs;
      }
      var zip = new ZipInputStream(in);
      while (zip.getNextEntry() != null) {
        inputs.add(zip.readAllBytes());
      }
    }
    return inputs;
  }

  /** Packs the files of a folder. The same files always give the same bytes. */
  static void pack(Path folder, Path into) throws IOException {
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder)) {
      files = listed.sorted().toList();
    }
    try (var zip = new ZipOutputStream(Files.newOutputStream(into))) {
      for (Path file : files) {
        var entry = new ZipEntry(file.getFileName().toString());
        entry.setLastModifiedTime(FileTime.fromMillis(0));
        zip.putNextEntry(entry);
        zip.write(Files.readAllBytes(file));
      }
    }
  }
}
