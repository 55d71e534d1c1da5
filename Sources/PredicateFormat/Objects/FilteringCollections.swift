import Foundation

// The counterparts of Foundation's `filtered(using:)` for predicates whose format comes from users.

extension NSArray {
    /// The elements for which the predicate holds.
    ///
    /// - Throws: what ``Foundation/NSPredicate/evaluateThrowing(with:substitutionVariables:)`` throws, where
    ///   `filtered(using:)` stops the process.
    public func filteredThrowing(using predicate: NSPredicate) throws -> [Any] {
        try filter { try predicate.evaluateThrowing(with: $0) }
    }
}

extension NSSet {
    /// The elements for which the predicate holds. Throws as ``Foundation/NSArray/filteredThrowing(using:)``.
    public func filteredThrowing(using predicate: NSPredicate) throws -> Set<AnyHashable> {
        let kept = try allObjects.filter { try predicate.evaluateThrowing(with: $0) }
        return Set(kept.compactMap { $0 as? AnyHashable })
    }
}

extension NSOrderedSet {
    /// The elements for which the predicate holds. Throws as ``Foundation/NSArray/filteredThrowing(using:)``.
    public func filteredThrowing(using predicate: NSPredicate) throws -> NSOrderedSet {
        NSOrderedSet(array: try array.filter { try predicate.evaluateThrowing(with: $0) })
    }
}
