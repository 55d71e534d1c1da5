import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// What a report prints is often all that is known of a failed import: it names the record, the place in it, and for JSON the place in
/// the text. Positions were counted by hand.
@Suite(.addressBook) struct ImportErrorTests {
    let stack: MagicalRecord.Stack
    let context: NSManagedObjectContext

    init() throws {
        stack = try #require(MagicalRecord.defaultStack)
        context = stack.newContext()
    }

    private func failure(_ json: String, path: String? = nil) -> MagicalRecordError? {
        #expect(throws: MagicalRecordError.self) {
            try User.importAll(
                from: .json(json),
                options: MagicalRecord.ImportOptions(stopsAtFirstFailure: true, recordsKeyPath: path),
                in: stack.newContext())
        }
    }

    @Test func valuesOfNestedRecords() throws {
        let good: [String: Any] = ["messageID": 1]
        let report = try User.importAll(
            from: [
                ["userID": 1], ["userID": 2, "messages": [good, NSNull(), ["messageID": "x"]]],
                ["userID": 3, "team": ["teamID": ["a": 1]]], ["userID": 4, "messages": [1, 1.5]],
                ["userID": 5, "team": [1]],
                ["userID": 6, "messages": [["messageID": 6, "sender": ["userID": 7, "balance": "much"]]]],
            ], in: context)
        let errors = report.failures.compactMap { $0.error as? MagicalRecordError }
        #expect(errors.map(\.record) == [1, 2, 3, 4, 5])
        #expect(
            errors.map(\.path) == [
                "messages[2].messageID", "team.teamID", "messages[1]", "team", "messages[0].sender.balance",
            ])
        #expect(errors.first?.entity == "Message" && errors.first?.key == "messageID")
        let text = try #require(report.failures.first).description
        #expect(text.hasPrefix("record 1, messages[2].messageID: \"x\" is not a whole number. (entity Message, "))
        #expect(errors[0].localizedDescription == "record 1, messages[2].messageID: \"x\" is not a whole number.")
        #expect(errors[1].message == "An object is not a whole number.")
    }

    @Test func longValuesAreShortened() throws {
        let report = try User.importAll(
            from: [["userID": String(repeating: "a\n", count: 5000)]], in: context)
        let text = try #require(report.failures.first).description
        #expect(text.hasPrefix("record 0, userID: \"a\\na\\n"))
        #expect(text.contains("…\" is not a whole number.") && text.count < 400)
    }

    /// One record has no index worth naming.
    @Test func oneRecord() {
        let error = #expect(throws: MagicalRecordError.self) {
            try User.importOne(from: ["userID": 1, "team": ["teamID": "x"]], in: context)
        }
        #expect(error?.record == nil)
        #expect(error?.localizedDescription == "team.teamID: \"x\" is not a whole number.")
    }

    /// Core Data's errors are unchanged, with the object; what a failure prints has neither the object's values nor line breaks.
    @Test func objectsThatTheModelRefuses() async throws {
        let report = try await stack.importAll(
            Team.self, from: .records([["teamID": 1, "name": "Red"], ["teamID": 2]]))
        let failure = try #require(report.failures.first)
        let error = try #require(failure.error as? CocoaError)
        #expect(error.code == .validationMissingMandatoryProperty && error.validationKey == "name")
        #expect(error.validationObject is Team)
        #expect(failure.description.hasPrefix("record 1: ") && !failure.description.contains("\n"))
        #expect(failure.description.contains("name"))
    }

    // MARK: JSON

    @Test(arguments: [
        ("[{\"userID\": 1},\n {\"userID\": oops}]", 1, "\"o\" instead of a value at byte offset 28, line 2."),
        ("{\"userID\" 1}", 0, "\"1\" instead of \":\" at byte offset 10, line 1."),
        (
            "{\"userID\": 1}\n\n{userID: 2}", 1,
            "\"u\" instead of a key in quotation marks or \"}\" at byte offset 16, line 3."
        ),
        ("{\"messages\": [1, 2}", 0, "\"}\" instead of \",\" or a closing bracket at byte offset 18, line 1."),
        ("{\"email\": \"a\\qb\"}", 0, "an unknown escape in a text at byte offset 12, line 1."),
        (
            "{\"email\": \"\\u00e9 \\u12g4\"}", 0,
            "\"\\u\" without four hexadecimal digits, in a text, at byte offset 18, line 1."
        ),
        (
            "{\"email\": \"\\u12\"}", 0,
            "\"\\u\" without four hexadecimal digits, in a text, at byte offset 11, line 1."
        ),
        ("{\"a\": [0, -0.5, 10e+3, 2E-1, 01]}", 0, "\"0\" instead of a value at byte offset 29, line 1."),
        ("{\"a\": 1.}", 0, "\"1\" instead of a value at byte offset 6, line 1."),
        ("{\"a\": [-1, -]}", 0, "\"-\" instead of a value at byte offset 11, line 1."),
        ("{\"a\": [1e5, 1e]}", 0, "\"1\" instead of a value at byte offset 12, line 1."),
        ("{\"a\": [true, false, null, truer]}", 0, "\"t\" instead of a value at byte offset 26, line 1."),
    ])
    func syntaxErrors(_ json: String, _ record: Int, _ end: String) throws {
        let error = try #require(failure(json))
        #expect(error.code == .malformedRecord && error.record == record && error.underlying != nil)
        #expect(error.localizedDescription == "record \(record): The record is not valid JSON: \(end)")
    }

    /// A missing bracket makes the rest of the text part of the record.
    @Test(arguments: ["", "  ", "\"text"]) func textThatEndsInARecord(_ rest: String) throws {
        let json = "[{\"userID\": 1},\n{\"userID\": 2}, {\"userID\": \(rest)"
        let error = try #require(failure(json))
        #expect(error.code == .malformedRecord && error.record == 2)
        #expect(
            error.message == "The JSON text ends in the middle of a record, at byte offset \(json.utf8.count), line 2; "
                + "the record begins at byte offset 31, line 2.")
    }

    @Test func textBetweenRecords() throws {
        let error = try #require(failure("{\"userID\": 1}\nx{}"))
        #expect(
            error.localizedDescription == "record 1: Unexpected \"x\" between records, at byte offset 14, line 2.")
    }

    /// Files and streams come in pieces, cut anywhere.
    @Test(arguments: [1, 7, 1000]) func piecesOfAStream(_ size: Int) throws {
        let text = Array("[{\"userID\": 1},\n\n{\"userID\": \n oops}, {\"userID\": 3}, ?]".utf8)
        let source = Pieces(
            stride(from: 0, to: text.count, by: size).map { Data(text[$0..<min($0 + size, text.count)]) })
        let options = MagicalRecord.ImportOptions(chunkSize: 2, stopsAtFirstFailure: true)
        let error = #expect(throws: MagicalRecordError.self) {
            try User.importAll(from: .stream { source.next() }, options: options, in: context)
        }
        // The text after the third record is read after the second has failed, unless it is part of the same piece.
        if size < text.count {
            #expect(error?.message.hasSuffix("\"o\" instead of a value at byte offset 30, line 4.") == true)
        } else {
            #expect(error?.message == "Unexpected \"?\" between records, at byte offset 52, line 4.")
        }
    }

    private final class Pieces: @unchecked Sendable {
        private let lock = NSLock()
        private var rest: [Data]

        init(_ pieces: [Data]) { rest = pieces }

        func next() -> Data? { lock.withLock { rest.isEmpty ? nil : rest.removeFirst() } }
    }

    @Test func aWholeDocument() throws {
        let error = try #require(failure("{\"users\": [\n{\"userID\": 1} {\"userID\": 2}]}", path: "users"))
        #expect(error.code == .malformedRecord && error.record == nil)
        #expect(
            error.message == "The document is not valid JSON: \"{\" instead of \",\" or a closing bracket at byte "
                + "offset 26, line 2.")
        let short = try #require(failure("{\"users\": [", path: "users"))
        #expect(short.message.hasSuffix("the text ends where a value or \"]\" is expected, at byte offset 11, line 1."))
    }
}
