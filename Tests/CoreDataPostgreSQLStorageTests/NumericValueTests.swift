#if PostgreSQL
import Foundation
import PostgreSQLTestSupport
import Testing

@testable import CoreDataPostgreSQLStorage

@Suite("Decimals for the server", .enabled(if: TestServer.isAvailable))
struct NumericValueTests {
    /// Random decimals of up to 38 digits with all exponents, and those at the bounds.
    private static func decimals(_ count: Int) -> [Decimal] {
        var generator = SplitMix(seed: 38)
        var decimals: [Decimal] = [0, 1, -1, 9999, 10000, 10001, -12345678, Decimal(Int64.min), Decimal(UInt64.max)]
        let largest = String(repeating: "9", count: 38)
        for text in [
            "\(largest)e127", "-\(largest)e127", "\(largest)e-128", "1e-128", "1e127", "-1e-127", "\(largest)", "0.5",
            "0.0001", "0.00001", "0.00010001", "1000.0001", "340282366920938463463374607431768211455",
        ] {
            if let decimal = Decimal(string: text) { decimals.append(decimal) }
        }
        while decimals.count < count {
            let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }.joined()
            let sign = Bool.random(using: &generator) ? "-" : ""
            if let decimal = Decimal(string: "\(sign)\(digits)e\(Int.random(in: -128...127, using: &generator))"),
                !decimal.isNaN
            {
                decimals.append(decimal)
            }
        }
        return decimals
    }

    @Test("The server reads a decimal as its text says, and returns the same decimal")
    func roundTrips() throws {
        let decimals = Self.decimals(10_000)
        var parameters = ParameterList()
        parameters.add { writer in
            writer.beginArray(of: .numeric, count: decimals.count)
            for decimal in decimals { writer.element { NumericValue.write(decimal, to: &$0) } }
        }
        parameters.add(decimals.map(\.description))
        var (wrong, unequal, count): ([String], [String], Int) = ([], [], 0)
        let request = PipelineRequest(
            ServerStatement(
                "SELECT number = text::numeric, number::text, text::numeric "
                    + "FROM unnest($1::numeric[], $2::text[]) WITH ORDINALITY AS given(number, text, n) ORDER BY n"),
            parameters
        ) { rows in
            for row in 0..<rows.count {
                count += 1
                if try rows.int64(row, 0) != 1 { wrong.append("\(decimals[row]): \(rows.text(row, 1))") }
                let back = try NumericValue.read(rows.bytes(row, 2))
                if back != decimals[row] { unequal.append("\(decimals[row]): \(back)") }
            }
        }
        try TestServer.run(request)
        #expect(count == decimals.count)
        #expect(wrong.isEmpty)
        #expect(unequal.isEmpty)
    }

    @Test("NaN is the server's NaN")
    func notANumber() throws {
        var parameters = ParameterList()
        parameters.add { NumericValue.write(.nan, to: &$0) }
        var text = ""
        try TestServer.run(
            PipelineRequest(ServerStatement("SELECT $1::numeric::text"), parameters) { text = $0.text(0, 0) })
        #expect(text == "NaN")
    }

    @Test("Decimals have as many digits after the point as their text", arguments: ["1.5", "-0.25", "100", "0.0001"])
    func digits(_ text: String) throws {
        var parameters = ParameterList()
        let decimal = try #require(Decimal(string: text))
        parameters.add { NumericValue.write(decimal, to: &$0) }
        var found = ""
        try TestServer.run(
            PipelineRequest(ServerStatement("SELECT $1::numeric::text"), parameters) { found = $0.text(0, 0) })
        #expect(found == text)
    }
}

/// Repeatable random numbers.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
#endif
