/// Recognizes functions of this package and of the standard library by their mangled names.
enum OwnSymbol {
    private static let modules = [
        "CoreData", "MagicalRecord", "MagicalRecordTesting", "CoreDataRowStorage", "CoreDataSQLiteStorage",
        "CoreDataMemoryStorage", "CoreDataSQLQueries", "PredicateFormat", "PredicateSyntax", "CoreDataRuntimeSupport",
        "ModelFormat",
    ]

    private static let prefixes = modules.map { "$s\($0.utf8.count)\($0)" }

    /// Returns true if a function is declared in this package. False for a program's extension of one of its types, which has
    /// the program's module before an `E`; also false if that is uncertain.
    static func isOwn(_ symbol: String) -> Bool {
        guard let prefix = prefixes.first(where: symbol.hasPrefix) else { return false }
        // The module's name is followed by another name or an operator; a longer module's name would continue.
        let rest = Array(symbol.utf8.dropFirst(prefix.utf8.count))
        return !namesAModuleOfAnExtension(rest)
    }

    /// Returns true if a function is declared in the standard library, even if it is generic and compiled into the program.
    /// False for a program's extension of one of its types.
    static func isStandardLibrary(_ symbol: String) -> Bool {
        // After `$s`: `s` for the module, and `S…` for its well-known types.
        (symbol.hasPrefix("$ss") || symbol.hasPrefix("$sS"))
            && !namesAModuleOfAnExtension(Array(symbol.utf8.dropFirst(2)))
    }

    /// Searches for a name preceded by its length and followed by an `E`.
    private static func namesAModuleOfAnExtension(_ text: [UInt8]) -> Bool {
        var place = 0
        while place < text.count {
            guard isDigit(text[place]) else {
                place += 1
                continue
            }
            var length = 0
            while place < text.count, isDigit(text[place]), length < 10_000 {
                length = length * 10 + Int(text[place] - UInt8(ascii: "0"))
                place += 1
            }
            let end = place + length
            if length > 0, end < text.count, text[end] == UInt8(ascii: "E") { return true }
        }
        return false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
