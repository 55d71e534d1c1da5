import CoreData

extension NSOrderedSet {
    /// Returns the objects of a class in their order: `user.notes.array(of: Note.self)`.
    ///
    /// An ordered relationship is declared as `NSOrderedSet`, which does not say what is related. Objects of other classes are
    /// left out. The array is a copy: later changes of the relationship do not change it.
    ///
    /// Like the objects, it belongs on the queue of their context.
    public func array<Related: NSManagedObject>(of type: Related.Type) -> [Related] {
        compactMap { $0 as? Related }
    }
}
