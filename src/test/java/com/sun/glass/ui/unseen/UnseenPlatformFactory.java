// SPDX-License-Identifier: Apache-2.0
package com.sun.glass.ui.unseen;

import com.sun.glass.ui.Application;
import com.sun.glass.ui.View;
import com.sun.glass.ui.headless.HeadlessApplication;
import com.sun.glass.ui.headless.HeadlessPlatformFactory;
import com.sun.glass.ui.headless.HeadlessView;

/**
 * JavaFX's headless platform without its screen: nothing reads it, and painting windows takes
 * processor time, and memory, because JavaFX's pool of images keeps the pictures of closed windows
 * until the heap is full. Snapshots are drawn apart, and canvases as in a window that is minimized.
 * JavaFX finds the class by {@code -Dglass.platform=Unseen}.
 */
public final class UnseenPlatformFactory extends HeadlessPlatformFactory {
  @Override
  public Application createApplication() {
    return new HeadlessApplication() {
      @Override
      public View createView() {
        return new HeadlessView() {
          // The painter and touch input ask for it; the painter skips a closed view.
          @Override
          public boolean isClosed() {
            return true;
          }
        };
      }
    };
  }
}
