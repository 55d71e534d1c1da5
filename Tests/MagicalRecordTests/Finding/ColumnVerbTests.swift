import Foundation
import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Every function that takes a condition takes a closure over columns as well, beside its other overloads, and errors say what
/// is wrong where. The users are those of ``AddressBook``.
@Suite(.addressBook(.server)) struct ColumnVerbTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        try AddressBook.fill(stack)
        context = stack.newContext()
    }

    /// A key path comparison, a condition, a closure, a format and a predicate are told apart without a type.
    @Test func overloadsStandSideBySide() throws {
        try context.runAndWait {
            let ready = NSPredicate(format: "userID == 2")
            let condition: MagicalRecord.Condition<User> = \.userID == 2
            let found: [User?] = [
                try User.findFirst(where: \.userID == 2, in: context),
                try User.findFirst(where: condition, in: context),
                try User.findFirst(where: { $0.userID == 2 }, in: context),
                try User.findFirst(where: "userID == 2", in: context),
                try User.findFirst(where: "userID == %d", 2, in: context),
                try User.findFirst(where: ready, in: context),
                try User.where { $0.userID == 2 }.findFirst(in: context),
                try User.where(\.userID == 2).findFirst(in: context), try User.where(condition).findFirst(in: context),
                try User.where("userID == %d", 2).findFirst(in: context), try User.where(ready).findFirst(in: context),
                try User.all.where { $0.userID == 2 }.findFirst(in: context),
                try User.all.where(\.userID == 2).findFirst(in: context),
            ]
            #expect(found.map { $0?.displayName } == Array(repeating: "Bob", count: found.count))
            #expect(try User.findAll(where: nil, in: context).count == 5)
            #expect(try User.findAll(in: context).count == 5)
            #expect(try User.count(in: context) == 5)
            if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) {
                #expect(
                    try User.findFirst(where: .matching(#Predicate { $0.userID == 2 }), in: context)?.displayName
                        == "Bob")
                #expect(
                    try User.where(.matching(#Predicate { $0.userID == 2 })).findFirst(in: context)?.displayName
                        == "Bob")
            }
        }
    }

    @Test func finders() throws {
        try context.runAndWait {
            let names = try User.findAll(
                where: { $0.isFriend && $0.userID > 1 }, sortedBy: \.displayName, .descending, limit: 5, in: context
            ).map(\.displayName)
            #expect(names == ["Dora", "Cid"])
            #expect(try User.count(where: { $0.isFriend }, in: context) == 3)
            #expect(try User.exists(where: { $0.displayName == "Ann" }, in: context))
            #expect(try !User.exists(where: { $0.displayName == "Zoe" }, in: context))
            let controller = try User.where { !$0.isFriend }.fetchedResults(in: context)
            #expect(controller.fetchedObjects?.count == 2)
            let sections = try User.where { $0.isFriend }.fetchedResults(sectionedBy: \.countryCode, in: context)
            #expect(sections.sections?.count == 2)
        }
    }

    @Test func aggregates() throws {
        try context.runAndWait {
            #expect(try User.where { $0.isFriend }.sum(of: \.balance, in: context) == 80)
            let groups = try User.where { $0.userID <= 3 }.sum(of: \.balance, by: \.countryCode, in: context)
            #expect(groups.map(\.key) == [49, 84] && groups.map(\.value) == [30, 30])
            let names = try User.where { $0.balance > 20 }.sorted(by: \.userID).values(of: \.displayName, in: context)
            #expect(names == ["Cid", "Dora", "Émile"])
        }
    }

    @Test func changes() throws {
        try context.runAndWait {
            let changed = try User.where { $0.userID < 3 }.batchUpdate(.set(\.balance, to: 7), in: context)
            #expect(changed == 2)
            #expect(try User.count(where: { $0.balance == 7 }, in: context) == 2)
            #expect(try Message.where { $0.sender.userID == 5 }.batchDelete(in: context) == 5)
            #expect(try User.deleteAll(where: { !$0.isFriend }, in: context) == 2)
            #expect(try User.count(in: context) == 3)
        }
    }

    @Test func liveResults() async throws {
        for try await count in User.where({ $0.isFriend }).observe(in: context, { $0.count }) {
            #expect(count == 3)
            break
        }
        for try await names in User.where({ !$0.isFriend }).sorted(by: \.userID, .descending).observe(
            in: context,
            {
                $0.compactMap(\.displayName)
            })
        {
            #expect(names == ["Émile", "Bob"])
            break
        }
        for try await count in User.where({ $0.isFriend }).observeCount(in: context) {
            #expect(count == 3)
            break
        }
        for try await sum in User.where({ $0.userID < 3 }).observeSum(of: \.balance, in: context) {
            #expect(sum == 30)
            break
        }
        try await objectLists()
    }

    @MainActor private func objectLists() async throws {
        for try await users in User.where({ $0.isFriend }).observeObjects(in: stack.newMainQueueContext()) {
            #expect(users.count == 3)
            break
        }
    }

    /// A property that is not modelled is an error that names the class, here and behind relationships.
    @Test func unmodelledProperties() throws {
        let conditions = [
            MagicalRecord.Condition<User> { $0.kind == "user" },
            MagicalRecord.Condition { $0.isFriend && $0.isStranger },
            MagicalRecord.Condition { $0.longMessages.count > 1 },
            MagicalRecord.Condition { $0.displayName == $0.shortName },
            MagicalRecord.Condition { $0.name.length > 3 },
        ]
        for condition in conditions {
            let error = #expect(throws: MagicalRecordError.self, "\(condition)") {
                try User.findAll(where: condition, in: context)
            }
            #expect(error?.code == .unnamedKeyPath)
            #expect(error?.entity == "User")
        }
        let behind = #expect(throws: MagicalRecordError.self) {
            try Message.findAll(where: { $0.sender.kind == "user" }, in: context)
        }
        #expect(behind?.code == .unnamedKeyPath)
        #expect(behind?.entity == "User")
    }
}
