#if !canImport(ObjectiveC)
import MagicalRecord
import Testing

/// Expects a number of queries to stores by `body` and the tasks it starts, and records an issue for any other number.
///
/// ```swift
/// let names = try await expect(queries: 2) { try await inbox.senders() }
/// ```
/// Queries are fetches, counts, prefetched relationships, batches of a result, and faults that the store fulfills; the
/// statements of saves are not counted. Available off Apple's platforms only, where CoreData is this package's.
///
/// - Parameters:
///   - count: the number of queries.
///   - sourceLocation: the location of the issue.
///   - isolation: the actor on which `body` runs.
///   - body: the code to measure.
/// - Returns: the result of `body`.
/// - Throws: the error of `body`.
@discardableResult
public func expect<Result>(
    queries count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> Result
) async rethrows -> Result {
    let (result, recording) = try await Instruments.recordResult(of: body)
    recording.check(queries: count, sourceLocation)
    return result
}

/// Expects a number of queries to stores by synchronous code; see the asynchronous form.
@discardableResult
public func expect<Result>(
    queries count: Int, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) rethrows -> Result {
    let (result, recording) = try Instruments.recordResult(of: body)
    recording.check(queries: count, sourceLocation)
    return result
}

extension Instruments.Recording {
    fileprivate func check(queries count: Int, _ sourceLocation: SourceLocation) {
        guard totals.queries != count else { return }
        Issue.record(
            "Expected \(count) \(count == 1 ? "query" : "queries"), and there were \(totals.queries).\n\(self)",
            sourceLocation: sourceLocation)
    }
}
#endif
