import CoreDataRowStorage

extension MissingExternalValue {
    /// The error for the value of an object.
    static func error(_ entity: String, _ attribute: String, of object: NSManagedObject) -> NSError {
        let id = object.identifier.uriRepresentation().absoluteString
        return make(entity, attribute, "The external file of \(entity).\(attribute) of \(id) is missing.")
    }
}

extension NSManagedObject {
    /// Whether an attribute reads as nil because its external file is missing.
    final func isUnread(_ key: String) -> Bool {
        guard case .cell(let index)? = layout.members[key], let row = _row else { return false }
        return layout.isUnread(row, index)
    }
}
