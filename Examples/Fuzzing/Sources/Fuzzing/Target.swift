import Foundation

/// A fuzz target: a reader with its seed corpus and dictionary.
struct Target: Sendable {
    var name: String
    /// The tokens that mutations insert, written as libFuzzer's dictionary.
    var words: [String] = []
    /// The seed corpus. `read` accepts each of these inputs.
    var seeds: @Sendable () throws -> [Data]
    /// The function under test: reads one input and uses the result.
    var read: @Sendable (Data) throws -> Void

    static let all = [
        predicates, xmlModels, compiledModels, compressedModels, mappingModels, mappingSources, stringsFiles,
        propertyLists, archives, imports, storeMetadata, cachedModels, binaryStores,
        xmlStores,
    ]

    /// Returns the target with a name. If there is none, prints all names and exits with status 2.
    static func named(_ name: String?) -> Target {
        if let target = all.first(where: { $0.name == name }) { return target }
        print("FUZZ_TARGET must be one of: \(all.map(\.name).joined(separator: ", "))")
        exit(2)
    }

    /// Writes a folder of seeds and a libFuzzer dictionary for each target.
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
            // libFuzzer rejects an empty dictionary.
            try Data("# Words of \(target.name).\n" + words.joined()).write(
                to: folder.appendingPathComponent("\(target.name).dict"))
        }
    }
}

extension Data {
    init(_ text: String) { self.init(text.utf8) }
}

/// The error thrown for an input that a reader refuses by returning nil.
struct Refused: Error {}

/// Crashes if the condition is false, which libFuzzer reports as a finding.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
