// SPDX-License-Identifier: Apache-2.0
package org.wridscope;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * A test class, or a test, that takes a second of real time or more: {@code ./check --fast} leaves
 * it out. Subclasses are slow, too.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@Tag("slow")
public @interface Slow {
  /** Why it takes that long: what it waits for, or what it computes. */
  String value();
}
