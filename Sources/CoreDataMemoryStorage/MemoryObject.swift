import CoreDataRowStorage
import Foundation
import PredicateFormat

/// A row in memory as predicates, sort descriptors and expressions see it: key by key, relationships followed.
final class MemoryObject: NSObject {
    /// What all objects of one query share.
    final class World {
        let state: MemoryState
        /// What stands for a row in predicates.
        let objectID: (RowReference) -> NSObject
        /// The first key that was asked for and is no property, and the entity that was asked.
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

    /// The value of a property; related objects are `MemoryObject`s. nil for keys that are no property, which are noted.
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
                // Entities of a hierarchy share a table in SQL, where a key of another one is nil.
                if world.undefinedKey == nil, !isKeyOfHierarchy(name) { world.undefinedKey = (name, layout.name) }
                return nil
            }
        }
    }

    /// Whether an entity of the hierarchy this one belongs to has a property of that name.
    private func isKeyOfHierarchy(_ name: String) -> Bool {
        layout.root.familyNumbers.contains { world.state.layouts.byNumber[$0]?.members[name] != nil }
    }

    /// The values at the end of a path, of a to-many relationship those of every object, equal ones too.
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

    // The same row is the same object.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? MemoryObject else { return false }
        return key == other.key && layout.root === other.layout.root
    }

    override var hash: Int { Int(truncatingIfNeeded: key) ^ layout.root.number << 40 }
}

extension MemoryObject: KeyValueCoding {}

extension MemoryObject: PredicateIdentifiable {
    // So that a managed object or its ID in a predicate finds its row.
    var predicateIdentity: AnyHashable { objectID }
}
