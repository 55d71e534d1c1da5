import Foundation

// The counterparts of Foundation's `filtered(using:)` for predicates from user-supplied format strings.

extension NSArray {
    /// Returns the elements that match the predicate.
    ///
    /// - Throws: the errors of ``Foundation/NSPredicate/evaluateThrowing(with:substitutionVariables:)``, where
    ///   `filtered(using:)` raises a fatal error.
    public func filteredThrowing(using predicate: NSPredicate) throws -> [Any] {
        try filter { try predicate.evaluateThrowing(with: $0) }
    }
}

extension NSSet {
    /// Returns the elements that match the predicate. Throws as ``Foundation/NSArray/filteredThrowing(using:)`` does.
    public func filteredThrowing(using predicate: NSPredicate) throws -> Set<AnyHashable> {
        let kept = try allObjects.filter { try predicate.evaluateThrowing(with: $0) }
        return Set(kept.compactMap { $0 as? AnyHashable })
    }
}

extension NSOrderedSet {
    /// Returns the elements that match the predicate, in order. Throws as ``Foundation/NSArray/filteredThrowing(using:)`` does.
    public func filteredThrowing(using predicate: NSPredicate) throws -> NSOrderedSet {
        NSOrderedSet(array: try array.filter { try predicate.evaluateThrowing(with: $0) })
    }
}
