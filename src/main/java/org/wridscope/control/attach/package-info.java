// SPDX-License-Identifier: Apache-2.0
/**
 * Attaches to programs that already run: probes on the functions of the RDMA devices' providers
 * show each post and each completion, whatever the program.
 */
@NullMarked
package org.wridscope.control.attach;

import org.jspecify.annotations.NullMarked;
