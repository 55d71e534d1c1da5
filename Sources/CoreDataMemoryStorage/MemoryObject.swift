import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A row in memory as an object for predicates, sort descriptors and expressions, with key-value coding and relationships.
final class MemoryObject: NSObject {
    /// The state that all objects of one query share.
    final class World {
        let state: MemoryState
        /// Creates the object that represents a row in predicates.
        let objectID: (RowReference) -> NSObject
        /// The first requested key that is not a property, and the entity it was requested from.
        fileprivate(set) var undefinedKey: (key: String, entity: String)?

        init(_ state: MemoryState, objectID: @escaping (RowReference) -> NSObject) {
            self.state = state
            self.objectID = objectID
        }

        func object(_ reference: RowReference) -> MemoryObject? {
            state.row(reference).map { MemoryObject(self, $0, key: reference.key) }
        }
    }

    let world: World
    let row: MemoryRow
    let key: Int64

    init(_ world: World, _ row: MemoryRow, key: Int64) {
        self.world = world
        self.row = row
        self.key = key
    }

    var layout: EntityLayout { world.state.layouts.byNumber[row.entityNumber].unsafelyUnwrapped }
    var reference: RowReference { RowReference(entityNumber: row.entityNumber, key: key) }
    var objectID: NSObject { world.objectID(reference) }

    /// Returns the value of a property; related objects are `MemoryObject`s. Returns nil for unknown keys, which are
    /// recorded.
    func value(forKey name: String) -> Any? {
        let layout = layout
        switch layout.members[name] {
        case .cell(let index):
            let cell = layout.cells[index]
            guard EntityLayout.isPresent(row.row, index) else { return nil }
            let bits = layout.bits(row.row, index)
            if cell.kind == .reference { return world.object(RowReference(bits: bits)) }
            return CellCoding.decode(bits, as: cell, in: row.slab)
        case .toMany(let index):
            let relationship = layout.relationships[index]
            let objects = world.state.related(by: relationship, of: layout, key: key).compactMap { world.object($0) }
            return relationship.isOrdered ? objects as Any : Set(objects) as Any
        case .composite, .fetched: return nil
        case nil:
            switch name {
            case "objectID", "self", "SELF": return objectID
            case "entity": return layout.traits
            default:
                // Entities of a hierarchy share a table in SQL, where a key of another entity is nil.
                if world.undefinedKey == nil, !isKeyOfHierarchy(name) { world.undefinedKey = (name, layout.name) }
                return nil
            }
        }
    }

    /// Returns true if any entity of this object's hierarchy has a property of that name.
    private func isKeyOfHierarchy(_ name: String) -> Bool {
        layout.root.familyNumbers.contains { world.state.layouts.byNumber[$0]?.members[name] != nil }
    }

    /// Appends the values at the end of a path, including duplicates; for a to-many relationship, those of every member.
    func collect(_ path: ArraySlice<String>, into values: inout [Any]) {
        guard let name = path.first else { return values.append(self) }
        let rest = path.dropFirst()
        if case .toMany(let index)? = layout.members[name] {
            for reference in world.state.related(by: layout.relationships[index], of: layout, key: key) {
                world.object(reference)?.collect(rest, into: &values)
            }
            return
        }
        switch value(forKey: name) {
        case nil: return
        case let object as MemoryObject: object.collect(rest, into: &values)
        case let value? where rest.isEmpty: values.append(value)
        case let value?:
            let path = rest.joined(separator: ".")
            if let value = ExpressionObject(forKeyPath: path).expressionValue(with: value, context: nil) {
                values.append(value)
            }
        }
    }

    // Objects with the same row are equal.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MemoryObject else { return false }
        return key == other.key && layout.root === other.layout.root
    }

    override var hash: Int { Int(truncatingIfNeeded: key) ^ layout.root.number << 40 }
}

extension MemoryObject: KeyValueCoding {}

extension MemoryObject: PredicateIdentifiable {
    // Lets a managed object or its ID in a predicate match its row.
    var predicateIdentity: AnyHashable { objectID }
}
