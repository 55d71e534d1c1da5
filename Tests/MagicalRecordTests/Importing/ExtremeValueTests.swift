import MagicalRecord
import Testing

/// Dates and numbers from JSON that leave the ranges of 32 or 64 bits: none of them may end the program.
@Suite struct ExtremeValueTests {
    let context: NSManagedObjectContext
    let entity: NSEntityDescription
    let stack: MagicalRecord.Stack

    init() throws {
        stack = try ImportModel.stack()
        context = stack.newContext()
        entity = try MagicalRecord.Query<NSManagedObject>(entityNamed: "SingleEntityWithNoRelationships").entity(
            in: context)
    }

    private func imported<Value>(_ key: String, _ json: String) throws -> Value? {
        let record = try JSONSerialization.jsonObject(with: Data("{ \"\(key)\": \(json) }".utf8))
        return try context.runAndWait {
            let object = entity.mr_createInstance(in: context)
            try object.importValues(from: record)
            return object.value(forKey: key) as? Value
        }
    }

    @Test(arguments: [
        ("2038-01-19T03:14:08Z", 2_147_483_648.0), ("2096-02-29T00:00:00Z", 3_981_312_000),
        ("2096-02-29T00:00:00.5Z", 3_981_312_000.5), ("2096-02-29T02:00:00+02:00", 3_981_312_000),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1901-12-13T20:45:51Z", -2_147_483_649),
    ])
    func datesInWords(_ text: String, _ seconds: Double) throws {
        #expect(try imported("dateTestAttribute", "\"\(text)\"") == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        ("2147483648", 2_147_483_648.0), ("253402300799", 253_402_300_799), ("-62135596800", -62_135_596_800),
        ("9223372036854775807", 9_223_372_036_854_775_808), ("1e300", 1e300), ("-1e300", -1e300),
    ])
    func datesInSeconds(_ json: String, _ seconds: Double) throws {
        #expect(try imported("unixTimeTestAttribute", json) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        ("4102444800000", 4_102_444_800.0), ("\"4102444800000\"", 4_102_444_800), ("-2147483649500", -2_147_483_649.5),
        ("1e300", 1e300 / 1000), ("\"-1e300\"", -1e300 / 1000),
    ])
    func datesInMilliseconds(_ json: String, _ seconds: Double) throws {
        #expect(try imported("unixTime13TestAttribute", json) == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        ("int64TestAttribute", "9223372036854775807", Int64.max), ("int64TestAttribute", "-9223372036854775808", .min),
        ("int64TestAttribute", "\"9223372036854775807\"", .max), ("int32TestAttribute", "2147483647", 2_147_483_647),
        ("int32TestAttribute", "-2147483648", -2_147_483_648), ("int16TestAttribute", "-32768", -32_768),
    ])
    func theLargestNumbers(_ key: String, _ json: String, _ number: Int64) throws {
        let value: NSNumber? = try imported(key, json)
        #expect(value?.int64Value == number)
    }

    @Test(arguments: [
        ("int64TestAttribute", "9223372036854775808"), ("int64TestAttribute", "1e300"),
        ("int64TestAttribute", "-1e300"), ("int64TestAttribute", "\"1e300\""),
        ("int64TestAttribute", "-9223372036854775809"), ("int64TestAttribute", "\"-9223372036854775809\""),
        ("int32TestAttribute", "2147483648"), ("int32TestAttribute", "-2147483649"), ("int32TestAttribute", "1e300"),
        ("int16TestAttribute", "9223372036854775807"), ("floatTestAttribute", "1e300"),
    ])
    func numbersOutOfRangeAreErrors(_ key: String, _ json: String) throws {
        let error = #expect(throws: MagicalRecordError.self) {
            let _: NSNumber? = try imported(key, json)
        }
        #expect(error?.code == .unconvertibleValue)
    }

    @Test func coloursOutOfRange() throws {
        for text in ["rgba(1e300,-1e300,nan,inf)", "rgba(1e20,0,0,-1e300)"] {
            let components = try #require(MR_newColorComponentsFromString(text))
            defer { free(components) }
            #expect(components[0] == .max)
            #expect(components[2] == 0)
        }
    }
}
