// swift-format-ignore-file: OrderedImports
// This module first: the classes Foundation marks deprecated carry no warning then.
import PredicateFormat
import Foundation
import Testing

@Suite struct ImportOrderTests {
    private func path(_ expression: NSExpression) -> String { expression.keyPath }

    @Test func bothImports() {
        let expression: NSExpression = NSExpression(forKeyPath: "a.b")
        #expect(path(expression) == "a.b")
        let comparison: NSComparisonPredicate? = NSPredicate(format: "a == 1") as? NSComparisonPredicate
        #expect(comparison?.rightExpression.constantValue as? Int == 1)
    }
}
