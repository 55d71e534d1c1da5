import CoreData
import CoreDataTestSupport
import Foundation
import StoreToolCommands
import StoreTools
import Testing

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

/// Output that is written without copies of values, and rows that are read many at a time.
@Suite struct ManyRowsTests {
    private func sql(_ store: CommandStore, _ statements: String...) throws {
        let database = try Database(store.path, flags: SQLITE_OPEN_READWRITE)
        for statement in statements { try database.execute(statement) }
    }

    @Test(arguments: [
        ("9.5", "9.5"), ("-0.25", "-0.25"), ("12", "12"), ("12.0", "12"), ("1e20", "100000000000000000000"),
        ("1e-7", "0.0000001"), ("0.001", "0.001"), ("123456789012.25", "123456789012.25"), ("'1.10'", "1.1"),
        ("NULL", ""),
    ])
    func decimalNumbersHaveNoExponents(stored: String, text: String) throws {
        let store = try CommandStore(authors: 1)
        try sql(store, "UPDATE ZBOOK SET ZPRICE = \(stored)")
        let csv = CommandRunner.run("query", store.path, "Book limit 1 show price, pages")
        #expect(csv.output == "price,pages\r\n\(text),100\r\n")
        let json = CommandRunner.run("query", store.path, "Book limit 1 show price", "--format", "ndjson")
        #expect(json.output == (text.isEmpty ? #"{"price":null}"# : #"{"price":"\#(text)"}"#) + "\n")
    }

    @Test func invalidTextIsRepairedInOutput() throws {
        let store = try CommandStore(authors: 1)
        try sql(store, "UPDATE ZBOOK SET ZTITLE = CAST(X'41FF42' AS TEXT)")
        let csv = CommandRunner.run("query", store.path, "Book limit 1 show title")
        #expect(csv.output == "title\r\nA\u{fffd}B\r\n")
        try sql(store, "UPDATE ZBOOK SET ZTITLE = 7")
        #expect(CommandRunner.run("query", store.path, "Book limit 1 show title").output == "title\r\n7\r\n")
    }

    @Test func objectsAreQuotedIfTheIdentifierOfTheStoreNeedsIt() throws {
        let store = try CommandStore(authors: 1)
        let plain = CommandRunner.run("query", store.path, "Book limit 1 show author, objectID")
        let fields = plain.output.split(separator: "\r\n")[1].split(separator: ",")
        #expect(fields.count == 2 && fields[0].hasPrefix("x-coredata://") && fields[0].hasSuffix("/Author/p1"))
        try sql(store, "UPDATE Z_METADATA SET Z_UUID = 'a,b'")
        let quoted = CommandRunner.run("query", store.path, "Book limit 1 show author, pages")
        #expect(quoted.output == "author,pages\r\n\"x-coredata://a,b/Author/p1\",100\r\n")
    }

    @Test func numbersAndIdentifiersAreWrittenAsFoundationDoes() {
        for number in [0, 1, -1, 10, 99, 100, Int64.max, Int64.min] {
            var text = ByteText()
            text.append(number)
            #expect(text.text == "\(number)")
        }
        for _ in 0..<20 {
            let uuid = UUID()
            var text = ByteText()
            text.append(uuid)
            #expect(text.text == uuid.uuidString)
        }
    }

    @Test(arguments: [
        ("x-coredata://U/Person/p12", "Person"), ("X-CoreData://U/Person/p12", "Person"),
        ("x-coredata://U/A%20b/p12", "A b"), ("x-coredata://U/Person/t12", nil), ("x-coredata://U/Person/p0", nil),
        ("x-coredata://U/Person/p-1", nil), ("x-coredata://U/Person/p12/x", nil), ("x-coredata:///Person/p12", nil),
        ("x-coredata://U//p12", nil), ("x-coredata://U/Person/p", nil), ("x-coredata://U/Person", nil),
        ("http://U/Person/p12", nil), ("", nil), ("x-coredata://U/Person/p99999999999999999999", nil),
    ])
    func urisOfObjectsAreRead(text: String, entity: String?) {
        let address = ObjectAddress(text)
        #expect(address?.entity == entity)
        #expect(address.map { $0.key == 12 && $0.storeUUID == "U" } ?? true)
    }

    @Test func comparisonsOfManyRowsNameEachDifferenceInOrder() throws {
        let (first, second) = (try CommandStore(authors: 700), try CommandStore(authors: 700))
        try sql(
            second, "UPDATE ZAUTHOR SET ZRATING = 9 WHERE Z_PK % 2 = 0", "DELETE FROM ZAUTHOR WHERE Z_PK > 650",
            "UPDATE ZBOOK SET ZAUTHOR = NULL WHERE ZAUTHOR > 650")
        let result = CommandRunner.run("diff", first.path, second.path, "Author")
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 1)
        #expect(lines.last == "  50 only in A, 325 changed")
        let changed = lines.filter { $0.contains("~ ") }
        #expect(changed.count == 325 && changed.allSatisfy { $0.contains("rating: ") && $0.hasSuffix(" → 9") })
        let removed = lines.filter { $0.contains("- ") }.compactMap { $0.split(separator: "/p").last }
        #expect(removed.compactMap { Int($0.filter(\.isNumber)) } == Array(651...700))
    }

    @Test func exportsOfLongListsContainEachObjectOnce() throws {
        let store = try CheckedStore { context in
            let people = (0..<600).map { context.insert("Person", ["code": "c\($0)", "name": "N\($0)"]) }
            people[0].setValue(Set(people.dropFirst()), forKey: "friends")
        }
        let result = CommandRunner.run("export", store.url.path, "Person")
        #expect(result.status == 0, "\(result.errors)")
        let names = result.output.components(separatedBy: "\"name\":\"N").dropFirst().map { part in
            String(part.prefix { $0 != "\"" })
        }
        #expect(names.compactMap { Int($0) }.sorted() == Array(0..<600))
        for line in result.output.split(separator: "\n") {
            _ = try JSONSerialization.jsonObject(with: Data(line.utf8))
        }
    }
}
