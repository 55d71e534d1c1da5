import MagicalRecord
import MagicalRecordTestSupport
import Testing

/// Which of the original's two imports an argument reaches. `MR_importFromArray:` imports one object for each element, in order;
/// in Swift both are called `mr_import(from:)`, and arrays of other types than the declared one were taken for one record.
extension DefaultStackTests {
    private static func foundation(_ record: [String: Int]) -> NSDictionary {
        #if canImport(Darwin)
        record as NSDictionary
        #else
        NSDictionary(dictionary: record)
        #endif
    }

    @Test func arraysOfEveryTypeAreListsOfRecords() throws {
        setUpLegacyAddressBook()
        let strings: [[String: Any]] = [["userID": 1, "displayName": "Ann"], ["userID": 2]]
        let anys: [Any] = strings
        let numbers: [[String: Int]] = [["userID": 1], ["userID": 2]]
        let foundation: [NSDictionary] = numbers.map(Self.foundation)
        let list = NSArray(array: numbers)
        let mutable = NSMutableArray(array: numbers)
        let context = NSManagedObjectContext.mr_()
        let results = [
            User.mr_import(from: strings, in: context), User.mr_import(from: anys, in: context),
            User.mr_import(from: numbers, in: context), User.mr_import(from: foundation, in: context),
            User.mr_import(from: list, in: context), User.mr_import(from: mutable, in: context),
            User.mr_import(from: [["userID": 1], ["userID": 2, "displayName": "Bob"]], in: context),
            User.mr_import(from: strings.map { $0 }, in: context), User.mr_import(from: strings),
            User.mr_import(from: list),
        ]
        context.runAndWait {
            for users in results { #expect((users as? [User])?.map(\.userID) == [1, 2]) }
        }
        #expect(try User.count(in: context) == 2)
    }

    @Test func dictionariesAndObjectsAreOneRecord() throws {
        setUpLegacyAddressBook()
        let context = NSManagedObjectContext.mr_()
        let record: [String: Any] = ["userID": 1]
        let foundation = Self.foundation(["userID": 1])
        let users = [
            User.mr_import(from: record, in: context), User.mr_import(from: foundation, in: context),
            User.mr_import(from: ["userID": 1], in: context), User.mr_import(from: record as Any, in: context),
        ]
        context.runAndWait {
            for user in users { #expect(user === users[0]) }
        }
        #expect(try User.count(in: context) == 1)
    }

    /// What is declared as `Any` must be one record, since one object is returned.
    @Test func aListDeclaredAsAnythingIsAnErrorThatSaysWhatToCall() throws {
        setUpLegacyAddressBook()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let context = NSManagedObjectContext.mr_()
        let document: Any = [["userID": 1], ["userID": 2]]
        #expect(User.mr_import(from: document, in: context).managedObjectContext == nil)
        #expect(User.mr_import(from: [1, "text", ["userID": 3]] as [Any], in: context).count == 1)
        let errors = seen.errors.compactMap { $0 as? MagicalRecordError }
        #expect(errors.map(\.code) == [.malformedRecord, .malformedRecord, .malformedRecord])
        #expect(errors.first?.message == "A list of 2 records was given for one record.")
        #expect(errors.first?.advice?.contains("importAll(from:)") == true)
        let thrown = #expect(throws: MagicalRecordError.self) { try User.importOne(from: document, in: context) }
        #expect(thrown?.message == errors.first?.message)
    }

    /// The rest of each record is imported, and every error names its place.
    @Test func errorsNameTheRecordAndThePath() {
        setUpLegacyAddressBook()
        let seen = Mailbox()
        MagicalRecord.setErrorHandler { seen.add($0) }
        let records: [[AnyHashable: Any]] = [
            ["userID": 1], ["userID": 2, "balance": "much", "messages": [["messageID": 3, "length": "far"]]],
        ]
        User.mr_import(from: records, in: NSManagedObjectContext.mr_())
        let errors = seen.errors.compactMap { $0 as? MagicalRecordError }
        #expect(errors.map(\.record) == [1, 1])
        #expect(errors.map(\.path) == ["balance", "messages[0].length"])
    }

    /// `JSONSerialization` returns dictionaries of `Any`.
    @Test func aSourceOfParsedJSON() async throws {
        let stack = try AddressBook.stack()
        let text = Data(
            #"[{"userID": 1, "displayName": "Ann"}, {"userID": 2, "team": {"teamID": 1, "name": "Red"}}]"#.utf8)
        let records = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
        let report = try await stack.importAll(User.self, from: .records(records))
        #expect(report.inserted == 2)
        #expect(report.relatedInserted == 1)
        let context = stack.newContext()
        #expect(try User.importAll(from: .records(records), in: context).unchanged == 2)
        #expect(try User.importAll(from: .records([["userID": 3]]), in: context).inserted == 1)
    }
}
