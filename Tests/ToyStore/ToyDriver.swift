import CoreDataRowStorage
import Foundation

/// Stores that are found by URLs of the scheme `toy` in a dictionary of the process.
package enum ToyDriver: StoreDriver {
    /// A database that was found.
    package struct Found {
        let database: ToyDatabase
        let url: URL
    }

    package static let storeType = "Toy"
    package static let urlSchemes = ["toy"]
    /// The name by which a program gives itself to a database.
    package static let optionNames: [String]? = ["ToyApplicationName"]
    package static let abilities: StoreAbilities = [.snapshots, .exclusiveWrites, .severalWriters, .remoteChanges]

    // MARK: Opening

    package static func find(_ place: StorePlace) throws -> Found? {
        guard let database = ToyDatabase.named(place.url) else { return nil }
        try database.requireAnswer()
        return Found(database: database, url: place.url)
    }

    package static func make(_ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts) throws -> Found {
        let database = ToyDatabase.make(place.url) {
            var metadata = model.versionMetadata
            metadata["NSStoreType"] = storeType
            metadata["NSStoreUUID"] = UUID().uuidString
            return ToyDatabase.Content(metadata: metadata, model: model.archive())
        }
        return Found(database: database, url: place.url)
    }

    package static func refresh(_ found: Found, at place: StorePlace) throws -> Found? { try find(place) }

    package static func modelArchive(of found: Found) -> Data? { found.database.content.withLock { $0.model } }

    package static func metadata(of found: Found) -> FoundMetadata {
        let metadata = Unchecked(found.database.content.withLock { Unchecked($0.metadata) }.value)
        return FoundMetadata(identifier: metadata.value["NSStoreUUID"] as? String ?? "") { metadata.value }
    }

    package static func open(_ found: Found, for opening: EngineOpening) throws -> ToyEngine {
        try found.database.requireAnswer()
        return ToyEngine(found.database, opening)
    }

    package static func close(_ engine: ToyEngine) { engine.close() }

    package static func watch(_ engine: ToyEngine, _ onChange: @escaping @Sendable () -> Void) -> (any StoreWatch)? {
        ToyWatch(engine.database, onChange)
    }

    // MARK: Stores that are not open

    private static func require(_ place: StorePlace) throws -> ToyDatabase {
        if let found = try find(place) { return found.database }
        throw CocoaError(.fileReadNoSuchFile, userInfo: [NSURLErrorKey: place.url])
    }

    package static func isOccupied(_ place: StorePlace) -> Bool { ToyDatabase.named(place.url) != nil }

    package static func readMetadata(at place: StorePlace) throws -> [String: Any] {
        try require(place).content.withLock { Unchecked($0.metadata) }.value
    }

    package static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws {
        let metadata = Unchecked(metadata)
        try require(place).content.withLock { $0.metadata = metadata.value }
    }

    package static func destroy(_ place: StorePlace) throws {
        try ToyDatabase.named(place.url)?.requireAnswer()
        ToyDatabase.remove(place.url)
    }

    package static func copy(_ source: StorePlace, to destination: StorePlace) throws {
        let content = try require(source).content.withLock { content in
            Unchecked(
                ToyDatabase.Content(
                    state: content.state, version: content.version, metadata: content.metadata, model: content.model))
        }
        ToyDatabase.remove(destination.url)
        _ = ToyDatabase.make(destination.url) { content.value }
    }

    package static func replacement(of place: StorePlace) -> any StoreReplacement { ToyReplacement(of: place.url) }
}

/// The replacement of one database by another, which has its name with an addition meanwhile.
final class ToyReplacement: StoreReplacement {
    private let store: URL
    private var steps: [URL] = []
    private var held: ToyDatabase?

    init(of store: URL) { self.store = store }

    deinit {
        for url in steps + [successor] { ToyDatabase.remove(url) }
        held?.writer.unlock()
    }

    var successor: URL { place("successor") }

    private func place(_ addition: String) -> URL {
        URL(string: store.absoluteString + "?" + addition) ?? store
    }

    func place(ofStep number: Int) -> URL {
        steps.append(place("step\(number)"))
        return place("step\(number)")
    }

    func removeStep(_ number: Int) { ToyDatabase.remove(place("step\(number)")) }

    func hold() throws {
        held = ToyDatabase.named(store)
        held?.writer.lock()
    }

    func copyStore() throws { try ToyDriver.copy(StorePlace(store), to: StorePlace(successor)) }

    func swap() throws { ToyDatabase.move(successor, to: store) }
}

/// A value that the tests see to themselves.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
