// SPDX-License-Identifier: Apache-2.0
/**
 * The migration byte stream that travels in QEMU FILE messages: container, configuration, the
 * {@code ram} section, device sections, description. Knows streams of bytes, never verbs.
 */
@NullMarked
package org.wridscope.stream;

import org.jspecify.annotations.NullMarked;
