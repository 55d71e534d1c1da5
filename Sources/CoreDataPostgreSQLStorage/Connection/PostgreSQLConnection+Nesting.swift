#if PostgreSQL
import CCoreDataPostgreSQL
import CoreDataRowStorage

/// The transactions within one that stays open: savepoints stand for them.
final class NestedTransactions {
    /// True if a savepoint stands for an open transaction.
    fileprivate(set) var isOpen = false

    /// The statements that begin a transaction. As in one of the server's, constraints are checked at its end.
    static let beginning = ["SAVEPOINT coredata_nested", "SET CONSTRAINTS ALL DEFERRED"]
    private static let commit = ["SET CONSTRAINTS ALL IMMEDIATE", "RELEASE SAVEPOINT coredata_nested"]
    fileprivate static let rollback = ["ROLLBACK TO SAVEPOINT coredata_nested", "RELEASE SAVEPOINT coredata_nested"]

    /// Statements with savepoints in place of transactions.
    fileprivate struct Translation {
        var requests: [PipelineRequest] = []
        /// The number of the original request, for each of ``requests``.
        var origins: [Int?] = []
        /// True if the statements are a transaction without `BEGIN`.
        let isImplicit: Bool
        /// True if a transaction is open after the statements, and if one was at any time.
        var isOpen: Bool
        var wasOpen: Bool

        init(_ original: [PipelineRequest], isOpen: Bool) {
            self.isOpen = isOpen
            isImplicit = !isOpen && !original.contains { $0.statement.command == .begin }
            wasOpen = isOpen
            if isImplicit { add(beginning, nil) }
            for (number, request) in original.enumerated() {
                switch request.statement.command {
                case .begin:
                    add(beginning, number)
                    (self.isOpen, wasOpen) = (true, true)
                case .commit:
                    add(commit, number)
                    self.isOpen = false
                case .other where request.statement.text == "ROLLBACK":
                    if wasOpen { add(rollback, number) }
                    self.isOpen = false
                case .other:
                    requests.append(request)
                    origins.append(number)
                }
            }
            if isImplicit { add(commit, nil) }
        }

        private mutating func add(_ statements: [String], _ number: Int?) {
            requests += statements.map { .plain($0) }
            origins += statements.map { _ in number }
        }
    }

    fileprivate func translate(_ requests: [PipelineRequest]) -> Translation {
        Translation(requests, isOpen: isOpen)
    }
}

extension PostgreSQLConnection {
    /// Runs statements with savepoints in place of transactions.
    func run(
        _ original: [PipelineRequest], in nesting: NestedTransactions, _ attempt: ([PipelineRequest]) throws -> Void
    ) throws {
        let translation = nesting.translate(original)
        do {
            try attempt(translation.requests)
            nesting.isOpen = translation.isOpen
        } catch {
            // As the server does, the transaction stays open until it is rolled back.
            nesting.isOpen = translation.wasOpen
            if translation.isImplicit, !isLost, PQtransactionStatus(handle) == PQTRANS_INERROR {
                forgetInterruption()
                try? attempt(NestedTransactions.rollback.map { .plain($0) })
            }
            guard var failure = error as? PostgreSQLError else { throw error }
            failure.request = failure.request.flatMap { translation.origins[$0] }
            throw failure
        }
    }

    /// Notes that a statement has begun a transaction.
    func noteNestedBeginning() { nesting?.isOpen = true }
}
#endif
