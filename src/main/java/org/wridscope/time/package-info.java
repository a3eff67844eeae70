// SPDX-License-Identifier: Apache-2.0
/**
 * The time and the threads that sessions, devices and guests live by: the machine's, or those of a
 * schedule that decides who goes on, and in which time passes at once.
 */
@NullMarked
package org.wridscope.time;

import org.jspecify.annotations.NullMarked;
