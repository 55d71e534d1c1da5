import Foundation

/// The result of `CAST("NSDate", "Class")`: a reference to a Foundation class with factory methods that predicates may call.
struct ClassReference: PredicateMessageReceiver {
    let name: String

    private static let messages: [String: [String: @Sendable (Any?) -> Any?]] = [
        "NSDate": [
            "date": { _ in Date() }, "now": { _ in Date() }, "distantPast": { _ in Date.distantPast },
            "distantFuture": { _ in Date.distantFuture },
            "dateWithTimeIntervalSinceNow:": { seconds($0).map { Date(timeIntervalSinceNow: $0) } },
            "dateWithTimeIntervalSince1970:": { seconds($0).map { Date(timeIntervalSince1970: $0) } },
            "dateWithTimeIntervalSinceReferenceDate:": {
                seconds($0).map { Date(timeIntervalSinceReferenceDate: $0) }
            },
        ],
        "NSUUID": ["UUID": { _ in UUID() }],
        "NSString": ["string": { _ in "" }],
        "NSNull": ["null": { _ in nil }],
        "NSData": ["data": { _ in Data() }],
        "NSURL": ["URLWithString:": { ($0 as? String).flatMap { URL(string: $0) } }],
        "NSDecimalNumber": [
            "zero": { _ in NSDecimalNumber.zero }, "one": { _ in NSDecimalNumber.one },
            "decimalNumberWithString:": { ($0 as? String).map { NSDecimalNumber(string: $0) } },
        ],
    ]

    private static func seconds(_ value: Any?) -> Double? {
        if case .number(let number) = PredicateValue(value) { return number.double }
        return nil
    }

    /// Looks up a supported class by name; nil for any other class.
    init?(_ name: String) {
        guard Self.messages[name] != nil else { return nil }
        self.name = name
    }

    func answer(_ selector: String, arguments: [Any?]) throws -> Any? {
        guard let answer = Self.messages[name]?[selector] else {
            let known = Self.messages[name, default: [:]].keys.sorted().joined(separator: ", ")
            throw PredicateEvaluationError.unsupported("\(name) cannot be sent \(selector) off Apple, only \(known)")
        }
        return answer(arguments.first ?? nil)
    }
}
