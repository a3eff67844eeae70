// SPDX-License-Identifier: Apache-2.0
package org.wridscope.ui;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** The texts that the sources of the window look up, and those that they forgot to look up. */
final class UsedTexts {
  private static final Path SOURCES = Path.of("src/main/java/org/wridscope/ui");

  /** What shows a text to the user. */
  private static final Pattern SHOWING =
      Pattern.compile(
          "(Label|Button|ToggleButton|CheckBox|RadioButton|Menu|MenuItem|CheckMenuItem"
              + "|RadioMenuItem|MenuButton|Tooltip|Tab|Hyperlink|Text|TitledPane|TableColumn)(<.*>)?"
              + "|(.*\\.)?set(Text|PromptText|AccessibleText|AccessibleHelp|Title|HeaderText"
              + "|ContentText)");

  /** What is for programmers only: failures, the log of the program, and what is never shown. */
  private static final Pattern INTERNAL =
      Pattern.compile(
          "LOG\\..*|.*(Exception|Error)|.*requireNonNull|Pattern\\.compile|.*setStyle|.*matches"
              + "|.*replaceAll|.*replaceFirst|.*split");

  private static final Pattern NAME = Pattern.compile("[\\P{L}\\p{Lu}]*|\\S+://\\S*");

  /** What a computer reads. */
  private static final Pattern COMMAND = Pattern.compile("(wridscope |migrate_|-fx-).*");

  private static final Pattern SENTENCE = Pattern.compile("\\p{Ll}{2,}[,:;]? \\p{L}{2,}");

  private final Set<String> keys = new TreeSet<>();
  private final List<String> variable = new ArrayList<>();
  private final List<String> bare = new ArrayList<>();

  private UsedTexts() {}

  static UsedTexts read() throws IOException {
    var used = new UsedTexts();
    List<Path> files;
    try (Stream<Path> all = Files.walk(SOURCES)) {
      files =
          all.filter(file -> file.toString().endsWith(".java") && !file.endsWith("Texts.java"))
              .toList();
    }
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, Locale.ROOT, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      for (var unit : task.parse()) {
        used.new Scanner(Path.of(unit.getSourceFile().toUri()).getFileName() + ": ")
            .scan(unit, null);
      }
    }
    return used;
  }

  /** Keys of the bundles. */
  Set<String> keys() {
    return keys;
  }

  /** Places where what is looked up is not a constant, so that no bundle can have it. */
  List<String> variable() {
    return variable;
  }

  /** Places where a constant is shown without being looked up. */
  List<String> bare() {
    return bare;
  }

  private final class Scanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final String file;

    Scanner(String file) {
      this.file = file;
    }

    @Override
    public @Nullable Void visitAnnotation(AnnotationTree annotation, @Nullable Void unused) {
      return null;
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void unused) {
      List<? extends ExpressionTree> values = call.getArguments();
      String name = call.getMethodSelect().toString();
      switch (name) {
        case "Texts.of" -> {
          key(call, values.getFirst());
          return scan(values.subList(1, values.size()), null);
        }
        case "Texts.counted" -> {
          key(call, values.get(1));
          key(call, values.get(2));
          return scan(values.getFirst(), null);
        }
        default -> shown(name, call, values);
      }
      return INTERNAL.matcher(name).matches() ? null : super.visitMethodInvocation(call, null);
    }

    @Override
    public @Nullable Void visitNewClass(NewClassTree made, @Nullable Void unused) {
      String name = made.getIdentifier().toString();
      shown(name, made, made.getArguments());
      return INTERNAL.matcher(name).matches() ? null : super.visitNewClass(made, null);
    }

    @Override
    public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void unused) {
      if (literal.getValue() instanceof String text
          && SENTENCE.matcher(text).find()
          && !COMMAND.matcher(text).matches()) {
        bare.add(file + literal);
      }
      return null;
    }

    @Override
    public @Nullable Void visitCase(CaseTree one, @Nullable Void unused) {
      scan(one.getStatements(), null);
      return scan(one.getBody(), null);
    }

    private void key(Tree call, Tree text) {
      String constant = constant(text);
      if (constant == null) {
        variable.add(file + call);
      } else {
        keys.add(constant);
      }
    }

    private void shown(String by, Tree call, List<? extends ExpressionTree> values) {
      if (SHOWING.matcher(by).matches() && !values.isEmpty()) {
        String constant = constant(values.getFirst());
        if (constant != null && !NAME.matcher(constant).matches()) {
          bare.add(file + call);
        }
      }
    }
  }

  private static @Nullable String constant(Tree tree) {
    return switch (tree) {
      case LiteralTree literal when literal.getValue() instanceof String text -> text;
      case ParenthesizedTree parentheses -> constant(parentheses.getExpression());
      case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> {
        String left = constant(sum.getLeftOperand());
        String right = constant(sum.getRightOperand());
        yield left == null || right == null ? null : left + right;
      }
      default -> null;
    };
  }
}
