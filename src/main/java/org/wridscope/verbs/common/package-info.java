// SPDX-License-Identifier: Apache-2.0

/** Shared by all kinds of devices: checks, asynchronous events, time limits. */
@NullMarked
package org.wridscope.verbs.common;

import org.jspecify.annotations.NullMarked;
