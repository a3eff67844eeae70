// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui.log;

import java.util.Collections;
import java.util.List;
import javafx.collections.ListChangeListener;
import javafx.collections.ObservableListBase;
import org.jspecify.annotations.Nullable;
import org.wridscope.control.Session;
import org.wridscope.ui.TimeRange;

/**
 * The rows of the log: the events of one end, or of both in the order of time. No row is kept: each
 * is found by binary search when it is looked at, so that a log may have millions. Not thread-safe.
 */
final class LogRows extends ObservableListBase<LogRow> {
  /** What an {@link #update} did. */
  enum Change {
    NONE,
    /** There are new rows at the end. */
    ADDED,
    /** Rows have another index than before. */
    MOVED
  }

  private List<LogPart> parts = List.of();
  private TimeRange.@Nullable Span span;
  private int size;
  private long lastNanos = Long.MIN_VALUE;
  private int readIndex = -1;
  private @Nullable LogRow read;

  /**
   * Shows other events.
   *
   * @param newParts none, one, or two of which the first comes first at the same moment
   */
  void show(List<LogPart> newParts, TimeRange.@Nullable Span newSpan) {
    parts = List.copyOf(newParts);
    span = newSpan;
    int before = size;
    size = count();
    readIndex = -1;
    lastNanos = last();
    fireChange(new Replaced(this, size, gone(before)));
  }

  /** All rows were replaced. Unlike the changes of the base class it copies none of them. */
  private static final class Replaced extends ListChangeListener.Change<LogRow> {
    private final int to;
    private final List<LogRow> removed;
    private boolean read;

    Replaced(LogRows list, int to, List<LogRow> removed) {
      super(list);
      this.to = to;
      this.removed = removed;
    }

    @Override
    public boolean next() {
      boolean first = !read;
      read = true;
      return first;
    }

    @Override
    public void reset() {
      read = false;
    }

    @Override
    public int getFrom() {
      return 0;
    }

    @Override
    public int getTo() {
      return to;
    }

    @Override
    public List<LogRow> getRemoved() {
      return removed;
    }

    @Override
    protected int[] getPermutation() {
      return new int[0];
    }
  }

  private int count() {
    long sum = 0;
    for (LogPart part : parts) {
      part.update(span);
      sum += part.count();
    }
    return Math.clamp(sum, 0, Integer.MAX_VALUE);
  }

  private long last() {
    long last = Long.MIN_VALUE;
    for (LogPart part : parts) {
      if (part.count() > 0) {
        last = Math.max(last, part.nanos(part.end() - 1));
      }
    }
    return last;
  }

  /** Shows what has happened since. */
  Change update() {
    long[] firsts = parts.stream().mapToLong(LogPart::first).toArray();
    long[] ends = parts.stream().mapToLong(LogPart::end).toArray();
    int before = size;
    size = count();
    readIndex = -1;
    long removed = 0;
    boolean late = false;
    for (int i = 0; i < parts.size(); i++) {
      LogPart part = parts.get(i);
      removed += Math.min(part.first(), ends[i]) - firsts[i];
      // An end may tell later than the other one what happened at the same time.
      late |= part.end() > ends[i] && part.nanos(Math.max(part.first(), ends[i])) < lastNanos;
    }
    lastNanos = last();
    int gone = Math.clamp(removed, 0, before);
    if (gone == 0 && size == before) {
      return Change.NONE;
    }
    if (size < before - gone) {
      // A recording went back in time.
      size = before;
      show(parts, span);
      return Change.MOVED;
    }
    beginChange();
    if (gone > 0) {
      nextRemove(0, gone(gone));
    }
    if (size > before - gone) {
      nextAdd(before - gone, size);
    }
    endChange();
    return gone > 0 || late ? Change.MOVED : Change.ADDED;
  }

  /** Rows that are no longer there, of which nobody asks what they were. */
  private List<LogRow> gone(int count) {
    return parts.isEmpty()
        ? List.of()
        : Collections.nCopies(count, new LogRow(parts.getFirst().session(), -1, null));
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public LogRow get(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException(index);
    }
    LogRow row = read;
    if (row == null || index != readIndex) {
      row = find(index);
      read = row;
      readIndex = index;
    }
    return row;
  }

  private LogRow find(int index) {
    LogPart one = parts.getFirst();
    if (parts.size() == 1) {
      return one.row(one.first() + index);
    }
    LogPart other = parts.getLast();
    long low = Math.max(0, index - other.count());
    long high = Math.min(index, one.count());
    // How many of the events before the row are of the first end.
    while (low < high) {
      long middle = (low + high) >>> 1;
      long opposite = other.first() + index - middle - 1;
      if (one.nanos(one.first() + middle) <= other.nanos(opposite)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    long ofOne = one.first() + low;
    long ofOther = other.first() + index - low;
    boolean isOfOne =
        ofOne < one.end() && (ofOther >= other.end() || one.nanos(ofOne) <= other.nanos(ofOther));
    return isOfOne ? one.row(ofOne) : other.row(ofOther);
  }

  /** The row of an event; -1 if it is not shown. */
  int indexOf(Session session, long number) {
    long rows = 0;
    boolean found = false;
    for (LogPart part : parts) {
      if (part.session().equals(session)) {
        long index = part.indexOfEvent(number);
        if (index < 0) {
          return -1;
        }
        found = true;
        rows += index - part.first();
        long nanos = part.nanos(index);
        boolean before = true;
        for (LogPart other : parts) {
          if (other == part) {
            before = false;
          } else {
            rows += other.countBefore(before ? nanos + 1 : nanos);
          }
        }
      }
    }
    return found ? Math.toIntExact(Math.min(rows, size - 1L)) : -1;
  }

  @Override
  public int indexOf(@Nullable Object row) {
    return row instanceof LogRow(Session session, long number, var _)
        ? indexOf(session, number)
        : -1;
  }

  @Override
  public boolean contains(@Nullable Object row) {
    return indexOf(row) >= 0;
  }
}
