#if !canImport(ObjectiveC)
import MagicalRecord
import Testing

/// Expects that `body`, and the tasks it starts, ask stores for rows so many times, and records an issue for the test otherwise.
///
/// ```swift
/// let names = try await expect(queries: 2) { try await inbox.senders() }
/// ```
/// A query is a fetch, a count, a prefetched relationship, a batch of a result, or a fault that the store fulfills; what saves
/// write is none. Off Apple's platforms only, where CoreData is this package's.
///
/// - Parameters:
///   - count: the number of queries.
///   - sourceLocation: where the issue is shown.
///   - isolation: the actor on which `body` runs.
///   - body: what is measured.
/// - Returns: what `body` returns.
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

/// Expects that `body` asks stores for rows so many times; see the asynchronous form.
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
