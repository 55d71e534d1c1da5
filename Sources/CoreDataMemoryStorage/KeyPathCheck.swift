import CoreDataRowStorage
import Foundation
import PredicateFormat

/// Finds key paths of sort orders and columns that lead nowhere before a query runs, so that they give an error.
struct KeyPathCheck {
    let layout: EntityLayout
    let layouts: ModelLayouts

    init(_ layout: EntityLayout, _ layouts: ModelLayouts) {
        self.layout = layout
        self.layouts = layouts
    }

    /// - Throws: As ``check(path:)``; also for what has no order: to-many relationships and collection operators.
    func check(_ descriptor: NSSortDescriptor) throws {
        if case .unknownSelector(let selector) = descriptor.sortKey.comparison {
            throw StoreErrors.invalidRequest(
                "unsupported NSSortDescriptor selector: \(selector.name)", entity: layout, key: descriptor.key)
        }
        guard let key = descriptor.key else { return }
        let path = key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try check(path: path)
        guard !path.contains(where: { $0.hasPrefix("@") }), !leadsToMany(path) else {
            throw StoreErrors.invalidRequest(
                "to-many key not allowed here: \(key)", entity: layout, key: key)
        }
    }

    /// The entity that a to-one relationship leads to.
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

    /// - Throws: An error in the words of Apple's exception when a key of the path is no property of the model.
    func check(path: [String]) throws {
        var current = layout
        for (index, key) in path.enumerated() where !key.hasPrefix("@") {
            if key == "self" || key == "SELF" || key == "objectID" && index == path.count - 1 { continue }
            guard let owner = owner(of: key, from: current) else { throw missing(key, path) }
            switch owner.members[key] {
            case .cell(let cell):
                guard owner.cells[cell].kind == .reference else {
                    // Of a value nothing but the length of a text has a meaning.
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
            "keypath \(path.joined(separator: ".")) not found in entity \(layout.name)", entity: layout, key: key)
    }

    /// The entity itself or one below it that has the property.
    private func owner(of key: String, from layout: EntityLayout) -> EntityLayout? {
        if layout.members[key] != nil { return layout }
        return layout.familyNumbers.lazy.compactMap { layouts.byNumber[$0] }.first { $0.members[key] != nil }
    }
}
