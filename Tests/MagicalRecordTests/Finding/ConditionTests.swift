import MagicalRecord
import Testing

/// Each condition must print as the format string it stands for; the expectations follow the predicate language's
/// own way of printing.
@Suite struct ConditionTests {
    @Test func comparisons() {
        expect(\.userID == 7, "userID == 7")
        expect(\.userID != 7, "userID != 7 OR userID == nil")
        expect(\.userID < 7, "userID < 7")
        expect(\.userID <= 7, "userID <= 7")
        expect(\.userID > 7, "userID > 7")
        expect(\.userID >= 7, "userID >= 7")
        expect(\.displayName == "Ann", "displayName == \"Ann\"")
        expect(\.isFriend == true, "isFriend == 1")
        expect(\.email == nil, "email == nil")
        expect(\.email != nil, "email != nil")
        expect(\.displayName == \.email, "displayName == email OR (displayName == nil AND email == nil)")
    }

    @Test func listsAndRanges() {
        expect(MagicalRecord.Condition { $0.countryCode.in([49, 84]) }, "countryCode IN {49, 84}")
        expect(MagicalRecord.Condition { $0.email.in(["a", "b"]) }, "email IN {\"a\", \"b\"}")
        expect(MagicalRecord.Condition { $0.email.in(["a", nil]) }, "email IN {\"a\"} OR email == nil")
        expect(MagicalRecord.Condition { $0.balance.between(1...2.5) }, "balance BETWEEN {1, 2.5}")
    }

    @Test func text() {
        expect(MagicalRecord.Condition { $0.displayName.contains("n") }, "displayName CONTAINS \"n\"")
        expect(
            MagicalRecord.Condition { $0.displayName.contains("n", .caseInsensitive) }, "displayName CONTAINS[c] \"n\"")
        expect(
            MagicalRecord.Condition { $0.displayName.beginsWith("A", .insensitive) }, "displayName BEGINSWITH[cd] \"A\""
        )
        expect(MagicalRecord.Condition { $0.displayName.endsWith("n") }, "displayName ENDSWITH \"n\"")
        expect(MagicalRecord.Condition { $0.displayName.like("A*") }, "displayName LIKE \"A*\"")
        expect(MagicalRecord.Condition { $0.displayName.matches("A.+") }, "displayName MATCHES \"A.+\"")
        expect(MagicalRecord.Condition { $0.displayName.equals("ann", .caseInsensitive) }, "displayName ==[c] \"ann\"")
    }

    @Test func joined() {
        expect(\.userID == 7 && \.isFriend == true, "userID == 7 AND isFriend == 1")
        expect(\.userID == 7 || \.isFriend == true, "userID == 7 OR isFriend == 1")
        expect(!(\.userID == 7), "userID != 7 OR userID == nil")
        expect(!(\.userID < 7), "(NOT userID < 7) OR userID == nil")
        expect(
            !(\.userID == 7 && \.isFriend == true), "userID != 7 OR userID == nil OR isFriend != 1 OR isFriend == nil")
        expect(
            (\.userID == 7 || \.userID == 8) && \.isFriend == true, "(userID == 7 OR userID == 8) AND isFriend == 1")
        expect(
            \.userID == 1 && \.userID == 2 && \.userID == 3, "userID == 1 AND userID == 2 AND userID == 3")
    }

    @Test func throughRelationships() {
        expect(\.team?.name == "Red", "team.name == \"Red\"")
        let chain: MagicalRecord.Condition<Message> = \.sender?.team?.teamID == 1
        #expect(chain.description == "sender.team.teamID == 1")
    }

    @Test func relatedObjects() {
        expect(MagicalRecord.Condition { $0.messages.any(\.length > 3) }, "ANY messages.length > 3")
        expect(MagicalRecord.Condition { $0.messages.none(\.length > 3) }, "NOT ANY messages.length > 3")
        expect(
            MagicalRecord.Condition { $0.messages.all(\.length > 3) },
            "SUBQUERY(messages, $x1, (NOT $x1.length > 3) OR $x1.length == nil).@count == 0")
        expect(
            MagicalRecord.Condition { $0.messages.any(\.length > 3 && \.text == "a") },
            "SUBQUERY(messages, $x1, $x1.length > 3 AND $x1.text == \"a\").@count > 0")
        expect(MagicalRecord.Condition { $0.messages.count > 2 }, "messages.@count > 2")
        expect(MagicalRecord.Condition { $0.messages.sum(of: \.length) >= 10 }, "messages.@sum.length >= 10")
        expect(MagicalRecord.Condition { $0.messages.isEmpty }, "messages.@count == 0")
    }

    @Test func textLength() {
        #expect(MagicalRecord.Condition<User> { $0.email.length > 3 }.description.contains("length"))
    }

    @Test func anErrorWaitsForItsUse() {
        let condition: MagicalRecord.Condition<User> = \.kind == "user"
        let error = #expect(throws: MagicalRecordError.self) { try condition.nsPredicate() }
        #expect(error?.code == .unnamedKeyPath)
        #expect(error?.entity == "User")
    }

    /// A computed property must not pass for the attribute it reads. (Apple's key paths know their names; there these
    /// have none to begin with.)
    @Test func computedPropertiesHaveNoName() {
        let conditions: [MagicalRecord.Condition<User>] = [
            \.shortName == "Ann", \.title == "Ann", \.name == "Ann", \.isStranger == true, \.debt > 1,
            \.teamName == "Red", \.nameOrEmail == "Ann", \.displayName?.count == 3,
            MagicalRecord.Condition { $0.longMessages.isEmpty },
        ]
        for (number, condition) in conditions.enumerated() {
            let error = #expect(throws: MagicalRecordError.self, "number \(number): \(condition)") {
                try condition.nsPredicate()
            }
            #expect(error?.code == .unnamedKeyPath)
            #expect(error?.advice?.isEmpty == false)
        }
    }

    @Test func unwrappedKeysHaveNames() {
        expect(\.displayName! == "Ann", "displayName == \"Ann\"")
        expect(\.team!.name == "Red", "team.name == \"Red\"")
        #if !canImport(ObjectiveC)
        // As good as the attribute it hands on unchanged.
        expect(\.country == 49, "countryCode == 49")
        #endif
    }

    @Test func readyPredicates() throws {
        let made = NSPredicate(format: "userID == %d", 7)
        expect(.predicate(made), "userID == 7")
        expect(.predicate(made) && \.isFriend == true, "userID == 7 AND isFriend == 1")
        expect(.format("displayName BEGINSWITH[c] %@", "a"), "displayName BEGINSWITH[c] \"a\"")
        let inside = #expect(throws: MagicalRecordError.self) {
            try MagicalRecord.Condition<User> { $0.messages.any(.predicate(NSPredicate(value: true))) }.nsPredicate()
        }
        #expect(inside?.code == .unsupportedCondition)
    }

    @Test func valuesNeverBecomePartOfTheFormat() throws {
        let hostile = "x\" OR TRUEPREDICATE OR \"%@"
        let condition: MagicalRecord.Condition<User> = \.displayName == hostile
        #expect(try condition.nsPredicate().evaluate(with: ["displayName": hostile]))
        #expect(try !condition.nsPredicate().evaluate(with: ["displayName": "y"]))
    }

    private func expect(
        _ condition: MagicalRecord.Condition<User>, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(condition.description == text, sourceLocation: sourceLocation)
    }
}
