import CoreDataModelBuilding
import ModelFormat

/// One difference between two versions of a model, and what it means for stores.
public struct ModelChange: Sendable, Hashable {
    /// What a store of the old version needs in order to be opened with the new one.
    public enum Effect: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Nothing: the version hash does not see the change.
        case none
        /// Lightweight migration: Core Data infers the mapping, and keeps all data, or fails where the reason says so.
        case lightweight
        /// A mapping model, or a custom stage: no mapping can be inferred, or the inferred one fails where the reason says so.
        case needsMapping
        /// A lightweight migration drops data, or fails with error 134110 where a store holds what it would have to drop.
        case losesData

        public static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }

        /// The effect in words.
        public var words: String {
            switch self {
            case .none: "no migration"
            case .lightweight: "lightweight"
            case .needsMapping: "needs a mapping"
            case .losesData: "loses data"
            }
        }
    }

    /// What the change does to a store.
    public var effect: Effect
    /// The entity, by its new name, or its old one if it is gone.
    public var entity: String?
    /// The property, by its new name, or its old one if it is gone.
    public var property: String?
    /// What changed, in words.
    public var change: String
    /// Why it has the effect, and what to look out for.
    public var reason: String

    public init(_ effect: Effect, entity: String?, property: String? = nil, change: String, reason: String) {
        self.effect = effect
        self.entity = entity
        self.property = property
        self.change = change
        self.reason = reason
    }

    /// What no mapping is inferred for.
    init(_ refusal: InferenceRefusal) {
        // The entity stands above the line, and the property before it.
        let place = [refusal.entity, refusal.property].compactMap { $0 }.joined(separator: ".")
        let words =
            refusal.reason.hasPrefix(place + " ") ? String(refusal.reason.dropFirst(place.count + 1)) : refusal.reason
        self.init(
            .needsMapping, entity: refusal.entity, property: refusal.property, change: words, reason: refusal.advice)
    }
}

extension ModelChange {
    /// What an inferred migration fails on in some stores.
    init(_ hazard: MigrationHazard, change: String? = nil) {
        let isLink = hazard.kind == .destination || hazard.kind == .place
        self.init(
            isLink ? .losesData : .needsMapping, entity: hazard.entity, property: hazard.property,
            change: change ?? hazard.words,
            reason: (change == nil ? "" : hazard.words + "; ")
                + "fails with error 134110 where a store holds \(hazard.objects): \(hazard.advice)")
    }
}

extension ModelChange.Effect {
    /// The effect's name in JSON and on the command line.
    var key: String {
        switch self {
        case .none: "none"
        case .lightweight: "lightweight"
        case .needsMapping: "needsMapping"
        case .losesData: "losesData"
        }
    }
}
