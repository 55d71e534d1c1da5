import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Checks the key paths of sort descriptors and columns before a query runs, so that unknown ones throw.
struct KeyPathCheck {
    let layout: EntityLayout
    let layouts: ModelLayouts

    init(_ layout: EntityLayout, _ layouts: ModelLayouts) {
        self.layout = layout
        self.layouts = layouts
    }

    /// Checks a sort descriptor.
    ///
    /// - Throws: As ``check(path:)``; also for values without an order: to-many relationships and collection operators.
    func check(_ descriptor: NSSortDescriptor) throws {
        if case .unknownSelector(let selector) = descriptor.sortKey.comparison {
            throw StoreErrors.invalidRequest(
                "unsupported NSSortDescriptor selector: \(selector.name)", entity: layout.name, key: descriptor.key)
        }
        guard let key = descriptor.key else { return }
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try check(path: path)
        guard !path.contains(where: { $0.hasPrefix("@") }), !leadsToMany(path) else {
            throw StoreErrors.invalidRequest(
                "to-many key not allowed here: \(key)", entity: layout.name, key: key)
        }
    }

    /// Returns the destination entity of a to-one relationship.
    private func destination(of cell: Int, in owner: EntityLayout) -> EntityLayout? {
        let index = owner.cells[cell].relationshipIndex
        return index < 0 ? nil : layouts.byNumber[owner.relationships[index].destinationNumber]
    }

    private func leadsToMany(_ path: [String]) -> Bool {
        var current = layout
        for key in path {
            guard let owner = owner(of: key, from: current) else { continue }
            switch owner.members[key] {
            case .toMany: return true
            case .cell(let index):
                guard let next = destination(of: index, in: owner) else { return false }
                current = next
            default: return false
            }
        }
        return false
    }

    /// Checks a key path.
    ///
    /// - Throws: An error with the text of Apple's exception if a key is not a property of the model.
    func check(path: [String]) throws {
        var current = layout
        for (index, key) in path.enumerated() where !key.hasPrefix("@") {
            if key == "self" || key == "SELF" || key == "objectID" && index == path.count - 1 { continue }
            guard let owner = owner(of: key, from: current) else { throw missing(key, path) }
            switch owner.members[key] {
            case .cell(let cell):
                guard owner.cells[cell].kind == .reference else {
                    // The only property of a value is the length of a text.
                    let rest = path[(index + 1)...]
                    guard rest.isEmpty || rest == ["length"] && owner.cells[cell].kind == .string else {
                        throw missing(rest.first ?? key, path)
                    }
                    return
                }
                guard let next = destination(of: cell, in: owner) else { return }
                current = next
            case .toMany(let number):
                guard let next = layouts.byNumber[owner.relationships[number].destinationNumber] else { return }
                current = next
            default: return
            }
        }
    }

    private func missing(_ key: String, _ path: [String]) -> NSError {
        StoreErrors.invalidRequest(
            "keypath \(path.joined(separator: ".")) not found in entity \(layout.name)", entity: layout.name, key: key)
    }

    /// Returns the entity, or the first of its subentities, that has the property.
    private func owner(of key: String, from layout: EntityLayout) -> EntityLayout? {
        if layout.members[key] != nil { return layout }
        return layout.familyNumbers.lazy.compactMap { layouts.byNumber[$0] }.first { $0.members[key] != nil }
    }
}
