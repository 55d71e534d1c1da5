import Foundation
import Synchronization

/// A state of one store, which stays readable for as long as the object lives.
package protocol PinnedState: AnyObject, Sendable {
    /// What of the engine looks for it when it reads.
    var owner: ObjectIdentifier { get }
}

/// One state of a coordinator's stores, which stays readable while others write.
package final class QueryGeneration: @unchecked Sendable {
    private static let lastNumber = Atomic<Int>(0)

    /// Greater than those of all generations made before in this process.
    package let number: Int
    private let states: [ObjectIdentifier: any PinnedState]
    /// The stores it covers; those added later are read as they are.
    package let storeIdentifiers: [String]

    package init(_ states: [any PinnedState], storeIdentifiers: [String]) {
        number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
        self.states = Dictionary(states.map { ($0.owner, $0) }) { first, _ in first }
        self.storeIdentifiers = storeIdentifiers
        GenerationScope.noteUse()
    }

    package func state(of owner: AnyObject) -> (any PinnedState)? { states[ObjectIdentifier(owner)] }
}

/// Which generation the current thread reads.
@usableFromInline
package enum GenerationScope {
    @usableFromInline static let used = Atomic<Bool>(false)

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// False as long as nothing in this process is pinned: reading then costs nothing more.
    @inlinable @inline(__always)
    package static var isUsed: Bool { used.load(ordering: .relaxed) }

    package static func noteUse() { used.store(true, ordering: .relaxed) }

    package static var current: QueryGeneration? {
        pthread_getspecific(key).map { Unmanaged<QueryGeneration>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Runs `body` so that this thread reads the generation.
    package static func with<Result>(_ generation: QueryGeneration, _ body: () throws -> Result) rethrows -> Result {
        let outer = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(generation).toOpaque())
        defer { pthread_setspecific(key, outer) }
        return try withExtendedLifetime(generation) { try body() }
    }
}
