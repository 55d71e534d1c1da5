import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Texts that are made to get out of quotation marks, parameters and formats: they are stored and found as they are, or
/// refused before anything is written. Expectations are computed in Swift from what went in, byte by byte.
@Suite struct HostileTextTests {
    // On Linux JSONSerialization removes U+FEFF from the beginning of a text.
    private static let parts = [
        "'", "\"", "\\", "\\'", "''", "$1", "$2::text", "$$", "$tag$", "%@", "%K", "%%", ";", "--", "/*", "*/", "\\N",
        "\\.", "\\x00", "\u{1}", "\u{7F}", "\n", "\r\n", "\t", "NULL", "E'\\n'", "{", "}", "[", "]", ",", "?", "*", "_",
        "'; DROP TABLE user_ CASCADE; --", "\"); DROP SCHEMA public CASCADE; --", "' OR '1'='1", "x' UNION SELECT 1 --",
        "COMMIT;", "a\u{FEFF}", "\u{202E}", "\u{FFFD}", "\u{10FFFF}", "😀", "ß", "I", "ı", "SELF", "@count", "a.b",
    ]

    private static func text(_ random: inout StepGenerator) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
    }

    /// The kinds of stores that there are here.
    enum Kind: CaseIterable {
        case sqlite, server
        static var allCases: [Kind] { ScratchStores.hasServer ? [.sqlite, .server] : [.sqlite] }

        func stack() throws -> MagicalRecord.Stack {
            let model = AddressBook.model()
            model.entitiesByName["User"]?.userInfo = ["relatedByAttribute": "displayName"]
            let store = self == .server ? try ScratchStores.server() : ScratchStores.sqlite()
            return try MagicalRecord.Stack([store], shape: .server, model: .model(model))
        }
    }

    /// Users by the bytes of their names.
    private typealias Users = [[UInt8]: [UInt8]]

    private static func users(in stack: MagicalRecord.Stack) throws -> (users: Users, count: Int, messages: Int) {
        let context = stack.newContext()
        return try context.runAndWait {
            let users = try User.findAll(in: context)
            let pairs = users.map { (Array(($0.displayName ?? "").utf8), Array(($0.email ?? "").utf8)) }
            return (Dictionary(pairs) { $1 }, users.count, try Message.count(in: context))
        }
    }

    // MARK: Imports

    /// What must become of a record.
    private enum Fate: CaseIterable {
        case stored, longKey, nested, unconvertible, nul, nulInKey, nulInMessage
    }

    private static func record(_ fate: Fate, _ random: inout StepGenerator) -> [String: Any] {
        var record: [String: Any] = ["displayName": text(&random), "email": text(&random)]
        record[text(&random)] = text(&random)
        switch fate {
        case .stored: break
        case .longKey: record[String(repeating: "k'\"", count: 3334)] = String(repeating: "v\\", count: 5000)
        case .nested:
            record["'nested"] = (0..<100).reduce(text(&random) as Any) { value, _ in [parts[0]: [value]] }
        case .unconvertible: record["balance"] = text(&random)
        case .nul:
            // No other record replaces the value.
            record["displayName"] = "\(random.next())" + text(&random)
            record["email"] = text(&random) + "\u{0}"
        case .nulInKey: record["displayName"] = "\u{0}" + text(&random)
        case .nulInMessage:
            record["messages"] = [
                ["messageID": Int.random(in: 1...1_000_000, using: &random), "text": "a\u{0}" + text(&random)]
            ]
        }
        return record
    }

    @Test(arguments: Kind.allCases) func importsStoreTextsOrNothing(_ kind: Kind) throws {
        let stack = try kind.stack()
        var random = StepGenerator(77)
        var (stored, messages, refusals): (Users, Int, Int) = ([:], 0, 0)
        let fates: [Fate] = [.stored, .stored, .stored, .stored, .longKey, .nested, .unconvertible]
        for round in 0..<LongForm.choose(40, long: 400) {
            var (expected, unconvertible) = (stored, 0)
            // One record in one chunk of two has what PostgreSQL cannot store.
            let poison: Fate? = round % 2 == 0 ? nil : [.nul, .nulInKey, .nulInMessage].randomElement(using: &random)!
            let records = (0..<24).map { index in
                let fate = index == 11 ? poison ?? .stored : fates.randomElement(using: &random)!
                let record = Self.record(fate, &random)
                if fate == .unconvertible {
                    unconvertible += 1
                } else {
                    let values = ["displayName", "email"].map { Array((record[$0] as? String ?? "").utf8) }
                    expected[values[0]] = values[1]
                }
                return record
            }
            let json = try JSONSerialization.data(withJSONObject: records)
            do {
                let report = try stack.importAllAndWait(User.self, from: .data(json))
                #expect(poison == nil || kind == .sqlite)
                #expect(report.failures.count == unconvertible)
                for failure in report.failures {
                    let error = try #require(failure.error as? MagicalRecordError)
                    #expect(error.entity == "User" && error.key == "balance" && error.record == failure.index)
                }
                stored = expected
                if poison == .nulInMessage { messages += 1 }
            } catch let error as NSError {
                #expect(poison != nil && kind == .server, "\(error)")
                #expect(error.domain == NSCocoaErrorDomain, "\(error)")
                // A value that is looked up is refused as a constant, others as values of their objects.
                let names = poison == .nulInMessage ? ["Message", "text"] : poison == .nul ? ["User", "email"] : []
                let hasNames = (names + ["U+0000"]).allSatisfy { "\(error)".contains($0) }
                #expect(hasNames, "\(error)")
                refusals += 1
            }
            let found = try Self.users(in: stack)
            let differences = Set(stored.map { "\($0): \($1)" }).symmetricDifference(found.users.map { "\($0): \($1)" })
            #expect(differences.isEmpty, "round \(round), after \(String(describing: poison))")
            #expect(found.count == stored.count)
            #expect(found.messages == messages)
        }
        #expect(kind == .sqlite ? refusals == 0 : refusals > 0)
    }

    // MARK: Fetches

    private static func outcome(
        of fetch: () throws -> Int, in context: NSManagedObjectContext
    ) -> Result<Int, NSError> {
        context.runAndWait {
            do { return .success(try fetch()) } catch { return .failure(error as NSError) }
        }
    }

    private static func holds(_ name: String, _ symbol: String, _ text: String) -> Bool {
        let (name, text) = (Array(name.utf8), Array(text.utf8))
        switch symbol {
        case "==": return name == text
        case "!=": return name != text
        case "<": return name.lexicographicallyPrecedes(text)
        case "BEGINSWITH": return name.starts(with: text)
        case "ENDSWITH": return name.reversed().starts(with: text.reversed())
        default: return name.indices.contains { name[$0...].starts(with: text) }
        }
    }

    @Test(arguments: Kind.allCases) func argumentsAreValues(_ kind: Kind) throws {
        let stack = try kind.stack()
        var random = StepGenerator(78)
        let names = (0..<60).map { "\($0)" + Self.text(&random) + Self.text(&random) }
        try stack.saveAndWait { context in
            // By key-value coding, as names come from outside.
            for name in names { try User.create(in: context).setValue(name, forKey: "displayName") }
        }
        let context = stack.newContext()
        let symbols = ["==", "!=", "<", "BEGINSWITH", "ENDSWITH", "CONTAINS"]
        for round in 0..<LongForm.choose(500, long: 5000) {
            let text = Bool.random(using: &random) ? Self.text(&random) : names.randomElement(using: &random)!
            let symbol = symbols.randomElement(using: &random)!
            let isRefused = kind == .server && round % 25 == 0
            let constant = isRefused ? text + "\u{0}" : text
            switch Self.outcome(
                of: {
                    try User.findAll(where: "%K \(symbol) %@", "displayName", constant, in: context).count
                }, in: context)
            {
            case .success(let count):
                let expected = names.count { Self.holds($0, symbol, text) }
                #expect(!isRefused && count == expected, "\(symbol) \(text.debugDescription)")
            case .failure(let error):
                #expect(isRefused && error.code == NSCoreDataError, "\(error)")
                let reason = error.localizedFailureReason ?? ""
                #expect(reason.contains("U+0000"), "\(error)")
            }
        }
        let found = try Self.users(in: stack)
        #expect(found.count == names.count && Set(found.users.keys) == Set(names.map { Array($0.utf8) }))
    }

    @Test(arguments: Kind.allCases) func keysAndFormatsThatAreTextsAnswerOrThrow(_ kind: Kind) throws {
        let stack = try kind.stack()
        try AddressBook.fill(stack)
        let context = stack.newContext()
        var random = StepGenerator(79)
        var refusals = 0
        for round in 0..<LongForm.choose(300, long: 3000) {
            var key = Self.text(&random)
            if round % 10 == 0 { key = String(repeating: key, count: 10_000 / key.utf8.count) }
            if round % 7 == 0 { key = "team." + key }
            let path = key
            let outcome = Self.outcome(
                of: {
                    switch round % 4 {
                    case 0: try User.findAll(where: "%K == 1", path, in: context).count
                    case 1: try User.findAll(sortedBy: .key(path), in: context).count
                    case 2: try User.findAll(where: "displayName == '\(path)' \(path)", in: context).count
                    default:
                        try User.findAll(where: "displayName == \"\(path)\"", sortedBy: .key(path), in: context).count
                    }
                }, in: context)
            guard case .failure(let error) = outcome else { continue }
            let isKnown = [NSCocoaErrorDomain, MagicalRecordError.errorDomain].contains(error.domain)
            #expect(isKnown, "\(error)")
            refusals += 1
        }
        #expect(refusals > 100)
        #expect(try Self.users(in: stack).count == 5)
    }
}
