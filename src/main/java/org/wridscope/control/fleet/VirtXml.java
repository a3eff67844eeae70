// SPDX-License-Identifier: Apache-2.0
package org.wridscope.control.fleet;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.wridscope.libvirt.VirtException;
import org.wridscope.text.Legible;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * What is read of libvirt's XML, which comes from a stranger: without document types, so without
 * entities, external or not.
 */
final class VirtXml {
  /** Units of {@code <memory>} and the like; libvirt writes KiB. */
  private static final Map<String, Long> UNITS =
      Map.of("b", 1L, "bytes", 1L, "KiB", 1L << 10, "MiB", 1L << 20, "GiB", 1L << 30);

  private final Document document;

  private VirtXml(Document document) {
    this.document = document;
  }

  static VirtXml parse(String xml) throws VirtException {
    try {
      var factory = DocumentBuilderFactory.newDefaultInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.setXIncludeAware(false);
      factory.setExpandEntityReferences(false);
      var builder = factory.newDocumentBuilder();
      // Otherwise it prints errors.
      builder.setErrorHandler(new DefaultHandler());
      return new VirtXml(builder.parse(new InputSource(new StringReader(xml))));
    } catch (SAXException e) {
      throw new VirtException("A description by libvirt is not valid XML: " + e.getMessage());
    } catch (ParserConfigurationException | IOException e) {
      throw new IllegalStateException("the JDK's own parser", e);
    }
  }

  /** The texts of all elements with a name, legible. */
  List<String> texts(String name) {
    var texts = new ArrayList<String>();
    NodeList found = document.getElementsByTagName(name);
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(Legible.of(found.item(i).getTextContent().strip()));
    }
    return texts;
  }

  /** The text of the first element with a name. */
  Optional<String> text(String name) {
    return texts(name).stream().findFirst();
  }

  /** The bytes of the first element with a name; empty if there is none, or no sensible number. */
  OptionalLong bytes(String name) {
    if (!(document.getElementsByTagName(name).item(0) instanceof Element element)) {
      return OptionalLong.empty();
    }
    String unit = element.getAttribute("unit");
    Long factor = UNITS.get(unit.isEmpty() ? "KiB" : unit);
    String number = element.getTextContent().strip();
    return factor == null || !number.matches("\\d{1,15}")
        ? OptionalLong.empty()
        : OptionalLong.of(saturated(Long.parseLong(number), factor));
  }

  private static long saturated(long number, long factor) {
    return number > Long.MAX_VALUE / factor ? Long.MAX_VALUE : number * factor;
  }
}
