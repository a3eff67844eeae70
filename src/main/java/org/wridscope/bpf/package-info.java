// SPDX-License-Identifier: Apache-2.0
/**
 * Programs for Linux's BPF virtual machine: their instructions, maps, the ring buffer in which they
 * tell what they see, and probes on functions of other programs that run them.
 */
@NullMarked
package org.wridscope.bpf;

import org.jspecify.annotations.NullMarked;
