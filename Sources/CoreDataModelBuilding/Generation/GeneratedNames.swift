import Foundation

/// The spelling of types of CoreData, Foundation and the standard library in generated code: qualified with their module, so
/// that the program may declare types with the same names, except where a type shadows the module's name.
struct GeneratedNames {
    /// The modules that generated code uses.
    static let modules: Set<String> = ["CoreData", "Foundation", "Swift"]

    /// The modules that a type of the same name shadows.
    var shadowed: Set<String> = []

    func coreData(_ name: String) -> String { text(name, of: "CoreData") }

    func foundation(_ name: String) -> String { text(name, of: "Foundation") }

    func swift(_ name: String) -> String { text(name, of: "Swift") }

    private func text(_ name: String, of module: String) -> String {
        shadowed.contains(module) ? name : "\(module).\(name)"
    }

    /// Returns the modules that types declared in a source shadow.
    static func shadowed(by source: Data, path: String) -> Set<String> {
        // Few files declare such a type, and scanning is slower than searching.
        guard modules.contains(where: { declares($0, source) }) else { return [] }
        let scan = DeclarationScanner.scan(String(decoding: source, as: UTF8.self), path: path)
        return modules.intersection(scan.types.filter { $0.path.count == 1 }.map { $0.path[0] })
    }

    /// Returns whether a type keyword precedes any occurrence of a name.
    private static func declares(_ name: String, _ source: Data) -> Bool {
        let keywords: Set<String> = ["class", "struct", "enum", "actor", "protocol", "typealias"]
        var rest = source[...]
        while let found = rest.range(of: Data(name.utf8)) {
            let before = source[..<found.lowerBound].suffix(32)
            let words = String(decoding: before, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            if let last = words.last, keywords.contains(String(last)) { return true }
            rest = source[found.upperBound...]
        }
        return false
    }
}
