// SPDX-License-Identifier: Apache-2.0
package org.wridscope.guest.qemu;

import java.io.IOException;
import org.wridscope.guest.Handover;

/** A guard of a QEMU whose guest leaves. */
public interface SourceGuard extends QemuGuard {

  /**
   * Has the guard call {@code userfaultfd()} inside the QEMU, so that the end of this process
   * cannot find the QEMU in the middle of that. The guard closes the descriptor there if this
   * process ends before {@link #closeUserfault}.
   *
   * @return the number of the descriptor in the QEMU
   * @throws IOException if it cannot; one sentence. The QEMU is as before
   */
  int openUserfault() throws IOException;

  /**
   * Has the guard close the descriptor of {@link #openUserfault} inside the QEMU, because this
   * process has its own by now. Idempotent.
   */
  void closeUserfault() throws IOException;

  /**
   * Notes that the guest, which runs, will be stopped by this process or for it. If this process
   * ends after that, the guard continues the guest, as long as it belongs to this QEMU.
   */
  void stopping() throws IOException;

  /**
   * Notes that the guest runs again, or was not stopped. From now on the guard leaves it running or
   * paused as QEMU has it, since somebody else may stop or continue it.
   */
  void resumed() throws IOException;

  /**
   * Notes that the destination will be told to start the guest. If this process ends after that,
   * the guard asks the destination: it continues a guest that was {@linkplain #stopping stopped} if
   * the destination has not started it and never will, and leaves it paused if it has, or if there
   * is no answer.
   */
  void handingOver(Handover handover) throws IOException;

  /**
   * Notes that the destination has the guest: it stays paused here, and only the settings are
   * restored.
   */
  void handedOver() throws IOException;

  /**
   * Notes that the destination has said that it did not start the guest: it belongs to this QEMU
   * again.
   */
  void takenBack() throws IOException;

  /**
   * After {@link #close}: notes that it is known now which end has the guest, which was not known
   * before.
   */
  void settled();
}
