import Foundation
import StoreToolCommands
import StoreTools
import Synchronization
import Testing

@Suite struct CommandTextTests {
    @Test(arguments: [
        ("abc", 3), ("", 0), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("한글", 4), ("ｱ", 1), ("Ａ", 2), ("👍", 2), ("👍🏽", 2),
        ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("שלום", 4), ("ไทย", 3), ("a\u{200b}b", 2), ("①", 1),
    ])
    func widthsAreThoseOfTerminals(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func controlCharactersAreShownAsEscapes() {
        #expect(CellText.escaped("a\u{1b}[31mb\r\n\tc\u{9b}d\u{202e}e") == "a\\x1B[31mb\\r\\n\\tc\\x9Bd\\u202Ee")
        #expect(CellText.escaped("ä 日本") == "ä 日本")
    }

    @Test func longTextsAreCutAtTheirWidth() {
        #expect(CellText.cut("abcdef", to: 6) == "abcdef")
        #expect(CellText.cut("abcdef", to: 4) == "abc…")
        #expect(CellText.cut("日本語", to: 5) == "日本…")
        #expect(CellText.cut("日本語", to: 4) == "日…")
        #expect(CellText.cut("abc", to: 1) == "…")
    }

    @Test(arguments: [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("", "\"\""),
        (" a", "\" a\""),
    ])
    func fieldsOfCSVAreQuotedWhereNeeded(value: String, field: String) {
        var text = ByteText()
        text.appendCSV(value)
        #expect(text.text == field)
    }

    @Test func textsInJSONAreReadBack() throws {
        let value = "a\"b\\c\n\u{1}\u{7f}\u{9b}é日👍/\u{2028}"
        var text = ByteText()
        text.appendJSON(value)
        let read = try JSONSerialization.jsonObject(with: Data(text.bytes), options: .fragmentsAllowed)
        #expect(read as? String == value)
        #expect(!text.bytes.contains { $0 < 0x20 || $0 == 0x7f })
    }

    @Test func datesAreThoseOfTheISOFormatter() {
        let formatter = ISO8601DateFormatter()
        for seconds in stride(from: -62_000_000_000.0, to: 252_000_000_000, by: 1_234_567_891) {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            #expect(ValueText.text(date) == formatter.string(from: date))
        }
        let fine = Date(timeIntervalSinceReferenceDate: 0.25)
        #expect(ValueText.text(fine) == "2001-01-01T00:00:00.250000Z")
        #expect(ValueText.text(fine, wholeSeconds: true) == "2001-01-01T00:00:00Z")
        #expect(ValueText.text(Date(timeIntervalSinceReferenceDate: .infinity)) == "inf")
        #expect(ValueText.text(Date(timeIntervalSinceReferenceDate: 1e300)) == "1e+300")
    }

    @Test func numbersKeepTheirDigits() {
        for (number, expected) in [(0.1, "0.1"), (5, "5"), (-0.0, "-0.0"), (1e300, "1e+300"), (-12.5, "-12.5")] {
            var text = ByteText()
            text.append(number)
            #expect(text.text == expected)
        }
        for number in [0, -1, Int64.max, .min, 1_000_000] {
            var text = ByteText()
            text.append(number)
            #expect(text.text == "\(number)")
        }
    }

    @Test func valuesHaveAFormForEachUse() {
        let data = Data([0xff, 0xd8, 0, 1, 2, 3, 4, 5, 6])
        #expect(ValueText.cell(.data(data)).text == "9 bytes ff d8 00 01 02 03 04 05 …")
        #expect(ValueText.json(.data(data)) == "\"/9gAAQIDBAUG\"")
        #expect(ValueText.json(.decimal(Decimal(string: "0.10")!)) == "\"0.1\"")
        #expect(ValueText.json(.none) == "null")
        #expect(ValueText.json(.double(.nan)) == "\"nan\"")
        #expect(ValueText.cell(.none).text == "")
        #expect(ValueText.json(.list([.integer(1), .none])) == "[1,null]")
    }

    @Test func quantitiesAreRounded() {
        #expect(Quantity.bytes(0) == "0 bytes")
        #expect(Quantity.bytes(1) == "1 byte")
        #expect(Quantity.bytes(1023) == "1023 bytes")
        #expect(Quantity.bytes(1536) == "1.5 KB")
        #expect(Quantity.bytes(1_048_575) == "1.0 MB")
        #expect(Quantity.bytes(300 << 30) == "300 GB")
        #expect(Quantity.count(1_234_567) == "1,234,567")
        #expect(Quantity.count(-999) == "-999")
    }

    @Test func wideColumnsAreNarrowedFirst() {
        #expect(TextTable.fit([5, 50, 10], into: 40) == [5, 21, 10])
        #expect(TextTable.fit([5, 10], into: 80) == [5, 10])
        #expect(TextTable.fit([40, 40, 40], into: 10) == [6, 6, 6])
    }

    @Test func tablesAlignByWidth() throws {
        let sink = TextSink()
        let console = Console(output: sink, errors: TextSink())
        let table = TextTable(["name", "n"], console)
        try table.add([TableCell("日本"), TableCell("5", isNumber: true)])
        try table.add([TableCell("ab"), TableCell("1234", isNumber: true)])
        try table.add([TableCell("x"), TableCell("")])
        try table.end()
        #expect(sink.text == "name     n\n日本     5\nab    1234\nx\n")
    }

    @Test func theProgressAppearsAfterASecondAndGoesAway() {
        let time = Mutex<UInt64>(0)
        let shown = Mutex<[String]>([])
        let line = ProgressLine(now: { time.withLock { $0 } }, put: { text in shown.withLock { $0.append(text) } })
        line.show("Reading", 0.1)
        line.clear()
        #expect(shown.withLock { $0 }.isEmpty)
        time.withLock { $0 = 1_500_000_000 }
        line.show("Reading", 0.5)
        line.show("Reading", 0.6)
        line.clear()
        #expect(shown.withLock { $0 } == ["\r\u{1b}[KReading … 50 %", "\r\u{1b}[K"])
    }
}
