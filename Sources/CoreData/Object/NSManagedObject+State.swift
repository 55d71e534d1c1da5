import CoreDataRowStorage

extension NSManagedObject {
    final var identifier: NSManagedObjectID {
        // Objects that left their context still have their former key.
        if let table = _tableReference {
            let known = _extraReference?._withUnsafeGuaranteedRef { $0.objectID }
            if let known, known.key == _key { return known }
            return table._withUnsafeGuaranteedRef { NSManagedObjectID(identity: $0.identity, key: _key) }
        }
        if let known = _extra?.objectID { return known }
        let objectID = NSManagedObjectID(identity: .temporary(for: layout), key: NSManagedObjectID.makeTemporaryKey())
        extra.objectID = objectID
        return objectID
    }

    @inline(__always)
    final var hasUnsavedUpdate: Bool { _state.isUpdated }
    @inline(__always)
    final var hasUnsavedChanges: Bool { _state.isChanged }

    /// True if a registered object has the key of a row, possibly one not yet saved. See ``RowReference`` about keys.
    @inline(__always)
    final var hasPermanentKey: Bool { _key > 0 }

    final func isRelationshipFault(named key: String) -> Bool {
        guard let index = layout.relationshipIndex(named: key), !_state.contains(.fault) else { return true }
        let materialised = _extra.flatMap { index < $0.relationships.count ? $0.relationships[index] : nil }
        let relationship = layout.relationships[index]
        if relationship.isToMany {
            return (materialised as? ToMany)?.isFault ?? !_state.isInserted
        }
        if let object = materialised as? NSManagedObject { return object._state.contains(.fault) }
        guard let row = _row, EntityLayout.isPresent(row, relationship.cell) else { return false }
        return true
    }

    final func destinationIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
        guard let index = layout.relationshipIndex(named: key), realise() else { return [] }
        let relationship = layout.relationships[index]
        guard relationship.isToMany else { return toOne(at: index).map { [$0.identifier] } ?? [] }
        return loadedToMany(at: index).members.map(\.identifier)
    }

    final func describe() -> String {
        let address = String(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque().hashValue), radix: 16)
        let head =
            "<\(type(of: self)): 0x\(address)> (entity: \(entity.name ?? "?"); id: \(objectID.uriRepresentation().absoluteString); data: "
        guard !_state.contains(.fault), _row != nil else { return head + "<fault>)" }
        let lines = layout.members.names.sorted().map { name -> String in
            switch layout.members[name]! {
            case .cell(let index) where layout.cells[index].kind == .reference:
                let relationship = layout.cells[index].relationshipIndex
                let target = EntityLayout.isPresent(_row!, index) ? toOne(at: relationship) : nil
                return
                    "    \(name) = \(target.map { "\"\($0.objectID.uriRepresentation().absoluteString)\"" } ?? "nil");"
            case .toMany(let index):
                let toMany = _extra.flatMap {
                    index < $0.relationships.count ? $0.relationships[index] as? ToMany : nil
                }
                guard let toMany, !toMany.isFault else { return "    \(name) = \"<relationship fault: '\(name)'>\";" }
                let ids = toMany.members.map { "\"\($0.objectID.uriRepresentation().absoluteString)\"" }
                return "    \(name) = (\(ids.joined(separator: ", ")));"
            case .fetched: return "    \(name) = \"<fetched property>\";"
            case let member:
                if let missing = missingTransformer(of: name) {
                    return "    \(name) = \"<no transformer '\(missing)'>\";"
                }
                return "    \(name) = \(Self.text(of: value(of: member)));"
            }
        }
        return head + "{\n" + lines.joined(separator: "\n") + "\n})"
    }

    /// Returns a printable value. Foundation stops the program when it prints a date that is not a number.
    private static func text(of value: Any?) -> String {
        switch value {
        case nil: return "nil"
        case let date as Date: return date.timeIntervalSinceReferenceDate.isNaN ? "not a date" : "\(date)"
        case let parts as [String: Any]:
            return "[\(parts.keys.sorted().map { "\($0): \(text(of: parts[$0]))" }.joined(separator: ", "))]"
        case let value?: return "\(value)"
        }
    }
}
