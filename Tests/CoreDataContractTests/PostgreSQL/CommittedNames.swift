#if PostgreSQL
import Foundation

/// The names of transactions that were committed, from many threads.
final class CommittedNames: @unchecked Sendable {
    private let lock = NSLock()
    private var added: [String] = []
    private var failed: [any Error] = []
    private var ended = 0

    var names: [String] { lock.withLock { added } }
    var failures: [any Error] { lock.withLock { failed } }
    var finished: Int { lock.withLock { ended } }
    func add(_ name: String) { lock.withLock { added.append(name) } }
    func fail(_ error: any Error) { lock.withLock { failed.append(error) } }
    func finish() { lock.withLock { ended += 1 } }
}
#endif
