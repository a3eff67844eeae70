// SPDX-License-Identifier: Apache-2.0
package org.wridscope.verbs.rdma.ffm;

import org.wridscope.host.Processor;

/** A member of a structure whose place depends on the processor. */
public interface StructMember {
  /** Bytes from the start of the structure. */
  int offset(Processor processor);
}
