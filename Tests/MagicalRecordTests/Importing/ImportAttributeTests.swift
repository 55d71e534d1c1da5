import MagicalRecord
import Testing

/// The original's tests for single attributes, and the cases it got wrong.
@Suite struct ImportAttributeTests {
    static let json = """
        { "int64TestAttribute": 10158365420975381, "stringTestAttribute": "This is a test value",
          "int32TestAttribute": 32, "int16TestAttribute": 256, "decimalTestAttribute": 1.2,
          "doubleTestAttribute": 124.3, "floatTestAttribute": 10000000000, "booleanTestAttribute": false,
          "dateTestAttribute": "2011-07-23T22:30:40Z", "mappedAttributeWithStringValue": "Mapped value",
          "dateWithCustomFormat": "8/5/2011 1-56-04", "nullTestAttribute": null,
          "numberAsStringTestAttribute": 10248909829, "booleanAsStringTestAttribute": "true",
          "unixTimeTestAttribute": 1388349428, "unixTime13TestAttribute": 1388349427543,
          "int64AsStringTestAttribute": "42" }
        """

    let context: NSManagedObjectContext
    let entity: NSEntityDescription
    let stack: MagicalRecord.Stack

    init() throws {
        stack = try ImportModel.stack()
        context = stack.newContext()
        entity = try MagicalRecord.Query<NSManagedObject>(entityNamed: "SingleEntityWithNoRelationships").entity(
            in: context)
    }

    private func imported(_ record: Any) throws -> NSManagedObject {
        try context.runAndWait {
            let object = entity.mr_createInstance(in: context)
            try object.importValues(from: record)
            return object
        }
    }

    private func value<Value>(_ key: String, of object: NSManagedObject) -> Value? {
        context.runAndWait { object.value(forKey: key) as? Value }
    }

    @Test func theOriginalsRecord() throws {
        let record = try JSONSerialization.jsonObject(with: Data(Self.json.utf8))
        let object = try imported(record)
        #expect(value("stringTestAttribute", of: object) == "This is a test value")
        #expect(value("int16TestAttribute", of: object) == 256)
        #expect(value("int32TestAttribute", of: object) == 32)
        #expect(value("int64TestAttribute", of: object) == 10_158_365_420_975_381)
        #expect(value("decimalTestAttribute", of: object) == NSDecimalNumber(string: "1.2"))
        #expect(value("doubleTestAttribute", of: object) == 124.3)
        #expect(value("floatTestAttribute", of: object) == NSNumber(value: Float(10_000_000_000)))
        #expect(value("booleanTestAttribute", of: object) == false)
        #expect(value("booleanAsStringTestAttribute", of: object) == true)
        #expect(value("mappedStringAttribute", of: object) == "Mapped value")
        #expect(value("numberAsStringTestAttribute", of: object) == "10248909829")
        #expect(value("notInJsonAttribute", of: object) == "Set From Core Data Model Editor")
        #expect(context.runAndWait { object.value(forKey: "nullTestAttribute") } == nil)
        #expect(value("dateTestAttribute", of: object) == Date(timeIntervalSince1970: 1_311_460_240))
        #expect(value("dateWithCustomFormat", of: object) == Date(timeIntervalSince1970: 1_312_509_364))
        #expect(value("unixTimeTestAttribute", of: object) == Date(timeIntervalSince1970: 1_388_349_428))
        #expect(value("unixTime13TestAttribute", of: object) == Date(timeIntervalSince1970: 1_388_349_427.543))
    }

    @Test(arguments: [
        ("2011-07-23T22:30:40Z", 1_311_460_240.0), ("2011-07-23T22:30:40.25Z", 1_311_460_240.25),
        ("2011-07-24T00:30:40+02:00", 1_311_460_240), ("2011-07-23T17:30:40-0500", 1_311_460_240),
        ("1969-12-31T23:59:59Z", -1), ("2000-02-29T00:00:00Z", 951_782_400), ("2024-02-29T00:00:00Z", 1_709_164_800),
        // The leap second before 2017, in Greenwich and in India.
        ("2016-12-31T23:59:60Z", 1_483_228_800), ("2017-01-01T05:29:60+05:30", 1_483_228_800),
    ])
    func internetDates(_ text: String, _ seconds: Double) throws {
        let object = try imported(["dateTestAttribute": text])
        #expect(value("dateTestAttribute", of: object) == Date(timeIntervalSince1970: seconds))
    }

    /// None is taken for another day, as a lenient reader would: 30 February is not 1 March.
    @Test(arguments: [
        "2024-02-30", "2023-02-29", "1900-02-29", "2024-04-31", "2024-06-31", "2024-09-31", "2024-11-31", "2024-01-32",
        "2024-13-01", "2024-00-10", "2024-05-00",
    ])
    func daysThatDoNotExistAreErrors(_ day: String) throws {
        for zone in ["Z", "+01:00", "-0800", "+02", ""] {
            expectNoDate(day + "T10:20:30" + zone)
            #expect(MR_dateFromString(day + "T10:20:30" + zone, kMagicalRecordImportDefaultDateFormatString) == nil)
        }
        #expect(MR_dateFromString(day, "yyyy-MM-dd") == nil)
        #expect(MR_dateFromString(day + " 10:20", "yyyy-MM-dd HH:mm") == nil)
    }

    @Test(arguments: [
        "25:00:00Z", "24:00:00Z", "10:60:00Z", "10:20:61Z", "10:20:60Z", "10:20:30+24:00", "10:20:30+01:60",
    ])
    func timesThatDoNotExistAreErrors(_ time: String) throws {
        expectNoDate("2024-05-06T" + time)
    }

    private func expectNoDate(_ text: String) {
        let error = #expect(throws: MagicalRecordError.self, "\(text)") { try imported(["dateTestAttribute": text]) }
        #expect(error?.code == .unconvertibleValue)
        #expect(error?.key == "dateTestAttribute")
    }

    @Test func numbersInTextsKeepTheirDigits() throws {
        let object = try imported([
            "int64TestAttribute": "9007199254740993", "decimalTestAttribute": "0.1234567890123456789",
        ])
        #expect(value("int64TestAttribute", of: object) == 9_007_199_254_740_993)
        #expect(value("decimalTestAttribute", of: object) == NSDecimalNumber(string: "0.1234567890123456789"))
    }

    /// JSON's numbers may be larger than any attribute: an error, where reading 64 bits of them would give another number.
    @Test func largeNumbers() throws {
        for number in [Int64.max, Int64.min, 9_007_199_254_740_993] {
            let object = try imported(["int64TestAttribute": NSNumber(value: number)])
            #expect(value("int64TestAttribute", of: object) == number)
        }
        let tooLarge: [Any] = [
            NSNumber(value: UInt64.max), NSNumber(value: 1e300),
            NSDecimalNumber(string: "123456789012345678901234567890"),
        ]
        for number in tooLarge {
            let error = #expect(throws: MagicalRecordError.self) { try imported(["int64TestAttribute": number]) }
            #expect(error?.code == .unconvertibleValue)
        }
        #expect(throws: MagicalRecordError.self) { try imported(["int16TestAttribute": 40_000]) }
    }

    @Test(arguments: [
        ("int64TestAttribute", "none"), ("int16TestAttribute", "40000"), ("dateTestAttribute", "tomorrow"),
        ("decimalTestAttribute", "x"),
    ])
    func whatCannotBeConvertedIsAnError(_ key: String, _ text: String) throws {
        let error = #expect(throws: MagicalRecordError.self) { try imported([key: text]) }
        #expect(error?.code == .unconvertibleValue)
        #expect(error?.key == key)
    }

    @Test func aMissingKeyLeavesTheAttribute() throws {
        let object = try imported(["stringTestAttribute": "a"])
        try context.runAndWait { _ = try object.importValues(from: ["int16TestAttribute": 1]) }
        #expect(value("stringTestAttribute", of: object) == "a")
    }

    @Test func recordsWithoutKeyAreAlwaysNew() throws {
        let records = (0..<4).map { _ in ["stringTestAttribute": "This is a test value"] as [String: Any] }
        let session = try context.runAndWait {
            try records.map { record in
                let object = entity.mr_createInstance(in: context)
                return try object.importValues(from: record)
            }
        }
        #expect(session == [true, true, true, true])
        #expect(try MagicalRecord.Query<NSManagedObject>(entityNamed: entity.name ?? "").count(in: context) == 4)
    }
}
