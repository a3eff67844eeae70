// SPDX-License-Identifier: Apache-2.0
/** The hosts whose libvirt the user has connected, each asked by a thread of its own. */
@NullMarked
package org.wridscope.control.fleet;

import org.jspecify.annotations.NullMarked;
