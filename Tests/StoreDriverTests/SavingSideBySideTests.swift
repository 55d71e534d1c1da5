import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecord
import Testing
import ToyStore

/// Saves of one stack whose store has several writers, or one.
@Suite("Saves side by side")
struct SavingSideBySideTests {
    private func stack(at url: URL, _ shape: MagicalRecord.Shape) throws -> MagicalRecord.Stack {
        try MagicalRecord.Stack([.at(url)], shape: shape, model: .model(Versions.first()))
    }

    private static func create(_ title: String, in context: NSManagedObjectContext) {
        NSEntityDescription.insertNewObject(forEntityName: "Company", into: context).setValue(title, forKey: "title")
    }

    private func companies(_ stack: MagicalRecord.Stack) async throws -> Int {
        try await stack.read { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Company")) }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [MagicalRecord.Shape.siblings, .server])
    func bodiesRunAtTheSameTime(_ shape: MagicalRecord.Shape) async throws {
        let stack = try stack(at: ToyStores.url(), shape)
        let meeting = Meeting()
        async let first = stack.save { context in
            Self.create("A", in: context)
            return meeting.meet(within: 300)
        }
        async let second = stack.save { context in
            Self.create("B", in: context)
            return meeting.meet(within: 300)
        }
        #expect(try await [first, second] == [true, true])
        #expect(try await companies(stack) == 2)
        try await stack.tearDown()
    }

    /// Saves through one parent would overwrite each other's values: it compares nothing with what was read.
    @Test(arguments: [MagicalRecord.Shape.rootSaving, .parentChild])
    func savesThroughAParentTakeTurns(_ shape: MagicalRecord.Shape) async throws {
        #expect(try await titleAfterIncrements(40, shape) == "40")
    }

    /// Returns the title of a company, a number, after saves at the same time that each added 1 to it.
    private func titleAfterIncrements(
        _ count: Int, _ shape: MagicalRecord.Shape, onConflict handling: MagicalRecord.ConflictHandling? = nil
    ) async throws -> String? {
        let stack = try stack(at: ToyStores.url(), shape)
        try await stack.save { Self.create("0", in: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await stack.save(onConflict: handling) { context in
                        let company = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))[0]
                        let number = Int(company.value(forKey: "title") as? String ?? "") ?? -1
                        company.setValue("\(number + 1)", forKey: "title")
                    }
                }
            }
            try await group.waitForAll()
        }
        let title = try await stack.read { context in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))[0].value(forKey: "title")
                as? String
        }
        try await stack.tearDown()
        return title
    }

    @Test func whereThereIsOneWriterTheyTakeTurns() async throws {
        let stack = try stack(at: URL(fileURLWithPath: "/dev/null"), .siblings)
        let meeting = Meeting()
        async let first = stack.save { _ in meeting.meet(within: 0.3) }
        async let second = stack.save { _ in meeting.meet(within: 0.3) }
        // The first one waits in vain; the second one finds that it was there.
        #expect(try await Set([first, second]) == [false, true])
        try await stack.tearDown()
    }

    @Test(.timeLimit(.minutes(10)), arguments: [MagicalRecord.Shape.rootSaving, .siblings])
    func nothingIsLostAmongManySaves(_ shape: MagicalRecord.Shape) async throws {
        #expect(try await titleAfterIncrements(40, shape, onConflict: .retry(times: 200)) == "40")
    }

    @Test func anExclusiveWriteKeepsOthersFromWriting() async throws {
        let url = ToyStores.url()
        let stack = try stack(at: url, .rootSaving)
        try await stack.save { Self.create("0", in: $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await stack.save(isolation: .exclusive) { context in
                        let company = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Company"))[0]
                        let number = Int(company.value(forKey: "title") as? String ?? "") ?? -1
                        company.setValue("\(number + 1)", forKey: "title")
                    }
                }
            }
            try await group.waitForAll()
        }
        let container = try ToyStores.container(Versions.first(), at: url)
        #expect(try ToyStores.titles(container) == ["20"])
        try await stack.tearDown()
    }
}
