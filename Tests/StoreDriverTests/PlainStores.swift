import CoreData
import CoreDataRowStorage
import Foundation
import ToyStore

/// The same stores by another scheme, with engines that read and save, and do no more.
enum PlainDriver: StoreDriver {
    static let storeType = "Plain"
    static let urlSchemes = ["plain"]
    static let abilities: StoreAbilities = []

    static func find(_ place: StorePlace) throws -> ToyDriver.Found? { try ToyDriver.find(place) }
    static func make(
        _ place: StorePlace, for model: any StoredModel, _ layouts: ModelLayouts
    ) throws -> ToyDriver.Found {
        try ToyDriver.make(place, for: model, layouts)
    }
    static func refresh(_ found: ToyDriver.Found, at place: StorePlace) throws -> ToyDriver.Found? {
        try ToyDriver.refresh(found, at: place)
    }
    static func metadata(of found: ToyDriver.Found) -> FoundMetadata { ToyDriver.metadata(of: found) }
    static func modelArchive(of found: ToyDriver.Found) -> Data? { nil }
    static func open(_ found: ToyDriver.Found, for opening: EngineOpening) throws -> PlainEngine {
        PlainEngine(try ToyDriver.open(found, for: opening))
    }
    static func close(_ engine: PlainEngine) { ToyDriver.close(engine.toy) }

    static func isOccupied(_ place: StorePlace) -> Bool { ToyDriver.isOccupied(place) }
    static func readMetadata(at place: StorePlace) throws -> [String: Any] { try ToyDriver.readMetadata(at: place) }
    static func writeMetadata(_ metadata: [String: Any], at place: StorePlace) throws {
        try ToyDriver.writeMetadata(metadata, at: place)
    }
    static func destroy(_ place: StorePlace) throws { try ToyDriver.destroy(place) }
    static func copy(_ source: StorePlace, to destination: StorePlace) throws {
        try ToyDriver.copy(source, to: destination)
    }
    static func replacement(of place: StorePlace) throws -> any StoreReplacement {
        ToyDriver.replacement(of: place)
    }
}

/// An engine without abilities.
final class PlainEngine: StoreEngine {
    let toy: ToyEngine

    init(_ toy: ToyEngine) { self.toy = toy }

    func session() throws -> any StoreSession { try toy.session() }

    func reserveKeys(count: Int, of layout: EntityLayout) throws -> KeyRuns {
        try toy.reserveKeys(count: count, of: layout)
    }
}
