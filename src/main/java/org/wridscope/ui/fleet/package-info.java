// SPDX-License-Identifier: Apache-2.0
/** The hosts whose libvirt the user has connected, and their domains. */
@NullMarked
package org.wridscope.ui.fleet;

import org.jspecify.annotations.NullMarked;
