import MagicalRecord
import Testing

/// Conditions on values that may be missing mean what Swift's operators mean with optionals: in every kind of store, for
/// saved and for unsaved objects. Each is compared with the Swift expression that says the same.
@Suite struct MissingValueTests {
    struct Case: CustomTestStringConvertible, @unchecked Sendable {
        let condition: MagicalRecord.Condition<User>
        let expected: (User) -> Bool

        init(_ condition: MagicalRecord.Condition<User>, _ expected: @escaping (User) -> Bool) {
            self.condition = condition
            self.expected = expected
        }

        var testDescription: String { condition.description }
    }

    private static func less(_ left: Date?, _ right: Date) -> Bool { left.map { $0 < right } ?? false }

    private static let noon = Date(timeIntervalSince1970: 43_200)

    static let values: [Case] = [
        Case(\.displayName == "Ann") { $0.displayName == "Ann" },
        Case(\.displayName == nil) { $0.displayName == nil },
        Case(\.displayName != nil) { $0.displayName != nil },
        Case(\.displayName != "Ann") { $0.displayName != "Ann" },
        Case(\.displayName == \.email) { $0.displayName == $0.email },
        Case(\.displayName != \.email) { $0.displayName != $0.email },
        Case(\.lastUpdate < noon) { less($0.lastUpdate, noon) },
        Case(\.lastUpdate <= noon) { less($0.lastUpdate, noon) || $0.lastUpdate == noon },
        Case(\.lastUpdate > noon) { $0.lastUpdate != nil && !less($0.lastUpdate, noon) && $0.lastUpdate != noon },
        Case(\.lastUpdate >= noon) { $0.lastUpdate != nil && !less($0.lastUpdate, noon) },
        Case(\.lastUpdate < nil) { _ in false },
        Case(\.lastUpdate >= nil) { _ in false },
        Case(MagicalRecord.Condition { $0.displayName.in(["Ann", nil]) }) { ["Ann", nil].contains($0.displayName) },
        Case(MagicalRecord.Condition { $0.displayName.in([nil]) }) { $0.displayName == nil },
        Case(MagicalRecord.Condition { $0.displayName.in(["Ann", "Bob"]) }) {
            ["Ann", "Bob"].contains($0.displayName)
        },
        Case(MagicalRecord.Condition { $0.displayName.in([String]()) }) { _ in false },
        Case(MagicalRecord.Condition { $0.lastUpdate.between(Date(timeIntervalSince1970: 0)...noon) }) {
            less($0.lastUpdate, noon) || $0.lastUpdate == noon
        },
        Case(MagicalRecord.Condition { $0.displayName.contains("n") }) { $0.displayName?.contains("n") ?? false },
        Case(MagicalRecord.Condition { $0.displayName.beginsWith("A") }) { $0.displayName?.hasPrefix("A") ?? false },
        Case(MagicalRecord.Condition { $0.displayName.endsWith("n", .caseInsensitive) }) {
            $0.displayName?.lowercased().hasSuffix("n") ?? false
        },
        Case(MagicalRecord.Condition { $0.displayName.like("A*") }) { $0.displayName?.hasPrefix("A") ?? false },
        Case(MagicalRecord.Condition { $0.displayName.equals("ann", .caseInsensitive) }) {
            $0.displayName?.lowercased() == "ann"
        },
        Case(MagicalRecord.Condition { $0.displayName.length == 0 }) { $0.displayName?.count == 0 },
        Case(MagicalRecord.Condition { $0.displayName.length != 3 }) { $0.displayName?.count != 3 },
        Case(MagicalRecord.Condition { $0.displayName.length < 3 }) { $0.displayName.map { $0.count < 3 } ?? false },
        Case(MagicalRecord.Condition { $0.displayName.lowercased != "ann" }) { $0.displayName?.lowercased() != "ann" },
        Case(MagicalRecord.Condition { $0.displayName.uppercased == "ANN" }) { $0.displayName?.uppercased() == "ANN" },
        Case(\.userID != 1) { $0.userID != 1 },
        Case(\.isFriend != true) { $0.isFriend != true },
    ]

    static let relationships: [Case] = [
        Case(\.team == nil) { $0.team == nil },
        Case(\.team?.name == "Red") { $0.team?.name == "Red" },
        Case(\.team?.name != "Red") { $0.team?.name != "Red" },
        Case(\.team?.teamID != 1) { $0.team?.teamID != 1 },
        Case(\.team?.teamID < 2) { $0.team.map { $0.teamID < 2 } ?? false },
        Case(MagicalRecord.Condition { $0.team.name.in(["Red", nil]) }) { ["Red", nil].contains($0.team?.name) },
        Case(MagicalRecord.Condition { $0.messages.any(\.text != "a") }) { $0.messages.contains { $0.text != "a" } },
        Case(MagicalRecord.Condition { $0.messages.any(\.text == nil) }) { $0.messages.contains { $0.text == nil } },
        Case(MagicalRecord.Condition { $0.messages.any(\.text == "a") }) { $0.messages.contains { $0.text == "a" } },
        Case(MagicalRecord.Condition { $0.messages.all(\.text != "a") }) { $0.messages.allSatisfy { $0.text != "a" } },
        Case(MagicalRecord.Condition { $0.messages.all(\.text == "a") }) { $0.messages.allSatisfy { $0.text == "a" } },
        Case(MagicalRecord.Condition { $0.messages.all { $0.text.contains("a") } }) {
            $0.messages.allSatisfy { $0.text?.contains("a") ?? false }
        },
        Case(MagicalRecord.Condition { $0.messages.none(\.text != "a") }) { !$0.messages.contains { $0.text != "a" } },
        Case(MagicalRecord.Condition { $0.messages.none(\.text == nil) }) { !$0.messages.contains { $0.text == nil } },
        Case(MagicalRecord.Condition { $0.messages.any(!(\.text == "a" || \.length > 5)) }) {
            $0.messages.contains { !($0.text == "a" || $0.length > 5) }
        },
        Case(MagicalRecord.Condition { $0.messages.count(where: \.text != "a") == 1 }) {
            $0.messages.count { $0.text != "a" } == 1
        },
        Case(MagicalRecord.Condition { $0.messages.sum(of: \.length) == 0 }) {
            $0.messages.reduce(0) { $0 + $1.length } == 0
        },
        Case(MagicalRecord.Condition { $0.messages.maximum(of: \.length) > 5 }) {
            ($0.messages.map(\.length).max()).map { $0 > 5 } ?? false
        },
        Case(MagicalRecord.Condition { $0.messages.maximum(of: \.length) != 9 }) {
            $0.messages.map(\.length).max() != 9
        },
        Case(MagicalRecord.Condition { $0.messages.isEmpty }) { $0.messages.isEmpty },
    ]

    static let joined: [Case] = [
        Case(\.displayName != "Ann" && \.team?.name != "Red") { $0.displayName != "Ann" && $0.team?.name != "Red" },
        Case(\.displayName == "Ann" || \.email != "ann") { $0.displayName == "Ann" || $0.email != "ann" },
        Case(!(\.displayName == "Ann" && \.email == nil)) { !($0.displayName == "Ann" && $0.email == nil) },
        Case(!(\.displayName != "Ann" || !(\.team?.name == "Red"))) {
            !($0.displayName != "Ann" || !($0.team?.name == "Red"))
        },
    ]

    /// Every case, and its opposite.
    static let all: [Case] = (values + relationships + joined).flatMap { one in
        [one, Case(!one.condition) { !one.expected($0) }, Case(!(!one.condition), one.expected)]
    }

    enum Setting: CaseIterable { case saved, unsaved, changed }

    private func fill(_ context: NSManagedObjectContext) throws {
        let red = try Team.create(in: context) {
            $0.teamID = 1
            $0.name = "Red"
        }
        let blue = try Team.create(in: context) {
            $0.teamID = 2
            $0.name = "Blue"
        }
        let times: [Date?] = [nil, Self.noon, Self.noon - 60, Self.noon + 60]
        var number: Int64 = 0
        for name in [nil, "", "Ann", "Bob"] as [String?] {
            for team in [nil, red, blue] {
                number += 1
                let user = try User.create(in: context)
                user.userID = number
                user.isFriend = number.isMultiple(of: 2)
                user.displayName = name
                user.email = [nil, "Ann", ""][Int(number % 3)]
                user.lastUpdate = times[Int(number % 4)]
                user.team = team
                for index in 0..<number % 4 {
                    let message = try Message.create(in: context)
                    message.text = [nil, "a", "b"][Int((number + index) % 3)]
                    message.length = Int32(index == 2 ? 9 : index)
                    message.sender = user
                }
            }
        }
    }

    @Test(arguments: ["SQLite", "memory", "binary"], Setting.allCases)
    func conditionsMeanWhatSwiftMeans(_ kind: String, _ setting: Setting) throws {
        let store: MagicalRecord.Store =
            switch kind {
            case "SQLite": .sqlite(at: ScratchFiles.new("Missing.sqlite"))
            case "memory": .inMemory
            default: .binary(at: ScratchFiles.new("Missing.binary"))
            }
        let stack = try AddressBook.stack(store, shape: .server)
        let context = stack.newContext()
        try context.runAndWait {
            try fill(context)
            switch setting {
            case .unsaved: break
            case .saved: try context.save()
            case .changed:
                try context.save()
                // The values of each move to the next, so that what is stored differs from what is pending.
                let users = try User.findAll(sortedBy: \.userID, in: context)
                let values = users.map { ($0.displayName, $0.email, $0.lastUpdate, $0.team) }
                for (index, user) in users.enumerated() where index.isMultiple(of: 2) {
                    (user.displayName, user.email, user.lastUpdate, user.team) = values[(index + 1) % users.count]
                }
            }
            let users = try User.findAll(in: context)
            for one in Self.all {
                let expected = Set(users.filter(one.expected).map(\.userID))
                do {
                    let found = Set(try User.findAll(where: one.condition, in: context).map(\.userID))
                    #expect(found == expected, "\(one.condition)")
                } catch {
                    Issue.record("\(one.condition): \(error)")
                }
            }
        }
    }

    /// A number whose attribute has no value in the store differs from every number, as in memory.
    @Test(arguments: [true, false]) func numbersWithoutAValue(_ isInMemory: Bool) throws {
        let stack = try AddressBook.stack(isInMemory ? .inMemory : nil)
        let context = stack.newContext()
        try context.runAndWait {
            try User.create(in: context).setValue(nil, forKey: "userID")
            for _ in 0..<2 {
                #expect(try User.count(where: \.userID != 7, in: context) == 1)
                #expect(try User.count(where: !(\.userID == 7), in: context) == 1)
                #expect(try User.count(where: \.userID == 7, in: context) == 0)
                #expect(try User.count(where: \.userID < 7, in: context) == 0)
                #expect(try User.count(where: !(\.userID < 7), in: context) == 1)
                try context.save(to: .store)
            }
        }
    }

    @Test func equalityStaysOneComparison() {
        // An index on the attribute serves it.
        #expect((\User.displayName == "Ann").description == "displayName == \"Ann\"")
        #expect((!(\User.displayName != "Ann")).description == "displayName == \"Ann\"")
        #expect((\User.displayName != "Ann").description == "displayName != \"Ann\" OR displayName == nil")
    }
}
