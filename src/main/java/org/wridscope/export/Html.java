// SPDX-License-Identifier: Apache-2.0
package org.wridscope.export;

import java.io.IOException;
import java.io.Writer;
import java.util.Set;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a page element by element. The page is HTML and well-formed XML, because the JDK's XML
 * writer escapes every text and attribute. Characters that XML cannot contain are replaced. Nothing
 * else writes to the page.
 */
final class Html {
  private static final char REPLACEMENT = '\uFFFD';

  /** Elements that are void in HTML, or belong to SVG. */
  private static final Set<String> VOID = Set.of("meta", "path");

  private final XMLStreamWriter xml;

  Html(Writer out) throws IOException {
    try {
      xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(out);
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** Unwraps the I/O error of the file from an exception of the XML writer. */
  private static IOException unwrap(XMLStreamException e) {
    return e.getNestedException() instanceof IOException cause ? cause : new IOException(e);
  }

  /** Writes the document type. */
  Html doctype() throws IOException {
    try {
      xml.writeDTD("<!DOCTYPE html>");
      return this;
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /**
   * Opens an element.
   *
   * @param attributes names and values, alternating
   */
  Html open(String element, String... attributes) throws IOException {
    try {
      xml.writeStartElement(element);
      return attributes(attributes);
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** Writes an element that never has content; HTML allows no self-closing of other elements. */
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

  /** Closes the innermost open element. */
  Html close() throws IOException {
    try {
      xml.writeEndElement();
      return this;
    } catch (XMLStreamException e) {
      throw unwrap(e);
    }
  }

  /** Writes an element that contains only text. */
  Html element(String element, String text, String... attributes) throws IOException {
    return open(element, attributes).text(text).close();
  }

  /**
   * Writes a style sheet. A browser does not unescape it, so it must not contain characters that
   * are escaped.
   *
   * @throws IllegalArgumentException when it does
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

  /** Replaces characters that XML 1.0, 2.2, does not allow, and lone surrogates. */
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
