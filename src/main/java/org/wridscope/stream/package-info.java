// SPDX-License-Identifier: Apache-2.0
/**
 * The migration stream that QEMU FILE messages carry: container, configuration, the {@code ram}
 * section, device sections, description. Independent of verbs.
 */
@NullMarked
package org.wridscope.stream;

import org.jspecify.annotations.NullMarked;
