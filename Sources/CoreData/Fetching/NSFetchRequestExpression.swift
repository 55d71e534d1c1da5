import CoreDataRowStorage
import PredicateFormat

/// A factory of expressions that execute a fetch request: `FETCH(request, context, countOnly)` in the format language.
///
/// In a fetch from a store such an expression becomes a subquery, as in `author IN FETCH(…)`; evaluated in memory, it executes
/// the request. Off Apple's platforms all expressions have the same class, so this is a namespace and not their class; the
/// parts of such an expression are in its `node`.
public enum NSFetchRequestExpression {
    /// Returns an expression that fetches.
    ///
    /// - Parameters:
    ///   - fetch: Yields the `NSFetchRequest`.
    ///   - context: Yields the `NSManagedObjectContext` to fetch in.
    ///   - countFlag: Whether the expression yields the number of results instead of the results.
    public static func expression(
        forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
    ) -> NSExpression {
        NSExpression(
            node: .fetch(request: fetch.node, context: context.node, countOnly: .constant(countFlag)))
    }
}

extension FetchRequestBase: PredicateFetchable {
    /// Executes the request for `FETCH(…)`.
    ///
    /// - Throws: `NSCoreDataError` if `context` is not a context; the errors of the fetch.
    public final func predicateFetch(in context: Any?, countOnly: Bool) throws -> Any {
        guard let context = context as? NSManagedObjectContext else {
            throw CoreDataError.make(
                NSCoreDataError, description: "FETCH needs a managed object context as its second argument.",
                reason: "It is \(context.map { "\($0)" } ?? "nil").", entity: entityName)
        }
        return countOnly ? try context.countResults(of: self) : try context.fetchAny(self)
    }
}
