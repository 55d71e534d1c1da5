import CoreDataRowStorage

/// The properties of an operation, as received by listeners or stored in a recording.
package protocol EventFacts {
    var number: Int { get }
    var parentNumber: Int { get }
    var kind: EventKind { get }
    var source: EventSource { get }
    var entity: String? { get }
    var keyPath: String? { get }
    var predicateText: String? { get }
    var sortOrder: [String] { get }
    var limit: Int { get }
    /// The number of objects, or of faults so far.
    var objects: Int { get }
    var rowCount: Int { get }
    var changes: EventChanges { get }
    var objectID: NSManagedObjectID? { get }
    var start: UInt64 { get }
    var nanoseconds: Int64 { get }
    var waitingNanoseconds: Int64 { get }
    var sqlNanoseconds: Int64 { get }
    var commitNanoseconds: Int64 { get }
    var statementUses: [StatementUse] { get }
    var plan: [String] { get }
    var contextName: String? { get }
    var contextNumber: Int? { get }
    var thread: Int { get }
    var task: Int { get }
    var store: String? { get }
    var failure: String? { get }
    var failureType: String? { get }
}

extension EventFacts {
    /// Returns the start of the operation relative to the start of a recording. Negative for operations that began earlier.
    package func nanoseconds(since start: UInt64) -> Int64 { Int64(bitPattern: self.start &- start) }
}

extension EventRecord: EventFacts {
    package var predicateText: String? { predicate?.text }
    package var objects: Int { hits?.count.load(ordering: .relaxed) ?? objectCount }
    package var objectID: NSManagedObjectID? { subject as? NSManagedObjectID }
    package var statementUses: [StatementUse] { Array(statements) }
    package var contextName: String? { context?.name }
    package var contextNumber: Int? { context?.number }
}
