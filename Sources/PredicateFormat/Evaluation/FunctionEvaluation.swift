import Foundation

extension PredicateFunction {
    /// Applies the function to evaluated arguments. nil operands give nil.
    func call(_ arguments: [Any?]) throws -> Any? {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation:
            return try Statistics.value(self, Self.list(arguments))
        case .add, .subtract, .multiply, .divide:
            return try arithmetic(arguments[0], arguments[1])
        case .modulus, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift, .rightShift:
            return try integers(arguments[0], arguments[1])
        case .onesComplement:
            return try integer(arguments[0]).map { Int(~$0) }
        case .squareRoot: return try real(arguments[0]) { $0.squareRoot() }
        case .log10: return try real(arguments[0], Foundation.log10)
        case .naturalLog: return try real(arguments[0], Foundation.log)
        case .exponential: return try real(arguments[0], Foundation.exp)
        case .raise:
            guard let base = try number(arguments[0]), let power = try number(arguments[1]) else { return nil }
            return Self.present(Self.raise(base, power).value)
        case .floor: return try rounded(arguments[0], .down)
        case .ceiling: return try rounded(arguments[0], .up)
        case .truncate: return try rounded(arguments[0], .towardZero)
        case .absolute: return try absolute(arguments[0])
        case .uppercase: return try text(arguments[0]).map { $0.uppercased() }
        case .lowercase: return try text(arguments[0]).map { $0.lowercased() }
        case .canonical:
            return try text(arguments[0]).map {
                String(
                    decoding: StringFolding.fold($0, [.caseInsensitive, .diacriticInsensitive]), as: UTF8.self)
            }
        case .length: return try length(arguments[0])
        case .now: return Date()
        case .random: return Int.random(in: 0...Int(Int32.max))
        case .randomBelow:
            guard let limit = try integer(arguments[0]) else { return nil }
            return limit > 0 ? Int(Int64.random(in: 0..<limit)) : 0
        case .noIndex: return arguments[0]
        case .cast:
            guard case .string(let name) = PredicateValue(arguments[1]), let target = CastTarget(rawValue: name) else {
                throw PredicateEvaluationError.unsupported(
                    "\(PredicateEvaluationError.text(arguments[1])) is not a type CAST converts to")
            }
            if target == .class, case .string(let className) = PredicateValue(arguments[0]),
                ClassReference(className) == nil
            {
                throw PredicateEvaluationError.unsupported("the class \(className) is not known to predicates")
            }
            return target.convert(arguments[0])
        case .index: return Self.element(of: arguments[0], at: arguments[1])
        }
    }

    /// Returns the operands of a statistical function: the elements of its one collection, or the arguments themselves.
    private static func list(_ arguments: [Any?]) -> [Any?] {
        guard arguments.count == 1, let only = arguments[0] else { return arguments.compactMap { $0 } }
        if let collection = only as? any PredicateCollection { return collection.predicateElements }
        if let dictionary = only as? any KeyedByString { return dictionary.allValues }
        return PredicateValue(only).isNull ? [] : [only]
    }

    // MARK: Numbers

    private func number(_ value: Any?) throws -> PredicateNumber? {
        switch PredicateValue(value) {
        case .null: return nil
        case .number(let number): return number
        default: throw PredicateEvaluationError.notANumber(value, rawValue)
        }
    }

    private func integer(_ value: Any?) throws -> Int64? {
        guard let number = try number(value) else { return nil }
        guard let integer = number.integer else { throw PredicateEvaluationError.notANumber(value, rawValue) }
        return integer
    }

    private func real(_ value: Any?, _ compute: (Double) -> Double) throws -> Any? {
        Self.present(try number(value).map { compute($0.double) })
    }

    /// Returns nil for NaN, as SQLite does, and any other value unchanged.
    private static func present(_ value: Any?) -> Any? {
        if let double = value as? Double, double.isNaN { return nil }
        return value
    }

    private func rounded(_ value: Any?, _ rule: FloatingPointRoundingRule) throws -> Any? {
        guard let number = try number(value) else { return nil }
        return number.isInteger ? number.value : number.double.rounded(rule)
    }

    private func absolute(_ value: Any?) throws -> Any? {
        guard let number = try number(value) else { return nil }
        switch number {
        case .int(let value) where value != .min: return Int(abs(value))
        case .unsigned: return number.value
        case .decimal(let value): return NSDecimalNumber(decimal: abs(value))
        default: return abs(number.double)
        }
    }

    /// Raises a number to a power. An integer to an integer power remains an integer if it is exact.
    private static func raise(_ base: PredicateNumber, _ power: PredicateNumber) -> PredicateNumber {
        let result = pow(base.double, power.double)
        if base.isInteger, power.isInteger, power.double >= 0, result.magnitude < 0x1p53 {
            return .int(Int64(result))
        }
        return .double(result)
    }

    /// Computes an arithmetic function. Dates are supported as in the store: date plus or minus seconds, and date minus date.
    private func arithmetic(_ left: Any?, _ right: Any?) throws -> Any? {
        switch (PredicateValue(left), PredicateValue(right)) {
        case (.number(let a), .number(let b)):
            return PredicateNumber.result(of: self, a, b)?.value
        case (.null, _), (_, .null):
            return nil
        case (.date(let a), .number(let b)) where self == .add || self == .subtract:
            return CastTarget.date(self == .add ? a + b.double : a - b.double)
        case (.number(let a), .date(let b)) where self == .add:
            return CastTarget.date(a.double + b)
        case (.date(let a), .date(let b)) where self == .subtract:
            return a - b
        case (.number, _):
            throw PredicateEvaluationError.notANumber(right, rawValue)
        default:
            throw PredicateEvaluationError.notANumber(left, rawValue)
        }
    }

    private func integers(_ left: Any?, _ right: Any?) throws -> Any? {
        guard let a = try integer(left), let b = try integer(right) else { return nil }
        switch self {
        case .modulus: return b == 0 ? nil : b == -1 ? 0 : Int(a % b)
        case .bitwiseAnd: return Int(a & b)
        case .bitwiseOr: return Int(a | b)
        case .bitwiseXor: return Int(a ^ b)
        case .leftShift: return Int(a << b)
        default: return Int(a >> b)
        }
    }

    // MARK: Strings and collections

    private func text(_ value: Any?) throws -> String? {
        switch PredicateValue(value) {
        case .null: return nil
        case .string(let string): return string
        default:
            throw PredicateEvaluationError(
                code: .operandType,
                message: "\(rawValue) needs a string, not \(PredicateEvaluationError.text(value))")
        }
    }

    private func length(_ value: Any?) throws -> Any? {
        if case .other(let other) = PredicateValue(value), let data = other as? Data { return data.count }
        return try text(value)?.utf16.count
    }

    /// Returns the element at an index or key; nil if there is none.
    private static func element(of collection: Any?, at index: Any?) -> Any? {
        if let dictionary = collection as? any KeyedByString {
            if case SymbolicIndex.size? = index as? SymbolicIndex { return dictionary.entryCount }
            if case .string(let key) = PredicateValue(index) { return dictionary.lookUp(key) }
            return index.flatMap(KeyValueAccess.hashable).flatMap { (dictionary as? [AnyHashable: Any])?[$0] }
        }
        guard let collection = collection as? any PredicateCollection else { return nil }
        if let symbol = index as? SymbolicIndex {
            switch symbol {
            case .first: return collection.predicateElements.first
            case .last: return collection.predicateElements.last
            case .size: return collection.predicateCount
            }
        }
        guard case .number(let number) = PredicateValue(index), let position = number.integer,
            position >= 0, position < collection.predicateCount
        else { return nil }
        return collection.predicateElements[Int(position)]
    }
}

extension PredicateMessage {
    /// Sends the message to an evaluated target; a nil target yields nil.
    func send(to target: Any?, _ arguments: [Any?]) throws -> Any? {
        guard let target, !PredicateValue(target).isNull else { return nil }
        if let receiver = target as? any PredicateMessageReceiver {
            return try receiver.answer(rawValue, arguments: arguments)
        }
        let argument = arguments.first ?? nil
        switch self {
        case .isEqual: return ValueComparison.equal(target, argument)
        case .description: return ValueText.description(of: target)
        case .count: return try CollectionOperator.count.value(of: target, [])
        case .containsObject:
            return try CollectionTest.contains(PredicateValue(target), PredicateValue(argument), [])
        case .objectForKey, .valueForKey:
            guard case .string(let key) = PredicateValue(argument) else { throw unsuitable(argument) }
            return try KeyValueAccess.value(of: target, forKey: key)
        case .valueForKeyPath:
            guard case .string(let path) = PredicateValue(argument) else { throw unsuitable(argument) }
            return try CompiledKeyPath(path).value(of: target)
        case .componentsJoinedByString:
            guard let collection = target as? any PredicateCollection,
                case .string(let separator) = PredicateValue(argument)
            else { throw unsuitable(target) }
            return collection.predicateElements.map { ValueText.description(of: $0) }.joined(separator: separator)
        case .uppercaseString, .lowercaseString, .capitalizedString, .length, .integerValue, .doubleValue, .boolValue,
            .timeIntervalSinceReferenceDate, .timeIntervalSince1970:
            return try KeyValueAccess.value(of: target, forKey: rawValue)
        case .timeIntervalSinceDate, .dateByAddingTimeInterval:
            return try sendToDate(target, argument)
        case .stringByAppendingString, .substringFromIndex, .substringToIndex, .hasPrefix, .hasSuffix,
            .componentsSeparatedByString:
            return try sendToString(target, argument)
        case .other(let name):
            throw PredicateEvaluationError.unsupported(
                "\(type(of: target)) cannot be sent \(name): it is no PredicateMessageReceiver")
        }
    }

    private func sendToDate(_ target: Any, _ argument: Any?) throws -> Any? {
        switch (self, PredicateValue(target), PredicateValue(argument)) {
        case (.timeIntervalSinceDate, .date(let a), .date(let b)): return a - b
        case (.dateByAddingTimeInterval, .date(let date), .number(let seconds)):
            return CastTarget.date(date + seconds.double)
        default: throw unsuitable(target)
        }
    }

    private func sendToString(_ target: Any, _ argument: Any?) throws -> Any? {
        guard case .string(let string) = PredicateValue(target) else { throw unsuitable(target) }
        switch (self, PredicateValue(argument)) {
        case (.stringByAppendingString, .string(let other)): return string + other
        case (.hasPrefix, .string(let other)): return string.hasPrefix(other)
        case (.hasSuffix, .string(let other)): return string.hasSuffix(other)
        case (.componentsSeparatedByString, .string(let other)): return string.components(separatedBy: other)
        case (.substringFromIndex, .number(let number)):
            let units = Array(string.utf16)
            guard let index = number.integer, (0...Int64(units.count)).contains(index) else { return nil }
            return String(decoding: units[Int(index)...], as: UTF16.self)
        case (.substringToIndex, .number(let number)):
            let units = Array(string.utf16)
            guard let index = number.integer, (0...Int64(units.count)).contains(index) else { return nil }
            return String(decoding: units[..<Int(index)], as: UTF16.self)
        default: throw unsuitable(argument)
        }
    }

    private func unsuitable(_ value: Any?) -> PredicateEvaluationError {
        PredicateEvaluationError(
            code: .operandType,
            message: "\(rawValue) does not work with \(PredicateEvaluationError.text(value))")
    }
}
