// An object of the graph refers to all others, and each to its context, its store and its model. Reflection (`dump`, or a
// failed expectation of a test) must not traverse all of that; the descriptions are sufficient.

extension NSManagedObject: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSManagedObjectID: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSManagedObjectContext: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSPersistentStoreCoordinator: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSPersistentStore: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

// Its URL may contain a password.
extension NSPersistentStoreDescription: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSManagedObjectModel: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSEntityDescription: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension NSPropertyDescription: CustomReflectable {
    public var customMirror: Mirror { .leaf(self) }
}

extension Mirror {
    fileprivate static func leaf(_ subject: some AnyObject) -> Mirror {
        Mirror(subject, children: [], ancestorRepresentation: .suppressed)
    }
}
