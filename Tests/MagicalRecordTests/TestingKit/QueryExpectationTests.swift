#if !canImport(ObjectiveC)
import MagicalRecord
import MagicalRecordTesting
import Testing

/// Tests that allow so many queries, or no waste.
@Suite(.addressBook(.server)) struct QueryExpectationTests {
    /// Twenty users with a message each, in the store and in no context.
    init() async throws {
        try await MagicalRecord.save { context in
            for number in 0..<20 as Range<Int64> {
                let user = try User.create(in: context)
                user.userID = number
                try Message.create(in: context).sender = user
            }
        }
    }

    private func readObjectByObject() async throws {
        try await MagicalRecord.read { context in
            for user in try User.findAll(in: context) { _ = user.messages.count }
        }
    }

    private func readAtOnce() async throws -> [Int] {
        try await MagicalRecord.read { context in
            try User.all.prefetching(.relationship(\.messages)).findAll(in: context).map(\.messages.count)
        }
    }

    // MARK: Numbers of queries

    @Test func theRightNumberPassesAndTheResultComesBack() async throws {
        let counts = try await expect(queries: 2) { try await readAtOnce() }
        #expect(counts == Array(repeating: 1, count: 20))
    }

    @Test func theRightNumberPassesWithoutWaiting() throws {
        let context = try MagicalRecord.requireStack().newContext()
        let count = try expect(queries: 1) { try context.performAndWait { try User.count(in: context) } }
        #expect(count == 20)
    }

    @Test func whatSavesWriteIsNoQuery() async throws {
        try await expect(queries: 0) {
            try await MagicalRecord.save { context in try User.create(in: context).userID = 99 }
        }
    }

    @Test func aWrongNumberIsAnIssueWithBothNumbersAndTheRecording() async throws {
        let line = #line + 2
        try await withKnownIssue {
            _ = try await expect(queries: 1) { try await readAtOnce() }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("Expected 1 query, and there were 2.") && text.contains("prefetch")
                && issue.sourceLocation?.line == line
        }
    }

    @Test func aWrongNumberIsAnIssueWithoutWaiting() throws {
        let context = try MagicalRecord.requireStack().newContext()
        try withKnownIssue {
            _ = try expect(queries: 0) { try context.performAndWait { try User.count(in: context) } }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("Expected 0 queries, and there were 1.") }
        }
    }

    @Test func errorsOfTheBodyComeThrough() async throws {
        await #expect(throws: Failure.self) { try await expect(queries: 7) { try await Self.fail() } }
        #expect(throws: Failure.self) { try expect(queries: 7) { () throws -> Int in throw Failure() } }
    }

    private struct Failure: Error {}

    private static func fail() async throws -> Int {
        await Task.yield()
        throw Failure()
    }

    // MARK: No waste

    @Test(.noFindings) func aTestWithoutWastePasses() async throws { _ = try await readAtOnce() }

    @Test func wasteIsAnIssueOfTheTestAtItsPlace() async throws {
        let test = try #require(Test.current)
        try await withKnownIssue {
            try await FindingsTrait.noFindings.provideScope(for: test, testCase: .current) {
                try await readObjectByObject()
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("User.messages was read object by object: 20 times") }
                // The accessor is code of the tests; builds that know no places show the test itself.
                && ["AddressBook+Accessors.swift", "QueryExpectationTests.swift"]
                    .contains(issue.sourceLocation?.fileName)
        }
    }

    @Test func settingsSayWhatIsWaste() async throws {
        let test = try #require(Test.current)
        var settings = Instruments.AlarmSettings()
        settings.repetitions = 21
        try await FindingsTrait.noFindings(settings).provideScope(for: test, testCase: .current) {
            try await readObjectByObject()
        }
    }

    @Test func errorsOfATestComeThroughTheTrait() async throws {
        let test = try #require(Test.current)
        await #expect(throws: Failure.self) {
            try await FindingsTrait.noFindings.provideScope(for: test, testCase: .current) { throw Failure() }
        }
    }
}
#endif
