import PredicateFormat
import Testing

@Suite struct FunctionTests {
    /// An expression that evaluates to a number or string, compared with its expected text.
    @Test(arguments: [
        ("sum:({1, 2, 3})", "6"), ("sum(1, 2, 3)", "6"), ("count({1, 2})", "2"), ("min({3, 1})", "1"),
        ("max({3, 1})", "3"), ("average({1, 2})", "1.5"), ("median({1, 9, 2, 4})", "3"),
        // Apple's own example of these two in articles about NSExpression.
        ("stddev({1, 2, 3, 4, 4, 5, 9, 11})", "3.21859"), ("mode({1, 2, 2, 3, 3})", "{2, 3}"),
        ("1 + 2", "3"), ("5 - 7", "-2"), ("2 * 3.5", "7"), ("7 / 2", "3"), ("7.0 / 2", "3.5"),
        ("modulus:by:(7, 3)", "1"),
        ("modulus(7, 3)", "1"), ("sqrt(16)", "4"), ("log(1000)", "3"), ("ln(1)", "0"), ("exp(0)", "1"),
        ("2 ** 10", "1024"),
        ("raise:toPower:(2, 0.5)", "1.4142135"), ("floor(1.7)", "1"), ("ceiling(1.2)", "2"), ("trunc(-1.7)", "-1"),
        ("abs(-3)", "3"), ("uppercase('aé')", "AÉ"), ("lowercase('AÉ')", "aé"), ("canonical:('Élan')", "elan"),
        ("length('añ')", "2"), ("6 & 3", "2"), ("6 | 3", "7"), ("6 ^ 3", "5"), ("1 << 4", "16"), ("16 >> 2", "4"),
        ("~0", "-1"),
        ("noindex:(5)", "5"), ("CAST('12', 'NSNumber')", "12"), ("CAST(12, 'NSString')", "12"),
        ("CAST('1.25', 'NSDecimalNumber')", "1.25"), ("{5, 6}[1]", "6"), ("objectFrom:withIndex:({5, 6}, 0)", "5"),
        ("-3 + 1", "-2"), ("-(3 + 1)", "-4"), ("2 ** 3 ** 2", "64"), ("1 + 2 * 3", "7"), ("(1 + 2) * 3", "9"),
        ("10 - 3 - 2", "5"), ("0xFF", "255"), ("0o17", "15"), ("0b101", "5"), ("1.5e3", "1500"), ("1 / 0", "nil"),
        ("TERNARY(1 < 2, 'a', 'b')", "a"), ("FUNCTION('abc', 'uppercaseString')", "ABC"),
        ("FUNCTION('ab', 'stringByAppendingString:', 'c')", "abc"), ("$x := 4", "4"),
        ("CAST(10, 'NSDate') - CAST(4, 'NSDate')", "6"), ("9223372036854775807 + 1", "9.223372036854776e+18"),
    ])
    func value(_ format: String, _ expected: String) throws {
        let expression = NSExpression(format: format)
        let value = try expression.expressionValueThrowing(with: nil)
        let printed = ExpressionNode.constant(value).expressionFormat.replacingOccurrences(of: "\"", with: "")
        #expect(printed.hasPrefix(expected) && printed.count < expected.count + 12, "\(printed)")
        #expect(NSExpression(format: expression.description) == expression)
    }

    @Test func nowAndRandom() throws {
        let now = try #require(NSExpression(format: "now()").expressionValue(with: nil, context: nil) as? Date)
        #expect(abs(now.timeIntervalSinceNow) < 10)
        let random = try #require(NSExpression(format: "randomn:(5)").expressionValue(with: nil, context: nil) as? Int)
        #expect((0..<5).contains(random))
        #expect(NSExpression(format: "random()").expressionValue(with: nil, context: nil) is Int)
    }

    @Test func nilOperandsGiveNil() throws {
        for format in ["x + 1", "1 - x", "x * 2", "sqrt(x)", "uppercase(x)", "length(x)", "x & 1", "CAST(x, 'NSDate')"]
        {
            #expect(try NSExpression(format: format).expressionValueThrowing(with: ["y": 1]) == nil)
        }
    }

    @Test(arguments: ["foo(1)", "sum()", "sqrt(1, 2)", "FUNCTION('a', 'removeAll')", "CAST(1, 'NSObject')"])
    func unknownNames(_ format: String) {
        let error = #expect(throws: PredicateFormatError.self) { try NSExpression.parse(format) }
        #expect(error?.code == .unknownName)
    }
}
