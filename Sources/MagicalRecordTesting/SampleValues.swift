import Foundation
import MagicalRecord

/// Generates values of one attribute's type and checks them against its validation rules.
struct SampleValues {
    private let attribute: NSAttributeDescription
    private let rules: SampleRules

    init(for attribute: NSAttributeDescription) {
        self.attribute = attribute
        rules = SampleRules(attribute.validationPredicates)
    }

    /// Returns a valid value, or nil; a unique value differs from those of all other calls in the process, as far as the rules
    /// permit.
    func value(isUnique: Bool) -> Any? {
        let number = isUnique ? SampleNumber.next() : 1
        return candidates(number).first { attribute.allows($0) }
    }

    private func candidates(_ number: Int) -> [Any] {
        let listed = rules.listed
        let chosen = listed.isEmpty ? [] : (0..<listed.count).map { listed[(number + $0) % listed.count] }
        return chosen + made(number)
    }

    private func made(_ number: Int) -> [Any] {
        switch attribute.attributeType {
        case .integer16AttributeType: integers(number, largest: Int(Int16.max))
        case .integer32AttributeType: integers(number, largest: Int(Int32.max))
        case .integer64AttributeType: integers(number, largest: Int.max)
        case .doubleAttributeType, .floatAttributeType: numbers(number).map { NSNumber(value: $0) }
        case .decimalAttributeType: numbers(number).map { NSDecimalNumber(string: "\($0)") }
        case .booleanAttributeType: [false, true].map { NSNumber(value: $0) }
        case .stringAttributeType: texts(number)
        case .dateAttributeType: dates(number)
        case .binaryDataAttributeType: [Data("Sample \(number)".utf8)]
        case .UUIDAttributeType: [UUID()]
        case .URIAttributeType: [URL(string: "https://example.com/samples/\(number)")].compactMap(\.self)
        default: composite(number)
        }
    }

    private func integers(_ number: Int, largest: Int) -> [NSNumber] {
        // Without a lower bound, start at 0, or at 1000 below a negative upper bound.
        let start = max(rules.lowest ?? rules.highest.map { min(0, $0 &- 1_000) } ?? 0, -largest)
        let end = max(min(rules.highest ?? largest, largest), start)
        // Wraps around at the end of the range, so that unique numbers are consecutive.
        let room = end.subtractingReportingOverflow(start)
        let step = room.overflow || room.partialValue == Int.max ? number : number % (room.partialValue + 1)
        return [start + step, start, end, 0].map { NSNumber(value: $0) }
    }

    private func numbers(_ number: Int) -> [Double] {
        let start = rules.low ?? rules.high.map { $0 - Double(number) } ?? 0
        let high = rules.high ?? .greatestFiniteMagnitude
        // In narrow bounds the numbers are fractions of the interval.
        let between = start + (high - start) * (1 - 1 / Double(number + 1))
        return [start + Double(number), between, start, high, 0].filter(\.isFinite)
    }

    private func texts(_ number: Int) -> [String] {
        let shortest = rules.shortest ?? 0
        let longest = max(rules.longest ?? Int.max, 0)
        // Longer texts are not generated.
        guard shortest <= longest, shortest <= 1_000_000 else { return [] }
        let text = "Sample \(number)"
        let short = text.count <= longest ? text : String("\(number)".suffix(longest))
        return [String(repeating: "x", count: max(0, shortest - short.count)) + short, "\(number)", "S", ""]
    }

    private func dates(_ number: Int) -> [Date] {
        let noon = Date(timeIntervalSinceReferenceDate: 43_200)
        let bases = [rules.earliest, rules.latest.map { $0 - TimeInterval(number) * 60 }, noon].compactMap(\.self)
        return bases.map { $0 + TimeInterval(number) * 60 } + bases + [rules.latest].compactMap(\.self)
    }

    /// Returns a dictionary of the elements, for a composite attribute; nothing for unknown types.
    private func composite(_ number: Int) -> [Any] {
        #if canImport(ObjectiveC)
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return [] }
        #endif
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [] }
        var values: [String: Any] = [:]
        for element in composite.elements where !element.isOptional {
            guard let value = element.defaultValue ?? SampleValues(for: element).value(isUnique: false) else {
                return []
            }
            values[element.name] = value
        }
        return [values]
    }
}

/// A counter that is shared by all samples of the process.
private enum SampleNumber {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var last = 0

    static func next() -> Int {
        lock.lock()
        defer { lock.unlock() }
        last += 1
        return last
    }
}
