// SPDX-License-Identifier: Apache-2.0
package org.wridscope.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The kind of a file, recognized by its content, not its name. */
public enum FileKind {
  /** A migration stream, written by QEMU or by a capture. */
  STREAM("a captured guest", true, false, magic("5145564d")),

  /**
   * The raw RAM of a guest. It has no magic number: the file consists of whole pages, and does not
   * begin like another kind, or like a format of disks, programs or archives.
   */
  RAM("the RAM of a guest", true, false, FileKind::mayBeRam),

  RECORDING("a recording", true, false, magic("895752530d0a1a0a")),

  /** Captured packets: pcapng, or pcap of either byte order, with micro- or nanoseconds. */
  PACKETS(
      "captured packets",
      true,
      false,
      anyOf("0a0d0d0a", "a1b2c3d4", "d4c3b2a1", "a1b23c4d", "4d3cb2a1")),

  /** The events of a recording as trace lines of QEMU, or a trace log of QEMU. */
  TRACE(
      "a trace log",
      false,
      false,
      text(
          "(\\d{1,10}@\\d{1,10}\\.\\d{6}:)?"
              + "((qemu_)?(rdma|savevm|loadvm|migrat|ram_load)|wridscope)[a-z0-9_]* ")),

  /** A migration with faults, as {@code docs/scenarios.md} describes it. */
  SCENARIO(
      "a scenario",
      false,
      false,
      text(
          "\\s*\\{\\s*\"(title|about|group|look|guest|migration|source|destination|runs|seed|order|choices|expect"
              + "|expect-shared)\"\\s*:")),

  /** Written by {@code --report}. */
  REPORT(
      "a report",
      false,
      true,
      text(
          "\\{\\s*\"status\": \"[a-z-]+\",\\s*\"total-time\": .*\"setup-time\": .*"
              + "\"role\": \"(source|destination)\"")),

  /** Written by {@code lab SCENARIO --verdict}. */
  VERDICT("a verdict", false, true, text("\\{\\s*\"verdict\": \"[a-z ]+\",\\s*\"scenario\": ")),

  CSV(
      "an exported table",
      false,
      true,
      text(
          "(end,number,time_s,utc,kind,wrid|end,queue,number,kind,wrid|end,time_s,utc,ram_|"
              + "end,time_s,utc,queue,running|from,number,message,type|"
              + "time_s,event,queue_pair,context)")),

  JSON("an exported document", false, true, text("\\{\\s*\"format\": \"wridscope-export\"")),

  PERFETTO(
      "an exported trace",
      false,
      true,
      text("\\{\\s*\"otherData\":\\s*\\{\\s*\"format\":\\s*\"wridscope-perfetto\"")),

  HTML(
      "an exported report",
      false,
      true,
      text("<!DOCTYPE html>\\s*<html lang=\"en\">.*<title>Migration report: ")),

  /** Metrics in the text format of Prometheus, of this program. */
  METRICS("metrics", false, true, text("# (HELP|TYPE) wridscope_")),

  PICTURE("a picture", false, false, magic("89504e470d0a1a0a"));

  /** Page size of a guest, in bytes. */
  static final int PAGE = 4096;

  /** How much of a file tells its kind. */
  public static final int START_BYTES = PAGE;

  /** Magic numbers of formats that are never mistaken for raw RAM. */
  private static final List<Recogniser> FOREIGN =
      Stream.of(
              "514649fb", // qcow2
              "4b444d56", // VMDK
              "7668647866696c65", // VHDX
              "4c554b53babe", // LUKS
              "7f454c46", // ELF, also of a core dump
              "4d5a", // PE
              "1f8b", // gzip
              "fd377a585a00", // xz
              "28b52ffd", // zstd
              "504b0304", // zip, also office documents
              "25504446", // PDF
              "53514c69746520666f726d617420330a", // SQLite
              "58465342") // XFS
          .map(FileKind::magic)
          .toList();

  /** Offset of the boot signature of a disk. */
  private static final int BOOT_SIGNATURE = 510;

  private final String text;
  private final boolean ofGuest;
  private final boolean replacesItsOwn;
  private final Recogniser recogniser;

  FileKind(String text, boolean ofGuest, boolean replacesItsOwn, Recogniser recogniser) {
    this.text = text;
    this.ofGuest = ofGuest;
    this.replacesItsOwn = replacesItsOwn;
    this.recogniser = recogniser;
  }

  /** Recognizes a file by its beginning, up to a page, and its length in bytes. */
  @FunctionalInterface
  private interface Recogniser {
    boolean matches(byte[] start, long length);
  }

  private static Recogniser magic(String hex) {
    byte[] magic = HexFormat.of().parseHex(hex);
    return (start, _) -> {
      for (int i = 0; i < magic.length; i++) {
        if (i >= start.length || start[i] != magic[i]) {
          return false;
        }
      }
      return true;
    };
  }

  private static Recogniser anyOf(String... magics) {
    List<Recogniser> all = Stream.of(magics).map(FileKind::magic).toList();
    return (start, length) -> all.stream().anyMatch(each -> each.matches(start, length));
  }

  private static Recogniser text(String regex) {
    Pattern pattern = Pattern.compile(regex, Pattern.DOTALL);
    return (start, _) ->
        pattern.matcher(new String(start, StandardCharsets.ISO_8859_1)).lookingAt();
  }

  private static boolean mayBeRam(byte[] start, long length) {
    boolean disk =
        start.length >= BOOT_SIGNATURE + 2
            && start[BOOT_SIGNATURE] == 0x55
            && start[BOOT_SIGNATURE + 1] == (byte) 0xaa;
    return length % PAGE == 0
        && !disk
        && FOREIGN.stream().noneMatch(format -> format.matches(start, length))
        && Stream.of(values())
            .noneMatch(kind -> kind != RAM && kind.recogniser.matches(start, length));
  }

  /** A phrase with an article, for example {@code a recording}. */
  public String text() {
    return text;
  }

  /** Whether it reveals content of a guest, so that only its owner may read it. */
  boolean ofGuest() {
    return ofGuest;
  }

  /** Whether it contains a guest's RAM, for which only a regular file is suitable. */
  boolean holdsRam() {
    return this == STREAM || this == RAM;
  }

  /** Whether a new file replaces an older one of the same kind without asking. */
  boolean replacesItsOwn() {
    return replacesItsOwn;
  }

  /**
   * The kind of what begins like this; empty if it is not known, as that of raw RAM.
   *
   * @param start up to {@link #START_BYTES}
   */
  public static Optional<FileKind> of(byte[] start) {
    return Stream.of(values())
        .filter(kind -> kind != RAM && kind.recogniser.matches(start, start.length))
        .findFirst();
  }

  /** Whether a regular file is of this kind. An empty file is of every kind. */
  public boolean is(Path file) throws IOException {
    long length = Files.size(file);
    if (length == 0) {
      return true;
    }
    try (InputStream in = Files.newInputStream(file)) {
      return recogniser.matches(in.readNBytes(PAGE), length);
    }
  }

  /** Whether a file, or what it was packed from with gzip, begins like this kind. */
  public boolean isWithin(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file);
        Unpacked content = Unpacked.of(in)) {
      byte[] start = content.readNBytes(PAGE);
      return recogniser.matches(start, start.length);
    }
  }
}
