// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a page element by element. It is well-formed XML as well as HTML, for the JDK's writer of
 * XML escapes every text and attribute; what XML has no way to say is replaced here. Nothing else
 * writes to the page.
 */
final class Html {
  private static final char REPLACEMENT = '\uFFFD';

  /** Void in HTML, or of SVG. */
  private static final Set<String> VOID = Set.of("meta", "path");

  private final XMLStreamWriter xml;

  Html(Writer out) throws IOException {
    try {
      xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** What the writer of XML says, with the file's own trouble brought to light. */
  private static IOException unwrap(XMLStreamException e) {
    return e.getNestedException() instanceof IOException cause ? cause : new IOException(e);
  }

  /** Begins the page. */
  Html doctype() throws IOException {
    try {
      xml.writeDTD("<!DOCTYPE html>");
      return this;
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /**
   * Begins an element.
   *
   * @param attributes names and values in turn
   */
  Html open(String element, String... attributes) throws IOException {
    try {
      xml.writeStartElement(element);
      return attributes(attributes);
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** An element that never has content; HTML takes no other one that ends where it begins. */
  Html empty(String element, String... attributes) throws IOException {
    if (!VOID.contains(element)) {
      throw new IllegalArgumentException(element + " needs an end of its own");
    }
    try {
      xml.writeEmptyElement(element);
      return attributes(attributes);
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  private Html attributes(String... attributes) throws XMLStreamException {
    for (int i = 0; i < attributes.length; i += 2) {
      xml.writeAttribute(attributes[i], legal(attributes[i + 1]));
    }
    return this;
  }

  Html text(String text) throws IOException {
    try {
      xml.writeCharacters(legal(text));
      return this;
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** Ends the innermost element. */
  Html close() throws IOException {
    try {
      xml.writeEndElement();
      return this;
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** An element with nothing but text in it. */
  Html element(String element, String text, String... attributes) throws IOException {
    return open(element, attributes).text(text).close();
  }

  /**
   * A style sheet. A browser does not unescape it, so it must be without what is escaped.
   *
   * @throws IllegalArgumentException when it is not
   */
  Html style(String css) throws IOException {
    if (css.matches("(?s).*[<>&].*")) {
      throw new IllegalArgumentException("a style sheet with <, > or &");
    }
    return element("style", css);
  }

  void flush() throws IOException {
    try {
      xml.flush();
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** The text without the characters that XML 1.0, 2.2, has not, and without lone surrogates. */
  private static String legal(String text) {
    if (text.codePoints().allMatch(Html::isLegal)) {
      return text;
    }
    var legal = new StringBuilder();
    text.codePoints().map(c -> isLegal(c) ? c : REPLACEMENT).forEach(legal::appendCodePoint);
    return legal.toString();
  }

  private static boolean isLegal(int c) {
    return c == '\t'
        || c == '\n'
        || (c >= ' ' && c < Character.MIN_SURROGATE && (c < 0x7f || c > 0x9f))
        || (c > Character.MAX_SURROGATE && c != 0xFFFE && c != 0xFFFF);
  }
}
