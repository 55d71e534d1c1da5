import Foundation

/// How generated code names the types of CoreData, Foundation and the standard library: with their module, so that a
/// program may have types of its own with the same names, but without where a type hides the module.
struct GeneratedNames {
    /// The modules generated code names.
    static let modules: Set<String> = ["CoreData", "Foundation", "Swift"]

    /// Those of them that a type of that name hides.
    var shadowed: Set<String> = []

    func coreData(_ name: String) -> String { text(name, of: "CoreData") }

    func foundation(_ name: String) -> String { text(name, of: "Foundation") }

    func swift(_ name: String) -> String { text(name, of: "Swift") }

    private func text(_ name: String, of module: String) -> String {
        shadowed.contains(module) ? name : "\(module).\(name)"
    }

    /// Which modules the types that a source declares hide.
    static func shadowed(by source: Data, path: String) -> Set<String> {
        // Few files have such a type, and scanning takes longer than searching.
        guard modules.contains(where: { declares($0, source) }) else { return [] }
        let scan = DeclarationScanner.scan(String(decoding: source, as: UTF8.self), path: path)
        return modules.intersection(scan.types.filter { $0.path.count == 1 }.map { $0.path[0] })
    }

    /// Whether the words before some occurrence of a name may declare a type.
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
