// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.wridscope.memory.ChunkTable;
import org.wridscope.protocol.ControlType;
import org.wridscope.telemetry.Event;
import org.wridscope.telemetry.EventKind;
import org.wridscope.telemetry.Role;
import org.wridscope.text.Format;
import org.wridscope.units.Parse;
import org.wridscope.verbs.OpcodeNames;
import org.wridscope.verbs.WorkCompletionStatus;

/** A field that a {@link Query} can ask for, and that an event may have. */
public enum SearchField {
  WRID("a wrid, such as 0x440000001 or 4000"),
  CHUNK("the number of a chunk, such as 12"),
  BLOCK("a RAM block, such as pc.ram or 0"),
  MESSAGE("a control message, such as register-request"),
  QP("the number of a queue pair, such as 17"),
  OPCODE("an operation: write, send, recv, read, atomic, or a name of verbs such as rdma_read"),
  STATUS("the status of a completion, such as success or rem-access-err"),
  KEY("a key, such as 0x1a2b"),
  EVENT("the kind of an event, such as post-write"),
  END("source or destination");

  /** The fields of which a number can be written without a sign, as in {@code chunk 17}. */
  private static final Set<SearchField> NUMBERS = EnumSet.of(WRID, CHUNK, BLOCK, QP, KEY);

  private static final Pattern NUMBER = Pattern.compile("0[xX][0-9a-fA-F]+|[0-9]+");

  /** Operations that differ only in what else they do, by the beginning of their names. */
  private static final Map<String, String> FAMILIES =
      Map.of(
          "write", "RDMA_WRITE",
          "read", "RDMA_READ",
          "send", "SEND",
          "recv", "RECV",
          "receive", "RECV",
          "atomic", "ATOMIC");

  private static final int MOST_NAMED = 8;

  private final String text;

  SearchField(String text) {
    this.text = text;
  }

  /** How it is written before {@code =}. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * The values that have names, as a query writes them; none of a field that takes numbers.
   *
   * @param blocks the RAM blocks that can be named; empty while they are not known
   */
  List<String> named(List<ChunkTable> blocks) {
    Stream<String> names =
        switch (this) {
          case WRID, CHUNK, QP, KEY -> Stream.of();
          case BLOCK -> blocks.stream().map(ChunkTable::name).filter(SearchField::isOneWord);
          case MESSAGE -> Arrays.stream(ControlType.values()).map(type -> hyphened(type.text()));
          case OPCODE -> FAMILIES.keySet().stream().sorted();
          case STATUS ->
              Arrays.stream(WorkCompletionStatus.values()).map(each -> hyphened(each.name()));
          case EVENT ->
              Arrays.stream(EventKind.values()).map(kind -> hyphened(EventText.kind(kind)));
          case END -> Arrays.stream(Role.values()).map(role -> hyphened(role.name()));
        };
    return names.distinct().toList();
  }

  /** Whether a value needs no quotation marks. */
  private static boolean isOneWord(String value) {
    return value.matches("[^\\s\"()]+");
  }

  /** Its name and what it takes. */
  String help() {
    return title() + "=: " + text;
  }

  /** The field with a name; null if there is none. */
  static @Nullable SearchField of(String name) {
    return Arrays.stream(values())
        .filter(field -> field.title().equals(name.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElse(null);
  }

  /** The names of all fields. */
  static String all() {
    return Arrays.stream(values()).map(SearchField::title).collect(Collectors.joining(", "));
  }

  /** Whether a number after its name is its value, without a sign between them. */
  boolean isNumber() {
    return NUMBERS.contains(this);
  }

  /** Whether it tells how a request ended. */
  boolean isOfEnd() {
    return this == STATUS;
  }

  /** Whether a text is a number, decimal or hexadecimal. */
  static boolean isNumber(String text) {
    return NUMBER.matcher(text).matches();
  }

  /**
   * The value of a number, as unsigned 64 bits.
   *
   * @throws NumberFormatException if it is none, or has more bits
   */
  static long parse(String text) {
    boolean hex = text.regionMatches(true, 0, "0x", 0, 2);
    return Long.parseUnsignedLong(hex ? text.substring(2) : text, hex ? 16 : 10);
  }

  /** Whether something has this field. */
  boolean isIn(Subject of) {
    return switch (this) {
      case WRID -> of.wrid() != null;
      case CHUNK, BLOCK -> of.chunks() > 0;
      case MESSAGE -> of.message() >= 0;
      case QP -> of.queuePair() >= 0;
      case OPCODE -> of.opcode() != null;
      case STATUS -> of.status() >= 0;
      case KEY -> of.key() >= 0;
      case EVENT -> of.event() != null;
      case END -> true;
    };
  }

  /**
   * The value of an event, as a query names it.
   *
   * @param requests those of its session
   * @return empty if the event does not have this field
   */
  public String valueOf(Event event, Requests requests) {
    Subject of = Subject.of(event, requests);
    if (!isIn(of)) {
      return "";
    }
    return switch (this) {
      case WRID -> "0x" + Long.toHexString(event.wrid());
      case CHUNK -> String.valueOf(of.chunk());
      case BLOCK -> EventText.block(of.block(), of.telemetry());
      case MESSAGE -> hyphened(EventText.control(of.message()));
      case QP -> String.valueOf(of.queuePair());
      case OPCODE -> hyphened(String.valueOf(of.opcode()));
      case STATUS -> hyphened(WorkCompletionStatus.of(of.status()).name());
      case KEY -> Format.key((int) of.key());
      case EVENT -> hyphened(EventText.kind(event.kind()));
      case END -> hyphened(of.telemetry().role().name());
    };
  }

  /**
   * A query that finds the events with the same value.
   *
   * @return empty if the event does not have this field, or a value without a name
   */
  public String termOf(Event event, Requests requests) {
    String value = valueOf(event, requests);
    if (value.isEmpty() || !isNamed(Subject.of(event, requests))) {
      return "";
    }
    return title() + "=" + (isOneWord(value) ? value : '"' + value + '"');
  }

  /** Whether a query can name the value; a peer, a file or a device may use others. */
  private boolean isNamed(Subject of) {
    return switch (this) {
      case MESSAGE -> ControlType.of(of.message()) != null;
      case STATUS -> WorkCompletionStatus.of(of.status()).value() == of.status();
      case OPCODE -> of.opcode() != null && isOperation(of.opcode());
      default -> true;
    };
  }

  private static boolean isOperation(String name) {
    return OpcodeNames.request(name).isPresent() || OpcodeNames.completion(name).isPresent();
  }

  private static String hyphened(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[ _]", "-");
  }

  /**
   * A test of this field.
   *
   * @param value as typed
   * @param blocks the RAM blocks that can be named; empty while they are not known
   * @throws IllegalArgumentException with a sentence that says what is possible
   */
  Predicate<Subject> equalTo(String value, List<ChunkTable> blocks) {
    return switch (this) {
      case WRID -> {
        Long wrid = number(value);
        yield of -> Objects.equals(of.wrid(), wrid);
      }
      case CHUNK -> {
        long chunk = number(value);
        yield of -> chunk >= of.chunk() && chunk < of.chunk() + of.chunks();
      }
      case BLOCK -> block(value, blocks);
      case MESSAGE -> {
        int type = named(value, ControlType.values().length, i -> ControlType.values()[i].text());
        yield of -> of.message() == ControlType.values()[type].value();
      }
      case QP -> {
        long number = number(value);
        yield of -> of.queuePair() == number;
      }
      case OPCODE -> opcode(value);
      case STATUS -> {
        WorkCompletionStatus[] all = WorkCompletionStatus.values();
        int status =
            Arrays.stream(all)
                .filter(each -> plain(each.text()).equals(plain(value)))
                .mapToInt(WorkCompletionStatus::value)
                .findFirst()
                .orElseGet(() -> named(value, all.length, i -> all[i].name()));
        yield of -> of.status() == status;
      }
      case KEY -> {
        long key = number(value);
        yield of -> of.key() == key;
      }
      case EVENT -> {
        EventKind[] all = EventKind.values();
        String text = EventText.kind(all[named(value, all.length, i -> EventText.kind(all[i]))]);
        yield of -> of.event() != null && EventText.kind(of.event()).equals(text);
      }
      case END -> {
        Role[] all = Role.values();
        Role role = all[named(value, all.length, i -> all[i].name())];
        yield of -> of.telemetry().role() == role;
      }
    };
  }

  private long number(String value) {
    try {
      return parse(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s is no number; write %s=%s."
              .formatted(Parse.quoted(value), title(), text.substring(text.lastIndexOf(' ') + 1)),
          e);
    }
  }

  private Predicate<Subject> block(String value, List<ChunkTable> blocks) {
    if (value.matches("[0-9]{1,5}")) {
      int index = Integer.parseInt(value);
      return of -> of.block() == index;
    }
    if (!blocks.isEmpty()
        && blocks.stream().noneMatch(block -> block.name().equalsIgnoreCase(value))) {
      throw new IllegalArgumentException(
          "There is no RAM block %s; there are %s."
              .formatted(
                  Parse.quoted(value),
                  blocks.stream()
                      .limit(MOST_NAMED)
                      .map(ChunkTable::name)
                      .collect(Collectors.joining(", "))));
    }
    return of -> EventText.block(of.block(), of.telemetry()).equalsIgnoreCase(value);
  }

  private static Predicate<Subject> opcode(String value) {
    String family = FAMILIES.get(value.toLowerCase(Locale.ROOT));
    if (family != null) {
      return of -> of.opcode() != null && of.opcode().startsWith(family);
    }
    String name = value.toUpperCase(Locale.ROOT).replace('-', '_');
    if (!isOperation(name)) {
      throw new IllegalArgumentException(
          "There is no operation %s; write opcode= and %s."
              .formatted(Parse.quoted(value), OPCODE.text.substring("an operation: ".length())));
    }
    return of -> name.equals(of.opcode());
  }

  /** The index of a name, whatever is between its words; a number is its own index. */
  private int named(String value, int count, IntFunction<String> names) {
    for (int i = 0; i < count; i++) {
      if (plain(names.apply(i)).equals(plain(value)) || value.equals(String.valueOf(i))) {
        return i;
      }
    }
    throw new IllegalArgumentException(
        "%s=%s is unknown; possible are %s."
            .formatted(title(), value, possible(value, IntStream.range(0, count).mapToObj(names))));
  }

  /** The names that begin like what was typed so far, or all if none does. */
  private static String possible(String value, Stream<String> names) {
    List<String> all = names.map(SearchField::hyphened).distinct().toList();
    List<String> likely =
        all.stream().filter(name -> plain(name).startsWith(plain(value))).toList();
    return String.join(", ", likely.isEmpty() ? all : likely);
  }

  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }
}
