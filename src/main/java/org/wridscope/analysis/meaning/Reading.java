// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis.meaning;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.wridscope.analysis.meaning.Meaning.Kind;

/** A line of a log, what is still to be read of it, and what was found so far. */
final class Reading {
  static final String NUMBER =
      "(-?(?:0x[0-9a-f]{1,16}|[0-9]{1,19}))(?![0-9a-z_]|\\.[0-9])"
          + "(?! *(?:times|retries|attempts|sec|ms\\b|bytes|pages|entries|packets|errors|of\\b|/|%))";

  static final String GAP = "[ :=#(\\[\"']{0,4}";

  static final String IS = GAP + "(?:is|was|of|code|number|no)?" + GAP;

  static final Pattern STATUS = Pattern.compile("(?<![a-z_])status" + IS + "(?:-- )?" + NUMBER);

  static final Pattern ERROR = Pattern.compile("(?<![a-z_])(?:error|err)(?: code)?" + IS + NUMBER);

  static final Pattern FAILED =
      Pattern.compile(
          "(?<![a-z_])fail(?:ed|ure)?(?:[^0-9]{0,40} with)?[ :=(\\[]{1,3}"
              + NUMBER
              + "(?=\\s*(?:$|[,;.)\\]:(]))");

  static final Pattern COMPLETION =
      Pattern.compile(
          "\\bcompletions?\\b|complete\\b|\\bcqe?\\b|\\bwc\\b|\\bwc_|\\bwr_?id\\b|net/ib|\\bpoll(?:ed|ing)?\\b"
              + "|work request|\\bvendor|\\bvend\\b|\\bvend_|\\bsynd|\\bioctx\\b|kiblnd_[rt]x|\\b[rt]x\\b");

  static final Pattern FUNCTION =
      Pattern.compile(
          "\\b(?:spdk_)?(?:ibv|rdma|ib|fi|mlx[45]dv|efadv|ucp|uct|nccl)_(?!wc_|qps_|mtu_|(?:read|write|send|srpt?)\\b|\\w*(?:poll|cq_s?read|cqe"
              + "|compl|_wc|event|handle|process|_str))\\w++(?!\\.[a-z])|get_cm_event");

  static final Pattern CALL =
      Pattern.compile(
          "\\b(?:creat|regist|alloc|modif|resolv|bind|listen|accept|destroy|dereg|quer[yi]|mmap|pin"
              + "|post|connect|init|open|reg|map|get)(?:\\w{0,8})\\b");

  static final Pattern RDMA =
      Pattern.compile(
          "rdma|\\bib|ibv_|verbs|infiniband|\\broce|mlx[45]|\\bqp|queue pair|\\bhca|nvme|nvmf|ucx"
              + "|\\bfi_|libfabric|net/ib"
              + "|\\bmr\\b|memory region|register|\\bcq\\b|post(?:ing)?(?: \\w+)? (?:recv|receive|send)");

  /**
   * A line whose numbers are of another list than those known here: of a device's command queue, of
   * management datagrams, of CUDA, or what a process returned to the system.
   */
  static final Pattern OTHER_LIST =
      Pattern.compile(
          "\\bcmdq|\\bhwc\\b|\\bhwrm\\b|\\bmailbox|\\badmin (?:cmd|command|queue)"
              + "|\\bmads?\\b|\\bmad_|_mad\\b|_mad_|\\bsaquery|\\bosm_|\\bopensm"
              + "|\\bcuda|\\bcu(?:mem|ctx|init|device|event|stream|launch|pointer)"
              + "|\\bexit(?:ed|s)?\\b[^0-9]{0,20}\\b(?:status|code|error)");

  /** Before what did not happen, or is not what happened. */
  static final Pattern EXPECTED =
      Pattern.compile(
          "(?:\\bexpect(?:s|ed|ing)?|\\bwait(?:ed|ing)? for|instead of|[!=]=|\\bnot)[: ]+"
              + "(?:an? )?(?:cm )?(?:event )?[\"'(]?$");

  /** The line in lower case. */
  final String lower;

  /** The line, with spaces instead of the numbers that have been read. */
  String rest;

  final LinkedHashSet<Meaning> meanings = new LinkedHashSet<>();
  final List<String> remarks = new ArrayList<>();

  /** Of the first completion that failed. */
  @Nullable Meaning status;

  /** Whether the line has a syndrome of a device's firmware, so that its status is that, too. */
  boolean firmware;

  /** Whether the line says that a connection was rejected. */
  boolean rejected;

  Reading(String line) {
    lower = line.toLowerCase(Locale.ROOT);
    rest = lower;
  }

  /** Whether a pattern is in the line. */
  boolean has(Pattern pattern) {
    return pattern.matcher(lower).find();
  }

  /** Adds the status of a completion that failed. */
  void status(Meaning meaning) {
    meanings.add(meaning);
    if (status == null) {
      status = meaning;
    }
  }

  /** Leaves out what follows a name directly: its own number. */
  void skip(Pattern number, int from) {
    Matcher behind = number.matcher(rest).region(from, rest.length());
    if (behind.lookingAt()) {
      blank(behind.start(), behind.end());
    }
  }

  /** Leaves out a part. */
  void blank(int start, int end) {
    rest = rest.substring(0, start) + " ".repeat(end - start) + rest.substring(end);
  }

  /**
   * Uses each number that a pattern finds, and leaves it out of the rest.
   *
   * @param part what every text has that the pattern finds
   */
  void each(String part, Pattern pattern, LongConsumer use) {
    if (!rest.contains(part)) {
      return;
    }
    Matcher pair = pattern.matcher(rest);
    int at = 0;
    while (pair.find(at)) {
      Long number = parsed(pair.group(1));
      at = pair.end();
      blank(pair.start(), pair.end());
      pair = pattern.matcher(rest);
      if (number != null) {
        use.accept(number);
      }
      if (at >= rest.length()) {
        break;
      }
    }
  }

  /** A decimal or hexadecimal number; null if it has more than 64 bits. */
  static @Nullable Long parsed(String number) {
    boolean negative = number.startsWith("-");
    String digits = negative ? number.substring(1) : number;
    try {
      long value =
          digits.startsWith("0x")
              ? Long.parseUnsignedLong(digits.substring(2), 16)
              : Long.parseUnsignedLong(digits);
      return negative ? -value : value;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Leaves out what a pattern finds. */
  void remove(Pattern pattern) {
    Matcher matcher = pattern.matcher(rest);
    while (matcher.find()) {
      blank(matcher.start(), matcher.end());
    }
  }

  /** The first group of each match of a pattern, which is left out of the rest. */
  List<String> taken(Pattern pattern) {
    var taken = new ArrayList<String>();
    Matcher matcher = pattern.matcher(rest);
    while (matcher.find()) {
      taken.add(matcher.group(1));
      blank(matcher.start(), matcher.end());
    }
    return taken;
  }

  /** Whether something of a kind was found. */
  boolean has(Kind kind) {
    return meanings.stream().anyMatch(meaning -> meaning.kind() == kind);
  }

  /** A negative number: an errno, except -1, which says only that a call failed. */
  void negative(long number) {
    if (number > 1) {
      errno(number);
    } else {
      remarks.add("-1 says only that the call failed: it is no errno.");
    }
  }

  /** Adds an errno, if it is known. */
  void errno(long number) {
    Meanings.numbered(Kind.ERRNO, number).forEach(meanings::add);
  }

  /** Whether the line speaks of a call rather than of a completion. */
  boolean isOfCall() {
    if (has(FUNCTION)) {
      return true;
    }
    Matcher completion = COMPLETION.matcher(lower);
    Matcher call = CALL.matcher(lower);
    return call.find() && (!completion.find() || call.start() < completion.start());
  }
}
