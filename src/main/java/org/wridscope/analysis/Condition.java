// SPDX-License-Identifier: Apache-2.0
package org.wridscope.analysis;

import java.util.List;
import java.util.function.Predicate;

/**
 * What a {@link Query} asks of a subject. How an open request will end is not known yet; what
 * depends on that is neither true nor false of it, so that a request that was found stays found.
 */
sealed interface Condition {

  /**
   * Whether it is certain that this is true, or that it is false.
   *
   * @param wanted which of the two is asked for
   */
  boolean is(Subject of, boolean wanted);

  /**
   * A single term.
   *
   * @param ofEnd whether it asks how a request ended
   */
  record Term(Predicate<Subject> test, boolean ofEnd) implements Condition {
    @Override
    public boolean is(Subject of, boolean wanted) {
      return !(ofEnd && of.open()) && test.test(of) == wanted;
    }
  }

  /** True if all of its parts are. */
  record All(List<Condition> parts) implements Condition {
    @Override
    public boolean is(Subject of, boolean wanted) {
      return wanted
          ? parts.stream().allMatch(part -> part.is(of, true))
          : parts.stream().anyMatch(part -> part.is(of, false));
    }
  }

  /** True if one of its parts is. */
  record Any(List<Condition> parts) implements Condition {
    @Override
    public boolean is(Subject of, boolean wanted) {
      return wanted
          ? parts.stream().anyMatch(part -> part.is(of, true))
          : parts.stream().allMatch(part -> part.is(of, false));
    }
  }

  /** True if the other one is false. */
  record Not(Condition condition) implements Condition {
    @Override
    public boolean is(Subject of, boolean wanted) {
      return condition.is(of, !wanted);
    }
  }
}
