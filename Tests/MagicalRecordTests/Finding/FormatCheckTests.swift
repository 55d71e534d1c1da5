import MagicalRecord
import MagicalRecordTesting
import Testing

/// Formats that compare a property with a value it can never have are errors, and not questions without an answer.
@Suite(.testStack(.model(AddressBook.model()), shape: .server)) struct FormatCheckTests {
    private static func entity() throws -> NSEntityDescription {
        try #require(MagicalRecord.requireStack().model.entitiesByName["User"])
    }

    @Test(arguments: [
        ("userID == 'seven'", "userID is an integer, and never compares with \"seven\"."),
        ("'seven' != userID", "userID is an integer, and never compares with \"seven\"."),
        ("balance < 'low'", "balance is a number, and never compares with \"low\"."),
        ("isFriend == 'yes'", "isFriend is a Boolean value, and never compares with \"yes\"."),
        ("userID IN {1, 'two', 3}", "userID is an integer, and never compares with \"two\"."),
        ("userID BETWEEN {1, 'nine'}", "userID is an integer, and never compares with \"nine\"."),
        ("isFriend == 1 AND NOT (lastUpdate == 'today')", "lastUpdate is a date, and never compares with \"today\"."),
        ("team == 'Red'", "team is an object of Team, and never compares with \"Red\"."),
        ("SELF == 'Ann'", "SELF is an object of User, and never compares with \"Ann\"."),
        ("team.teamID == 'one'", "team.teamID is an integer, and never compares with \"one\"."),
        ("ANY messages.length > 'long'", "messages.length is an integer, and never compares with \"long\"."),
        ("displayName.length == 'long'", "displayName.length is a length, and never compares with \"long\"."),
        ("messages.@count > 'many'", "messages.@count is a number, and never compares with \"many\"."),
    ])
    func whatCanNeverBeEqualIsAnError(format: String, message: String) throws {
        let entity = try Self.entity()
        let parsing = #expect(throws: MagicalRecordError.self) { try NSPredicate.parse(format, for: entity) }
        #expect(parsing?.code == .unconvertibleValue && parsing?.message == message && parsing?.entity == "User")
        let finding = #expect(throws: MagicalRecordError.self) { try User.findAll(where: format) }
        #expect(finding?.message == message)
    }

    @Test(arguments: [
        "userID == 7", "userID == '7'", "userID == 7.5", "balance == ' 2.5 '", "userID == nil", "isFriend == TRUE",
        "displayName == 7", "displayName LIKE[c] 'a*'", "userID IN {}", "lastUpdate > 0", "team == nil",
        "team.name == 'Red'", "messages.@count > 3", "ANY messages.length > 3", "userID == countryCode",
        "SUBQUERY(messages, $m, $m.text == 'x').@count > 0", "displayName.length > 3",
    ])
    func whatMayBeEqualIsAsked(format: String) throws {
        let entity = try Self.entity()
        #expect(throws: Never.self) { try NSPredicate.parse(format, for: entity) }
        #expect(try User.findAll(where: format).isEmpty)
    }

    @Test func argumentsAreChecked() throws {
        let entity = try Self.entity()
        #expect(throws: MagicalRecordError.self) { try NSPredicate.parse("%K == %@", "userID", "seven", for: entity) }
        #expect(throws: MagicalRecordError.self) { try User.count(where: "userID IN %@", ["a", "b"] as NSArray) }
        #expect(throws: MagicalRecordError.self) { try User.findFirst(where: "userID == %@", NSUUID()) }
        let parsed = try NSPredicate.parse("userID IN %@", [1, 2] as NSArray, for: entity)
        #expect(parsed.description == "userID IN {1, 2}")
        #expect { try NSPredicate.parse("userID ==", for: entity) } throws: {
            MagicalRecordError.Code.malformedFormat ~= $0
        }
    }

    /// Wherever a format is taken: among other conditions, in sums, values and batch changes.
    @Test func everyFunctionChecks() throws {
        let format = "userID == 'seven'"
        let condition: MagicalRecord.Condition<User> = .format(format)
        let checks: [() throws -> Void] = [
            { _ = try User.findAll(where: condition && \.isFriend == true) },
            { _ = try User.findAll(where: !condition) },
            { _ = try User.where(format).findFirst() },
            { _ = try User.exists(where: format) },
            { _ = try User.where(condition).sum(of: \.balance) },
            { _ = try User.where(condition).values(of: \.userID) },
            { _ = try User.where(condition).batchUpdate(.set(\.isFriend, to: true)) },
            { _ = try User.where(condition).batchDelete() },
        ]
        for check in checks { #expect { try check() } throws: { MagicalRecordError.Code.unconvertibleValue ~= $0 } }
    }

    /// A predicate made by Core Data's own functions has Core Data's answers: none.
    @Test func readyMadePredicatesAreLeftAlone() throws {
        #expect(try User.findAll(where: NSPredicate(format: "userID == 'seven'")).isEmpty)
    }
}
