import MagicalRecord
import MagicalRecordTesting
import Testing

/// Stacks for tests: each has its own, whatever runs beside it.
@Suite struct TestStackTests {
    @Test func itsStackIsTheDefaultOne() async throws {
        try await withTestStack(.model(AddressBook.model())) { stack in
            #expect(MagicalRecord.defaultStack === stack)
            try await MagicalRecord.save { context in try User.create(in: context).userID = 7 }
            #expect(try await stack.read { context in try User.count(in: context) } == 1)
        }
    }

    @Test func stacksSideBySideSeeOnlyTheirs() async throws {
        try await withThrowingTaskGroup(of: [Int64].self) { group in
            for number in 1...12 as ClosedRange<Int64> {
                group.addTask {
                    try await withTestStack(.model(AddressBook.model()), shape: .server) { _ in
                        for _ in 0..<5 {
                            try await MagicalRecord.save { context in try User.create(in: context).userID = number }
                        }
                        // Tasks made inside go on with it.
                        return try await Task {
                            try await MagicalRecord.read { context in try User.findAll(in: context).map(\.userID) }
                        }.value
                    }
                }
            }
            var all: [Int64] = []
            for try await ids in group {
                #expect(ids.count == 5 && Set(ids).count == 1)
                all += ids
            }
            let fiveOfEach: [Int64] = (0..<60).map { Int64($0 / 5 + 1) }
            #expect(all.sorted() == fiveOfEach)
        }
    }

    @Test func nothingIsLeft() async throws {
        let (stack, url) = try await withTestStack(.model(AddressBook.model())) { stack in
            let url = try #require(stack.stores.first?.url)
            #expect(FileManager.default.fileExists(atPath: url.path))
            return (stack, url)
        }
        #expect(stack.isTornDown)
        #expect(!FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path))
    }

    @Test func errorsOfTheBodyComeThroughAndNothingIsLeft() async throws {
        struct Failure: Error {}
        var kept: MagicalRecord.Stack?
        var url: URL?
        await #expect(throws: Failure.self) {
            try await withTestStack(.model(AddressBook.model())) { stack in
                kept = stack
                url = stack.stores.first?.url
                throw Failure()
            }
        }
        let stack = try #require(kept)
        let folder = try #require(url).deletingLastPathComponent()
        #expect(stack.isTornDown)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func modelsThatAreMissingAreErrors() async {
        await #expect { try await withTestStack(.named("Nowhere")) { _ in } } throws: {
            MagicalRecordError.Code.modelNotFound ~= $0
        }
    }

    @MainActor @Test func bodiesStayOnTheirActor() async throws {
        try await withTestStack(.model(AddressBook.model())) { stack in
            // On the main actor, so functions without a context mean the main one.
            try User.create { $0.userID = 7 }
            try stack.mainContext.save()
            #expect(try User.count() == 1)
        }
    }

    /// SQLite's own rules hold, which stores in memory do not have.
    @Test func uniquenessIsKept() async throws {
        let model = AddressBook.model()
        model.entitiesByName["User"]?.uniquenessConstraints = [["userID"]]
        try await withTestStack(.model(model), shape: .server) { stack in
            try await stack.save { context in try User.create(in: context).userID = 7 }
            await #expect { try await stack.save { context in try User.create(in: context).userID = 7 } } throws: {
                ($0 as NSError).code == NSManagedObjectConstraintMergeError
            }
            expect(store: stack, contains: [[7]], by: "SELECT ZUSERID FROM ZUSER")
        }
    }
}

/// The trait: a stack for each test, and for each case.
@Suite(.testStack(.model(AddressBook.model()), shape: .server)) struct TestStackTraitTests {
    init() throws {
        // Within the scope of the test.
        try MagicalRecord.requireStack().saveAndWait { context in try User.create(in: context).userID = 1 }
    }

    @Test(arguments: 1...6) func everyCaseBeginsWithWhatInitMade(number: Int64) async throws {
        try await MagicalRecord.save { context in try User.create(in: context).userID = 10 + number }
        #expect(
            try await MagicalRecord.read { context in try User.findAll(in: context).map(\.userID).sorted() } == [
                1, 10 + number,
            ])
    }

    @Test func countsOnlyItsOwn() async throws {
        try await MagicalRecord.save { context in try User.create(in: context) }
        expect(contains: 2, by: "SELECT count(*) FROM ZUSER")
    }
}
