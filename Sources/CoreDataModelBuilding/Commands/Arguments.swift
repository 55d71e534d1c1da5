/// The parsed arguments of a command line: options with values, flags, and positional arguments.
package struct Arguments {
    private var values: [String: [String]] = [:]
    private var flags: Set<String> = []
    package private(set) var positional: [String] = []

    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - options: the names that take a value, `--module App` or `--module=App`.
    ///   - flags: the names without a value.
    ///   - short: the one-letter forms, `o` for `output`.
    /// - Throws: ``UsageError`` for unknown or incomplete options.
    package init(
        _ words: [String], options: Set<String>, flags known: Set<String> = [], short: [String: String] = [:]
    ) throws(UsageError) {
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            let isLong = word.hasPrefix("--")
            let parts = word.drop { $0 == "-" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let typed = String(parts[0])
            guard let name = isLong ? typed : short[typed], options.contains(name) || known.contains(name) else {
                throw UsageError("there is no option \(word)")
            }
            if known.contains(name) {
                guard parts.count == 1 else { throw UsageError("\(word): the option takes no value") }
                flags.insert(name)
            } else if parts.count > 1 {
                values[name, default: []].append(String(parts[1]))
            } else {
                guard let value = rest.popFirst() else { throw UsageError("\(word) needs a value") }
                values[name, default: []].append(value)
            }
        }
    }

    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    package func all(_ option: String) -> [String] { values[option] ?? [] }

    /// Returns the last value of an option.
    package subscript(_ option: String) -> String? { values[option]?.last }

    /// Returns the single positional argument. Throws if there is none or more than one.
    package func one(_ what: String) throws(UsageError) -> String {
        guard positional.count == 1 else {
            throw UsageError(positional.isEmpty ? "\(what) is missing" : "there is more than one \(what)")
        }
        return positional[0]
    }
}

/// An invalid command line.
package struct UsageError: Error {
    package var message: String
    package init(_ message: String) { self.message = message }
}
