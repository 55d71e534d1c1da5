import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// What a save comes to in the end is decided in the context on the store: by its merge policy, by hooks that run on its own
/// copies, by the rows of others. Every other context shows that afterwards, and is told of nothing twice.
///
/// MagicalRecord 2.4 merged all saves of its root context into the main one. What is expected in the shapes whose main context has
/// a parent is what a context on the store shows of itself.
@Suite struct DecidedAboveTests {
    static let shapes = SavingTests.shapes
    static let policies: [NSMergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ]

    /// Every way of saving meets every policy, in some of the shapes; in the long form in all of them.
    private static func policies(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) -> [NSMergePolicy] {
        if LongForm.isWanted { return policies }
        let place = shapes.firstIndex { $0.name == shape.name }! + WayOfSaving.allCases.firstIndex(of: way)!
        return policies.indices.filter { ($0 + place) % 2 == 0 }.map { policies[$0] }
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func whatThePolicyDecidedIsShown(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        for policy in Self.policies(shape, way) where policy !== NSMergePolicy.rollback || way.goesThroughMain {
            let memos = try await MemoStack(shape, policy)
            try await memos.change(1, way) { context in
                let memo = try #require(try MemoStack.memo(1, in: context))
                memo.setValue("theirs", forKey: "name")
                memo.setValue("theirs", forKey: "other")
            } _: { memo, _ in
                memo.setValue("mine", forKey: "name")
            }
            try await memos.expectTruth("\(policy.mergeType)")
            // And can be changed.
            try await memos.change(1, way) { memo, _ in memo.setValue("again", forKey: "other") }
            try await memos.expectTruth("again, \(policy.mergeType)")
        }
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func whatHooksComputedIsShown(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        let memos = try await MemoStack(shape)
        for name in ["b", "c"] {
            try await memos.change(1, way) { memo, _ in memo.setValue(name, forKey: "name") }
            try await memos.expectTruth("\(name)")
        }
        try await memos.change(1, way) { _, context in MemoStack.insert(3, "new", in: context) }
        try await memos.expectTruth("new")
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func aSaveIsToldOnce(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        guard way != .importing else { return }
        let memos = try await MemoStack(shape)
        try await memos.change(1, way) { memo, _ in memo.setValue("here", forKey: "other") }
        try await memos.change(2, way) { memo, context in context.delete(memo) }
        try await memos.change(1, way) { _, context in
            NSEntityDescription.insertNewObject(forEntityName: "Memo", into: context).setValue(3, forKey: "memoID")
        }
        try await memos.expectTruth("told")
        #expect(memos.told.values.map(\.count) == [1, 1, 1], "\(memos.told)")
        #expect(Set(memos.told.values.flatMap(\.self)) == [.update, .delete, .insert])
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func whatAUniqueValueDecidedIsShown(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        for policy in Self.policies(shape, way) {
            let memos = try await MemoStack(shape, policy, isUnique: true)
            try await memos.change(1, way) { context in
                MemoStack.insert(3, "theirs", in: context)
            } _: { _, context in
                MemoStack.insert(3, "mine", in: context)
                MemoStack.insert(4, "mine", in: context)
            }
            try await memos.expectTruth("\(policy.mergeType)")
            for number in [3, 4] {
                try await memos.change(number, way) { memo, _ in memo.setValue("again", forKey: "name") }
                try await memos.expectTruth("\(number) again, \(policy.mergeType)")
            }
        }
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func thePolicyDecidesAboutARowDeletedElsewhere(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        for policy in Self.policies(shape, way) {
            let wins = policy === NSMergePolicy.overwrite || policy === NSMergePolicy.mergeByPropertyObjectTrump
            // An import that finds no row makes a new one.
            guard way.goesThroughMain || wins && way != .importing else { continue }
            let memos = try await MemoStack(shape, policy)
            try await memos.change(1, way) { context in
                context.delete(try #require(try MemoStack.memo(1, in: context)))
            } _: { memo, _ in
                memo.setValue("mine", forKey: "name")
            }
            try await memos.expectTruth("\(policy.mergeType)")
            #expect(try memos.stored().count == (wins ? 2 : 1), "\(policy.mergeType)")
            for number in [1, 2] {
                try await memos.change(number, way) { memo, _ in memo.setValue("again", forKey: "name") }
                try await memos.expectTruth("\(number) again, \(policy.mergeType)")
            }
        }
    }

    /// `NSMergePolicy.error` refuses the save, in a shape whose contexts have parents as well.
    @Test(arguments: shapes) func aRowDeletedElsewhereIsAnErrorByDefault(_ shape: MagicalRecord.Shape) async throws {
        let memos = try await MemoStack(shape)
        let error = await #expect(throws: NSError.self) {
            try await memos.change(1, .worker) { context in
                context.delete(try #require(try MemoStack.memo(1, in: context)))
            } _: { memo, _ in
                memo.setValue("mine", forKey: "name")
            }
        }
        #expect(error?.code == NSManagedObjectMergeError)
    }

    @Test(arguments: shapes, WayOfSaving.allCases)
    func aDeletionThatWasTakenBackIsShown(_ shape: MagicalRecord.Shape, _ way: WayOfSaving) async throws {
        guard way.goesThroughMain else { return }
        for policy in Self.policies(shape, way) {
            let memos = try await MemoStack(shape, policy)
            try await memos.change(1, way) { context in
                try MemoStack.memo(1, in: context)?.setValue("theirs", forKey: "name")
            } _: { memo, context in
                context.delete(memo)
            }
            try await memos.expectTruth("\(policy.mergeType)")
        }
    }
}
