import Foundation
import ModelFormat

/// Reads the arguments of one statement, and reports those that cannot be read.
struct StatementReader {
    let statement: EntityStatement
    private(set) var problems: [Diagnostic] = []

    init(_ statement: EntityStatement) { self.statement = statement }

    /// Returns the unlabelled key paths at the beginning, as property names.
    mutating func keys() -> [String] {
        statement.arguments.prefix { $0.label == nil }.compactMap { key($0.value, $0.place) }
    }

    /// Returns the location of a labelled argument.
    func place(_ label: String) -> SourcePlace { argument(label)?.place ?? statement.place }

    /// Returns whether there is an argument other than `nil`.
    func has(_ label: String) -> Bool { argument(label) != nil && !isNil(label) }

    /// Returns whether an argument is `nil`.
    func isNil(_ label: String) -> Bool { argument(label)?.value == StatedValue.none }

    mutating func string(_ label: String) -> String? {
        read(label, "a string literal") { if case .string(let text) = $0 { text } else { nil } }
    }

    mutating func bool(_ label: String) -> Bool? {
        read(label, "true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
    }

    mutating func count(_ label: String) -> Int? {
        read(label, "a whole number, not negative") {
            if case .number(let text) = $0, let count = Int(text), count >= 0 { count } else { nil }
        }
    }

    mutating func member(_ label: String) -> String? {
        read(label, "a name such as .binary") { if case .member(let name) = $0 { name } else { nil } }
    }

    mutating func type(_ label: String) -> [String]? {
        read(label, "a class such as Author.self") { if case .type(let path) = $0 { path } else { nil } }
    }

    mutating func userInfo() -> [String: String] {
        read("userInfo", "a dictionary of string literals") {
            switch $0 {
            case .dictionary(let entries): entries
            case .list(let values) where values.isEmpty: [:]
            default: nil
            }
        } ?? [:]
    }

    /// Returns the class and the property of an inverse: `\Author.books`.
    mutating func inverse() -> (owner: [String], key: String)? {
        read("inverse", "a key path with its class, such as \\Author.books") {
            if case .keyPath(let root, let keys) = $0, !root.isEmpty, keys.count == 1 { (root, keys[0]) } else { nil }
        }
    }

    mutating func keyList(_ label: String) -> [String] {
        read(label, "a list of key paths, such as [\\.title]") {
            guard case .list(let values) = $0 else { return nil }
            let keys = values.compactMap { value -> String? in
                if case .keyPath(_, let keys) = value { keys.joined(separator: ".") } else { nil }
            }
            return keys.count == values.count ? keys : nil
        } ?? []
    }

    /// Returns a constant of an attribute's type.
    mutating func constant(_ label: String, _ type: AttributeType) -> ModelValue? {
        guard let argument = argument(label), argument.value != .none else { return nil }
        let value = StatedConstant.value(of: argument.value, type)
        if value == nil {
            report(
                argument.place, "the \(label) is not a constant of the type \(type.xmlName)",
                StatedConstant.advice(type))
        }
        return value
    }

    // MARK: Arguments

    private func argument(_ label: String) -> EntityStatement.Argument? {
        statement.arguments.first { $0.label == label }
    }

    private mutating func key(_ value: StatedValue, _ place: SourcePlace) -> String? {
        if case .keyPath(_, let keys) = value { return keys.joined(separator: ".") }
        report(place, "this is no key path", "Name a property as \\.title")
        return nil
    }

    private mutating func read<Value>(
        _ label: String, _ wanted: String, _ convert: (StatedValue) -> Value?
    ) -> Value? {
        guard let argument = argument(label), argument.value != .none else { return nil }
        let value = convert(argument.value)
        if value == nil {
            report(argument.place, "the argument \(label) cannot be read", "Write \(wanted)")
        }
        return value
    }

    mutating func report(_ place: SourcePlace, _ message: String, _ advice: String) {
        problems.append(Diagnostic(message: message, file: place.file, line: place.line, advice: advice))
    }
}

/// Converts literals to constants of attributes.
enum StatedConstant {
    /// Returns the constant; nil if the literal is none of the type.
    static func value(of stated: StatedValue, _ type: AttributeType) -> ModelValue? {
        switch (stated, type) {
        case (.bool(let flag), .boolean): return .bool(flag)
        case (.number(let text), .boolean): return text == "0" || text == "1" ? .bool(text == "1") : nil
        case (.number(let text), _): return number(text, type)
        case (.string(let text), .date): return date(text).map { .date($0) }
        case (.string(let text), .string), (.string(let text), .uri), (.string(let text), .uuid),
            (.string(let text), .decimal):
            return ConstantText.isExact(text, type: type) ? ConstantText.value(of: text, type: type) : nil
        default: return nil
        }
    }

    static func advice(_ type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64: "Write a whole number within the type's range"
        case .double, .float, .decimal: "Write a number"
        case .boolean: "Write true or false"
        case .date: "Write the date as text in ISO 8601: \"2001-01-01T00:00:00Z\""
        case .string, .uri: "Write a string literal"
        case .uuid: "Write the UUID as text"
        default: "Attributes of this type have no constants"
        }
    }

    private static func number(_ text: String, _ type: AttributeType) -> ModelValue? {
        let whole = SwiftLiteral.integer(text)
        switch type {
        case .integer16: return whole.flatMap { Int16(exactly: $0) }.map { .integer(Int64($0)) }
        case .integer32: return whole.flatMap { Int32(exactly: $0) }.map { .integer(Int64($0)) }
        case .integer64: return whole.map { .integer($0) }
        case .double, .float:
            return (whole.map { Double($0) } ?? Double(text)).flatMap { $0.isFinite ? .double($0) : nil }
        case .decimal:
            if let whole { return .decimal(Decimal(whole)) }
            return Double(text) == nil
                ? nil : Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        default: return nil
        }
    }

    /// Returns the seconds since 2001 of a date in ISO 8601.
    private static func date(_ text: String) -> Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        let day = Date.ISO8601FormatStyle().year().month().day()
        return ((try? Date(text, strategy: style)) ?? (try? Date(text, strategy: day)))?.timeIntervalSinceReferenceDate
    }
}
