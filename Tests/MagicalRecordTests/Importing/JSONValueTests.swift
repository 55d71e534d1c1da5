import MagicalRecord
import Testing

/// Records in JSON text mean what `JSONSerialization` reads in them, however they are written.
@Suite struct JSONValueTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try AddressBook.stack().newContext()
    }

    @Test(arguments: [
        #""Ann""#, #""Žofie 🙂 e\u0301""#, #""a \"b\" \\ \/ \n\t\r\b\f""#, #""\u0041\uD83D\uDE42""#, #""""#, "null",
        "true", "false", "0", "-0",
        "7", "-7", "12345678901234567", "123456789012345678", "9223372036854775807", "18446744073709551615", "0.1",
        "-2.50",
        "1234567890.123456", "0.30000000000000004", "9007199254740.993", "1e3", "-1.5E-2", "[1, 2.5, [ ], {}]",
        #"{"b" : [true,null] }"#, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
    ])
    func textsOfAllKinds(_ json: String) throws {
        let text = #"{"userID":1,"displayName":\#(json)}"#
        let read = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let record = try #require(read as? [String: Any])
        let names = try context.runAndWait {
            try User.importAll(from: Data(text.utf8), in: context)
            let imported = try User.findFirst(where: \.userID == 1, in: context)?.displayName
            try User.importAll(from: [record], in: context)
            return [imported, try User.findFirst(where: \.userID == 1, in: context)?.displayName]
        }
        #expect(names[0] == names[1])
        #expect((names[0] == nil) == (json == "null"))
    }

    @Test(arguments: [
        "01", "1.", ".5", "+1", "--1", "1e", "tru", "nul", "'a'", #""\x""#, #""\u12""#, "{,}", #"{"a"}"#, "1 2",
        "\"a\nb\"", "[1", "NaN", "",
    ])
    func whatIsNotJSON(_ json: String) throws {
        let text = #"{"userID":1,"displayName":\#(json)}"# + #"{"userID":2,"displayName":"Bob"}"#
        let (failures, found) = try context.runAndWait {
            let report = try User.importAll(from: Data(text.utf8), in: context)
            return (report.failures.map(\.index), try User.findAll(in: context).map(\.userID))
        }
        #expect(failures == [0])
        #expect(found == [2])
    }

    /// The last record is one that a quick reader would leave to Foundation.
    @Test func recordsStayInOrder() throws {
        let names = ["A", #"\u0042"#, "C", #"\u0044"#, #"\u0045"#, "F"]
        let text = names.enumerated().map { #"{"userID":\#($0.offset),"displayName":"\#($0.element)"}"# }.joined(
            separator: "\n")
        let found = try context.runAndWait {
            try User.importAll(from: Data(text.utf8), in: context)
            return try User.findAll(sortedBy: \.userID, in: context).map(\.displayName)
        }
        #expect(found == ["A", "B", "C", "D", "E", "F"])
    }

    /// Foundation decides which of two values a key has that comes twice.
    @Test func aKeyTwice() throws {
        let text = #"{"userID":1,"displayName":"Ann","displayName":"Bob"}"#
        let record = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let name = try context.runAndWait {
            try User.importAll(from: Data(text.utf8), in: context)
            return try User.findFirst(where: \.userID == 1, in: context)?.displayName
        }
        #expect(name == record?["displayName"] as? String)
    }
}
