import MagicalRecord
import MagicalRecordTesting
import Testing

/// Many tasks that watch what others write, also under the Thread Sanitizer.
@Suite("Live values among threads", .testStack(.model(Neighborhood.model()), shape: .server), .timeLimit(.minutes(5)))
struct LiveValuesConcurrencyTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try Neighborhood.fill(stack)
        context = stack.newFollowingContext(named: "watched")
    }

    /// The list and the objects' values are of one moment, whoever changes them meanwhile.
    @Test("No value is made of an object that is no result any more")
    func consistency() async throws {
        let context = context
        let writer = Task {
            for round in 0..<300 {
                try await context.perform {
                    let neighbors = try Neighbor.findAll(sortedBy: \.number, in: context)
                    neighbors[round % 5].isFriend.toggle()
                    if round % 7 == 0, let last = neighbors.last, neighbors.count > 5 { context.delete(last) }
                    if round % 7 == 3 {
                        try Neighbor.create(in: context) { ($0.isFriend, $0.number) = (true, 100 + Int64(round)) }
                    }
                }
            }
            try await context.perform {
                _ = try Neighbor.deleteAll(in: context)
            }
        }
        let states = Neighbor.where(\.isFriend == true).sorted(by: \.number).observe(in: context) { list in
            (count: list.count, areFriends: list.allSatisfy { $0.isFriend && !$0.isDeleted })
        }
        var lists = 0
        for try await state in states {
            lists += 1
            #expect(state.areFriends)
            if state.count == 0 { break }
        }
        #expect(lists > 1)
        try await writer.value
    }

    /// Loops begin, follow and are cancelled while others save; each that goes on arrives at the last state.
    @Test("Loops come and go while others save")
    func manyLoops() async throws {
        let stack = stack, context = context
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                let watched = number % 3 == 0 ? stack.mainContext : context
                group.addTask {
                    let friends = Neighbor.where(\.isFriend == true).sorted(by: \.number).observe(in: watched) { list in
                        list.allSatisfy(\.isFriend) ? list.count : -1
                    }
                    for try await count in friends {
                        #expect(count >= 0)
                        if count == 5 { break }
                    }
                }
                group.addTask {
                    for try await count in Neighbor.where(\.isFriend == true).observeCount(in: watched) where count == 5
                    {
                        break
                    }
                }
                group.addTask {
                    let loop = Task {
                        for try await _ in Neighbor.where(\.isFriend == true).observeSum(of: \.balance, in: watched) {}
                    }
                    try await Task.sleep(nanoseconds: UInt64(number) * 3_000_000)
                    loop.cancel()
                    try await loop.value
                }
            }
            group.addTask {
                for round in 0..<40 {
                    try await stack.save { context in
                        let neighbors = try Neighbor.findAll(sortedBy: \.number, in: context)
                        neighbors[round % 5].isFriend.toggle()
                    }
                }
                try await stack.save { context in
                    for neighbor in try Neighbor.findAll(in: context) { neighbor.isFriend = true }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Loops over one object's property, in the context that is written to; some are cancelled, the others arrive at the last value.
    @Test("Loops over a property come and go while it changes")
    func properties() async throws {
        let context = context
        let last: Int64 = 10_000
        let (id, changes) = try await context.perform {
            let found = try Neighbor.findFirst(where: \.number == 1, in: context)
            let neighbor = try #require(found)
            return (neighbor.objectID, neighbor.changes(of: \.number))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var previous: Int64?
                    for try await value in changes {
                        #expect(value != previous)
                        previous = value
                        if value == last { break }
                    }
                    #expect(previous == last)
                }
                group.addTask {
                    let loop = Task {
                        for try await _ in changes {}
                    }
                    try await Task.sleep(nanoseconds: UInt64(number) * 3_000_000)
                    loop.cancel()
                    try await loop.value
                }
            }
            group.addTask {
                for value in 100..<300 {
                    try await context.perform {
                        (try context.existingObject(with: id) as? Neighbor)?.number = Int64(value)
                    }
                }
                try await context.perform {
                    (try context.existingObject(with: id) as? Neighbor)?.number = last
                }
            }
            try await group.waitForAll()
        }
    }
}
