#if canImport(Darwin)
import Foundation

// A Mac compiles this module for `modelc` alone, which parses predicates of models while a program is built for Linux.
// Foundation has predicate objects of its own there, so the rest of this folder and those that depend on it are left
// out. The declarations below are what the parser and the printer use of them.

extension NSPredicate {
    var node: PredicateNode { .opaque(self) }
    var identity: ObjectIdentifier { ObjectIdentifier(self) }
}

extension NSExpression {
    var node: ExpressionNode { .constant(self) }
}

enum PredicateObjects {
    static func format(of predicate: NSPredicate) -> String { predicate.predicateFormat }
}
#endif
