import Foundation

/// The source text of a closure, which shows how the closure uses the values it reads.
struct ClosureText {
    /// The text without the contents of string literals.
    private let text: String

    /// The maximum number of lines read for a condition or an order.
    private static let mostLines = 12

    /// Reads the closure that is passed to a function; nil if the source is missing, or the closure is not written at the call.
    ///
    /// - Parameters:
    ///   - function: The function in Swift's notation: `_ArrayProtocol.filter(_:)`.
    ///   - place: The line of the call.
    init?(passedTo function: String, at place: Instruments.Place) {
        guard let source = try? String(contentsOfFile: place.file, encoding: .utf8) else { return nil }
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
            .dropFirst(place.line - 1).prefix(Self.mostLines)
        let code = lines.map { line in
            line.replacing(/"(\\.|[^"\\])*"/, with: "\"\"").replacing(/\/\/.*/, with: "")
        }.joined(separator: "\n")
        let name = Self.name(of: function)
        guard !name.isEmpty, let call = code.firstRange(of: "." + name),
            let opening = code[call.upperBound...].firstIndex(of: "{"),
            // Only argument labels of the call may precede the closure.
            code[call.upperBound..<opening].wholeMatch(of: /\s*(\([\w\s:]*)?/) != nil,
            let closing = Self.end(of: code[opening...])
        else { return nil }
        text = String(code[code.index(after: opening)..<closing])
    }

    private static func name(of function: String) -> String {
        if function.contains("LazyFilterSequence") { return "filter" }
        let base = function.prefix { $0 != "(" && $0 != "<" }
        return base.split(separator: ".").last.map(String.init) ?? ""
    }

    private static func end(of code: Substring) -> String.Index? {
        var depth = 0
        for index in code.indices {
            if code[index] == "{" { depth += 1 }
            if code[index] == "}" { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns true if the closure only compares a property, as a store can.
    func onlyCompares(_ key: String?) -> Bool {
        if text.contains(/[%*\/+^~{}]|\s-\s|\b(if|guard|for|while|switch|let|var)\b/) { return false }
        // Function calls, and initializers without the object: `Date()`.
        for call in text.matches(of: /([A-Za-z_]\w*)\(([^()]*)/) where !Self.known.contains(String(call.1)) {
            guard call.1.first?.isUppercase == true, !call.2.contains("$") else { return false }
        }
        // Members of the property's value.
        let value = key.map { "[.]\($0)|[)]" } ?? "[)]"
        guard let ofValue = try? Regex("(?:\(value))[?!]?[.](\\w+)") else { return false }
        return text.matches(of: ofValue).allSatisfy { match in
            match.output[1].substring.map { Self.known.contains(String($0)) } ?? false
        }
    }

    /// The functions that predicates and sort descriptors support too.
    private static let known: Set<String> = [
        "value", "contains", "hasPrefix", "hasSuffix", "starts", "lowercased", "uppercased", "isEmpty", "compare",
        "caseInsensitiveCompare", "localizedCompare", "localizedStandardCompare", "localizedCaseInsensitiveCompare",
        "localizedStandardContains", "localizedCaseInsensitiveContains",
    ]
}
