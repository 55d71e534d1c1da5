import CoreDataRowStorage
import Foundation
import Synchronization
import Testing

/// Turns of tasks, which limit how many blocks wait for a server on threads.
@Suite("Turns of tasks")
struct TaskTurnsTests {
    /// A value that several tasks change.
    private final class Shared<Value: Sendable>: Sendable {
        private let value: Mutex<Value>
        init(_ value: Value) { self.value = Mutex(value) }
        var current: Value { value.withLock { $0 } }
        func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
    }

    private struct Inside: Sendable {
        var now = 0
        var peak = 0
    }

    private func waitUntil(_ condition: () -> Bool) async throws {
        for _ in 0..<10_000 where !condition() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(condition())
    }

    @Test("At most as many tasks as there are turns have one; the others follow in order")
    func turnsAreGrantedInOrder() async throws {
        let turns = TaskTurns(count: 2, patience: .seconds(3600))
        let order = Shared<[Int]>([])
        for _ in 0..<2 { #expect(await turns.enter()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    #expect(await turns.enter())
                    order.change { $0.append(number) }
                    turns.leave()
                }
                try await waitUntil { turns.waiting == number + 1 }
            }
            turns.leave()
            try await group.waitForAll()
        }
        #expect(order.current == [0, 1, 2, 3, 4])
        turns.leave()
        // Both turns are free again.
        for _ in 0..<2 { #expect(await turns.enter()) }
    }

    @Test("A cancelled task has no turn, and takes none from others")
    func cancelledTasksHaveNone() async throws {
        let turns = TaskTurns(count: 1, patience: .seconds(3600))
        #expect(await turns.enter())
        let cancelled = (0..<50).map { _ in Task { await turns.enter() } }
        try await waitUntil { turns.waiting == 50 }
        let last = Task { await turns.enter() }
        try await waitUntil { turns.waiting == 51 }
        for task in cancelled { task.cancel() }
        for task in cancelled { #expect(await task.value == false) }
        #expect(turns.waiting == 1)
        turns.leave()
        #expect(await last.value)
        turns.leave()
        // A task that is cancelled before it asks has a turn if one is free.
        let late = Task { () -> Bool in
            while !Task.isCancelled { await Task.yield() }
            return await turns.enter()
        }
        late.cancel()
        #expect(await late.value)
    }

    @Test("Cancellations and turns at the same time lose no turn")
    func noTurnIsLost() async throws {
        let turns = TaskTurns(count: 3, patience: .seconds(3600))
        let inside = Shared(Inside())
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                let task = Task {
                    guard await turns.enter() else { return }
                    inside.change {
                        $0.now += 1
                        $0.peak = max($0.peak, $0.now)
                    }
                    await Task.yield()
                    inside.change { $0.now -= 1 }
                    turns.leave()
                }
                if number % 3 == 0 { group.addTask { task.cancel() } }
                group.addTask { await task.value }
            }
        }
        #expect(inside.current.peak <= 3)
        #expect(turns.waiting == 0)
        for _ in 0..<3 { #expect(await turns.enter()) }
    }

    @Test("A task that has waited for long goes on without a turn")
    func longWaitsEnd() async throws {
        let turns = TaskTurns(count: 1, patience: .milliseconds(20))
        #expect(await turns.enter())
        let waits = (0..<3).map { _ in Task { await turns.enter() } }
        for task in waits { #expect(await task.value == false) }
        turns.leave()
        #expect(await turns.enter())
    }
}
