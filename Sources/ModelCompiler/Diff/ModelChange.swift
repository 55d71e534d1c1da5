import CoreDataModelBuilding
import ModelFormat

/// A difference between two versions of a model, and its effect on stores.
public struct ModelChange: Sendable, Hashable {
    /// The requirement for opening a store of the old version with the new one.
    public enum Effect: Int, Sendable, Hashable, Comparable, CaseIterable {
        /// Nothing: the version hash does not include the change.
        case none
        /// Lightweight migration: Core Data infers the mapping. All data is preserved, or migration fails for the stated
        /// reason.
        case lightweight
        /// A mapping model, or a custom stage: no mapping can be inferred, or the inferred one fails for the stated reason.
        case needsMapping
        /// A lightweight migration drops data, or fails with error 134110 if the store contains data that would be dropped.
        case losesData

        public static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }

        /// The effect as text.
        public var words: String {
            switch self {
            case .none: "no migration"
            case .lightweight: "lightweight"
            case .needsMapping: "needs a mapping"
            case .losesData: "loses data"
            }
        }
    }

    /// The effect on a store.
    public var effect: Effect
    /// The entity, by its new name, or by its old one if it was removed.
    public var entity: String?
    /// The property, by its new name, or by its old one if it was removed.
    public var property: String?
    /// The change, as text.
    public var change: String
    /// The reason for the effect, with advice.
    public var reason: String

    /// Creates a change.
    public init(_ effect: Effect, entity: String?, property: String? = nil, change: String, reason: String) {
        self.effect = effect
        self.entity = entity
        self.property = property
        self.change = change
        self.reason = reason
    }

    /// Creates the change for a difference for which no mapping can be inferred.
    init(_ refusal: InferenceRefusal) {
        // The output shows the entity in a heading, and the property before the text.
        let place = [refusal.entity, refusal.property].compactMap { $0 }.joined(separator: ".")
        let words =
            refusal.reason.hasPrefix(place + " ") ? String(refusal.reason.dropFirst(place.count + 1)) : refusal.reason
        self.init(
            .needsMapping, entity: refusal.entity, property: refusal.property, change: words, reason: refusal.advice)
    }
}

extension ModelChange {
    /// Creates the change for data that makes an inferred migration fail in some stores.
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
    /// The name of the effect in JSON and on the command line.
    var key: String {
        switch self {
        case .none: "none"
        case .lightweight: "lightweight"
        case .needsMapping: "needsMapping"
        case .losesData: "losesData"
        }
    }
}
