// SPDX-License-Identifier: Apache-2.0
/** Help: what each view shows, a glossary, and what this program is. */
@NullMarked
package org.wridscope.ui.help;

import org.jspecify.annotations.NullMarked;
