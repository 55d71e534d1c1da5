import Foundation

/// A reader, with whole inputs to begin with.
struct Target: Sendable {
    var name: String
    /// What mutations insert: the words of a language.
    var words: [String] = []
    /// Whole inputs, each of which `read` accepts.
    var seeds: @Sendable () throws -> [Data]
    /// Reads one input, and uses what comes of it.
    var read: @Sendable (Data) throws -> Void

    static let all = [
        predicates, xmlModels, compiledModels, compressedModels, mappingModels, mappingSources, stringsFiles,
        propertyLists, archives, imports, storeMetadata, cachedModels, binaryStores,
        xmlStores,
    ]

    /// The target of a name; prints all names and ends the program if there is none.
    static func named(_ name: String?) -> Target {
        if let target = all.first(where: { $0.name == name }) { return target }
        print("FUZZ_TARGET must be one of: \(all.map(\.name).joined(separator: ", "))")
        exit(2)
    }

    /// Writes a folder of seeds for each target, and beside it the words as a dictionary of libFuzzer's.
    static func writeSeeds(to folder: URL) throws {
        for target in all {
            let place = folder.appendingPathComponent(target.name)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (number, seed) in try target.seeds().enumerated() {
                try target.read(seed)
                try seed.write(to: place.appendingPathComponent("seed-\(number)"))
            }
            let words = target.words.map { word in
                "\"" + word.utf8.map { "\\x" + String(Int($0) | 0x100, radix: 16).dropFirst() }.joined() + "\"\n"
            }
            // libFuzzer refuses an empty dictionary.
            try Data("# Words of \(target.name).\n" + words.joined()).write(
                to: folder.appendingPathComponent("\(target.name).dict"))
        }
    }
}

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}

/// Why an input is refused, where the reader answers with nil.
struct Refused: Error {}

/// Ends the program, as libFuzzer wants it, when a reader breaks a rule.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
