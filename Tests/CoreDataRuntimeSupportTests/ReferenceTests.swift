import CoreDataRuntimeSupport
import Dispatch
import Testing

@Suite("Locks and references")
struct ReferenceTests {
    private final class Thing: @unchecked Sendable {
        let counter: Counter?
        init(_ counter: Counter? = nil) { self.counter = counter }
        deinit { counter?.gone() }
    }

    private final class Counter: Sendable {
        private let count = Locked(0)
        func gone() { count.withLock { $0 += 1 } }
        var value: Int { count.withLock { $0 } }
    }

    /// Cells cannot be captured by closures.
    private final class Holder: Sendable {
        let cell = MadeOnce<Thing>()
        let seen = Locked<[ObjectIdentifier]>([])
        let locked = Locked(0)
        let spin = SpinLock()
        nonisolated(unsafe) var spun = 0
    }

    @Test("What is made once is the same object for all who ask")
    func madeOnce() {
        let counter = Counter()
        do {
            let holder = Holder()
            #expect(holder.cell.load() == nil)
            DispatchQueue.concurrentPerform(iterations: 64) { _ in
                let thing = holder.cell.value { Thing(counter) }
                holder.seen.withLock { $0.append(ObjectIdentifier(thing)) }
            }
            let seen = holder.seen.withLock { $0 }
            #expect(seen.count == 64)
            #expect(Set(seen).count == 1)
            let kept = holder.cell.load()
            #expect(holder.cell.storeIfNil(Thing()) === kept)
            #expect(holder.cell.withLoaded { $0 === kept } == true)
        }
        // Those that came second as well.
        #expect(counter.value >= 1)
        let second = Counter()
        do {
            let holder = Holder()
            _ = holder.cell.storeIfNil(Thing(second))
            _ = holder.cell.storeIfNil(Thing(second))
            #expect(second.value == 1)
        }
        #expect(second.value == 2)
    }

    @Test("Locks keep threads apart")
    func locks() {
        let holder = Holder()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1_000 {
                holder.locked.withLock { $0 += 1 }
                holder.spin.lock()
                holder.spun += 1
                holder.spin.unlock()
            }
        }
        #expect(holder.locked.withLock { $0 } == 8_000)
        #expect(holder.spun == 8_000)
    }

    @Test("A handle gives its object until that clears it")
    func handles() {
        final class Owner {
            let handle = WeakHandle<Owner>()
            init() { handle.set(self) }
            deinit { handle.clear() }
        }
        var owner: Owner? = Owner()
        let handle = owner?.handle
        #expect(handle?.object === owner)
        owner = nil
        #expect(handle?.object == nil)
    }
}
