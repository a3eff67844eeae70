// SPDX-License-Identifier: Apache-2.0
package com.sun.glass.ui.unseen;

import com.sun.glass.ui.Application;
import com.sun.glass.ui.Pixels;
import com.sun.glass.ui.View;
import com.sun.glass.ui.headless.HeadlessApplication;
import com.sun.glass.ui.headless.HeadlessPlatformFactory;
import com.sun.glass.ui.headless.HeadlessView;

/**
 * JavaFX's headless platform without its screen, to which it copies each frame pixel by pixel: half
 * of the processor time of a window's test. Nothing reads that screen; snapshots are drawn apart.
 * JavaFX finds the class by {@code -Dglass.platform=Unseen}.
 */
public final class UnseenPlatformFactory extends HeadlessPlatformFactory {
  @Override
  public Application createApplication() {
    return new HeadlessApplication() {
      @Override
      public View createView() {
        return new HeadlessView() {
          @Override
          protected void _uploadPixels(long ptr, Pixels pixels) {}
        };
      }
    };
  }
}
