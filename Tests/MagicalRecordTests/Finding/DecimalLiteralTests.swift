import Foundation
import MagicalRecord
import Testing

/// A literal reaches a `Decimal` by way of a double: 19.99 is 19.98999999999999488 then, which no price equals.
@Suite("Decimals in conditions")
struct DecimalLiteralTests {
    @Test(
        arguments: [
            (19.99, "19.99"), (0.07, "0.07"), (123456.789, "123456.789"), (-8.1, "-8.1"), (3, "3"), (0, "0"),
            (1e20, "100000000000000000000"),
        ] as [(Decimal, String)])
    func literalsMeanWhatIsWritten(_ literal: Decimal, _ text: String) {
        #expect((literal.predicateConstant as? NSDecimalNumber)?.stringValue == text)
    }

    /// Numbers of many digits that no double was made into stay as they are.
    @Test(arguments: ["19.98999999999999487", "0.12345678901234567890123456789", "12345678901234567891"])
    func otherNumbersStay(_ text: String) throws {
        let decimal = try #require(Decimal(string: text))
        #expect(decimal.predicateConstant as? NSDecimalNumber == NSDecimalNumber(decimal: decimal))
    }
}
