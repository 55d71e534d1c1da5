import Foundation
import Testing

/// Which types the layers of CoreData name: none of a layer above, so that they can be modules.
@Suite("Arrows between the layers of CoreData")
struct ArrowTests {
    enum Layer: Int, Comparable {
        case memory, graph

        static func < (one: Layer, other: Layer) -> Bool { one.rawValue < other.rawValue }
    }

    /// Files and folders below `Sources/CoreData`, by layer; all others are the graph's. The longest one counts.
    private static let places: [(path: String, layer: Layer)] = [
        ("Stores/Memory/", .memory)
    ]

    private struct File: Sendable {
        var path: String
        var layer: Layer
        var names: SourceNames
    }

    private static let files = Result { try readFiles() }

    private static func readFiles() throws -> [File] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/CoreData").standardizedFileURL
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
        return try paths.sorted().map { path in
            let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            let layer = places.filter { path.hasPrefix($0.path) }.max { $0.path.count < $1.path.count }?.layer
            return File(path: path, layer: layer ?? .graph, names: SourceNames(text))
        }
    }

    /// Lines of a file and a type it names.
    private static func arrows(
        among files: [File], where isListed: (_ from: Layer, _ to: Layer) -> Bool
    ) -> [String] {
        var layers: [String: Layer] = [:]
        for file in files { for name in file.names.declared { layers[name] = min(layers[name] ?? .graph, file.layer) } }
        return files.flatMap { file in
            file.names.named.subtracting(file.names.declared).filter { name in
                layers[name].map { isListed(file.layer, $0) } ?? false
            }.sorted().map { "\(file.path) \($0)" }
        }
    }

    @Test func lowerLayersNameNoTypesOfHigherOnes() throws {
        let found = Self.arrows(among: try Self.files.get()) { $0 < $1 }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    /// Every place that is named above is there.
    @Test func thePlacesExist() throws {
        let files = try Self.files.get()
        for place in Self.places {
            #expect(files.contains { $0.path.hasPrefix(place.path) }, "\(place.path)")
        }
    }

    @Test func textIsReadAsSwift() {
        let names = SourceNames(
            """
            import Foundation  // class Comment
            /* struct Other */
            final class Shelf { struct Inner { let text = "enum Text \\" }" } }
            extension Book { func lend(to: Reader) {} }
            """)
        #expect(names.declared == ["Shelf"])
        #expect(names.named.isSuperset(of: ["Shelf", "Inner", "Book", "Reader"]))
        #expect(names.named.isDisjoint(with: ["Comment", "Other", "Text"]))
    }
}
