import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// `#Predicate` finds the objects for which Foundation's own evaluation of it holds, whatever is missing: in a SQLite store
/// and in one in memory, saved and not, and as an `NSPredicate` evaluated in memory. Off Apple's platforms: there the
/// conversion is Apple's.
#if !canImport(ObjectiveC)
@Suite("#Predicate and missing values") struct MissingPredicateTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let texts: [String?] = [nil, nil, "", "a", "Ann", "jazz"]
    private static let dates: [Date?] = [nil, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 86_400)]

    /// Objects with random values, about a third of which are missing.
    private func fill(_ context: NSManagedObjectContext, _ random: inout Generator) throws {
        let teams = try ["Red", "jazz"].enumerated().map { index, name in
            let team = try Team.create(in: context)
            team.teamID = Int64(index)
            team.name = name
            return team
        }
        for id in 1...40 {
            let user = try User.create(in: context)
            user.userID = Int64(id)
            user.displayName = Self.texts.randomElement(using: &random)!
            user.email = Self.texts.randomElement(using: &random)!
            user.lastUpdate = Self.dates.randomElement(using: &random)!
            user.isFriend = Bool.random(using: &random)
            user.balance = Double(Int.random(in: 0...3, using: &random))
            user.team = (teams + [nil]).randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let message = try Message.create(in: context)
                message.text = Self.texts.randomElement(using: &random)!
                message.length = Int32.random(in: 0...2, using: &random)
                message.sender = user
            }
        }
        for _ in 0..<4 { try Message.create(in: context).text = Self.texts.randomElement(using: &random)! }
    }

    /// Questions with random constants, nil among them.
    private static func values(_ random: inout Generator) -> [Predicate<User>] {
        let text = texts.randomElement(using: &random)!
        let some = texts.compactMap(\.self).randomElement(using: &random)!
        let date = dates.randomElement(using: &random)!
        let list = [texts.randomElement(using: &random)!, texts.randomElement(using: &random)!]
        let yes = Bool.random(using: &random)
        let number = Double(Int.random(in: 0...3, using: &random))
        return [
            #Predicate { $0.displayName != "jazz" },
            #Predicate { !($0.displayName == "jazz") },
            #Predicate { !($0.displayName != "jazz") },
            #Predicate { $0.displayName != text },
            #Predicate { $0.displayName == text },
            #Predicate { !($0.displayName == text) },
            #Predicate { text != $0.displayName },
            #Predicate { $0.displayName != nil },
            #Predicate { !($0.displayName == nil) },
            #Predicate { $0.displayName == $0.email },
            #Predicate { $0.displayName != $0.email },
            #Predicate { !($0.displayName == $0.email) },
            #Predicate { !($0.displayName != $0.email) },
            #Predicate { $0.lastUpdate != date },
            #Predicate { ($0.displayName ?? "Ann") != some },
            #Predicate { ($0.displayName ?? ($0.email ?? "")) != some },
            #Predicate { !(($0.displayName ?? ($0.email ?? "")) == some) },
            #Predicate { $0.displayName?.count != 3 },
            #Predicate { !($0.displayName?.count == 3) },
            #Predicate { $0.displayName?.contains("a") == true },
            #Predicate { $0.displayName?.contains("a") != yes },
            #Predicate { !($0.displayName?.starts(with: "A") == yes) },
            #Predicate { list.contains($0.displayName) },
            #Predicate { !list.contains($0.displayName) },
            #Predicate { ($0.displayName != text) == yes },
            #Predicate { ($0.isFriend ? $0.displayName : $0.email) != some },
            #Predicate { !$0.isFriend && $0.displayName != some },
            #Predicate { !($0.isFriend && $0.displayName == some) || $0.email != text },
            #Predicate { !($0.balance < number || $0.email == text) },
            #Predicate { !(!($0.displayName != some) && !($0.email == text)) },
        ]
    }

    private static func relationships(_ random: inout Generator) -> [Predicate<User>] {
        let text = texts.randomElement(using: &random)!
        let some = texts.compactMap(\.self).randomElement(using: &random)!
        let count = Int.random(in: 0...2, using: &random)
        return [
            #Predicate { $0.team?.name != "jazz" },
            #Predicate { $0.team?.name == "jazz" },
            #Predicate { !($0.team?.name == "jazz") },
            #Predicate { !($0.team?.name != "jazz") },
            #Predicate { $0.team?.name != text },
            #Predicate { $0.team?.name != $0.displayName },
            #Predicate { !($0.team?.name != $0.displayName) },
            #Predicate { $0.team?.name == $0.displayName },
            #Predicate { ($0.team?.name ?? "none") != some },
            #Predicate { $0.team?.teamID != 1 },
            #Predicate { $0.team == nil || $0.displayName != some },
            #Predicate { !($0.team != nil && $0.displayName == some) },
            #Predicate { $0.team?.name.count != 3 },
            #Predicate { $0.team?.members.count != count },
            #Predicate { $0.messages.contains { $0.text != "a" } },
            #Predicate { !$0.messages.contains { $0.text != text } },
            #Predicate { $0.messages.contains { !($0.text == text) } },
            #Predicate { $0.messages.allSatisfy { $0.text != "a" } },
            #Predicate { $0.messages.allSatisfy { $0.text == text } },
            #Predicate { !$0.messages.allSatisfy { !($0.text == some) } },
            #Predicate { $0.messages.filter { $0.text != some }.count == count },
            #Predicate { user in user.messages.contains { $0.text != user.displayName } },
            #Predicate { user in user.messages.allSatisfy { !($0.text == user.team?.name) } },
        ]
    }

    /// Through two relationships.
    private static func chains(_ random: inout Generator) -> [Predicate<Message>] {
        let text = texts.randomElement(using: &random)!
        return [
            #Predicate { $0.sender?.team?.name != "jazz" },
            #Predicate { !($0.sender?.team?.name == "jazz") },
            #Predicate { $0.sender?.team?.name == text },
            #Predicate { $0.sender?.team?.name != $0.sender?.displayName },
            #Predicate { !($0.sender?.team?.name == $0.text) },
            #Predicate { $0.sender?.displayName != text },
            #Predicate { ($0.sender?.displayName ?? "none") != "Ann" },
            #Predicate { $0.sender?.team != nil },
            #Predicate { !($0.sender?.team == nil) },
        ]
    }

    private func compare<Object: NSManagedObject>(
        _ predicates: [Predicate<Object>], in context: NSManagedObjectContext, _ comment: String
    ) throws {
        let objects = try MagicalRecord.Query<Object>().findAll(in: context)
        #expect(!objects.isEmpty)
        for predicate in predicates {
            let converted = try NSPredicate.converting(predicate)
            let text = "\(comment): \(converted.node.predicateFormat)"
            let expected = Set(try objects.filter { try predicate.evaluate($0) })
            do {
                let found = try MagicalRecord.Query<Object>().where(.matching(predicate)).findAll(in: context)
                #expect(Set(found) == expected && found.count == expected.count, "\(text)")
                #expect(Set(objects.filter(converted.evaluate)) == expected, "in memory, \(text)")
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
    }

    @Test(arguments: 1...LongForm.choose(3 as UInt64, long: 6)) func agreement(_ seed: UInt64) throws {
        for store in [nil, MagicalRecord.Store.inMemory] {
            var random = Generator(state: seed)
            let stack = try AddressBook.stack(store, shape: .server)
            let context = stack.newContext()
            try context.runAndWait {
                try fill(context, &random)
                let predicates = Self.values(&random) + Self.relationships(&random)
                let chains = Self.chains(&random)
                try compare(predicates, in: context, "unsaved")
                try compare(chains, in: context, "unsaved")
                try context.save()
                context.reset()
                try compare(predicates, in: context, "saved")
                try compare(chains, in: context, "saved")
            }
        }
    }

    /// A scalar property counts as missing where its attribute has no value, as in conditions.
    @Test(arguments: [true, false]) func numbersWithoutAValue(_ isInMemory: Bool) throws {
        let stack = try AddressBook.stack(isInMemory ? .inMemory : nil)
        let context = stack.newContext()
        try context.runAndWait {
            try User.create(in: context).setValue(nil, forKey: "userID")
            for _ in 0..<2 {
                #expect(try User.count(where: .matching(#Predicate { $0.userID != 7 }), in: context) == 1)
                #expect(try User.count(where: .matching(#Predicate { !($0.userID == 7) }), in: context) == 1)
                #expect(try User.count(where: .matching(#Predicate { $0.userID == 7 }), in: context) == 0)
                #expect(try User.count(where: .matching(#Predicate { $0.userID < 7 }), in: context) == 0)
                #expect(try User.count(where: .matching(#Predicate { !($0.userID < 7) }), in: context) == 1)
                try context.save(to: .store)
            }
        }
    }

    /// Formats keep the meaning the SQLite store has always given them: a row without a value is left out. Other stores answer
    /// as memory does.
    @Test func formatsKeepTheirMeaning() throws {
        let stack = try AddressBook.stack(ScratchStores.sqlite())
        let context = stack.newContext()
        try context.runAndWait {
            _ = try User.create(in: context)
            try context.save(to: .store)
            #expect(try User.count(where: "displayName != 'jazz'", in: context) == 0)
            #expect(try User.count(where: "NOT displayName == 'jazz'", in: context) == 0)
            #expect(try User.count(where: .matching(#Predicate { $0.displayName != "jazz" }), in: context) == 1)
            #expect(try User.count(where: \.displayName != "jazz", in: context) == 1)
        }
    }
}
#endif
