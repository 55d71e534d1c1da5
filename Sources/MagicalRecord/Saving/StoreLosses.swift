import CoreData

extension NSManagedObjectContext {
    /// The number of times that this context and its parents lost unsaved changes with a removed store. On any thread.
    var storeLosses: Int {
        var (losses, context) = (changesLostWithStores, parent)
        while let ancestor = context {
            losses += ancestor.changesLostWithStores
            context = ancestor.parent
        }
        return losses
    }

    /// - Parameter before: the value of ``storeLosses`` when the work of a save began.
    /// - Throws: ``MagicalRecordError/Code/noStore`` when changes were lost since.
    func requireNoStoreLosses(since before: Int) throws {
        guard storeLosses != before else { return }
        throw MagicalRecordError(
            .noStore, "A store was removed within a save by \(magicalName), and changes with it.",
            advice: "Remove stores when the saves to them have ended; tearDown() waits for that.")
    }
}

#if canImport(ObjectiveC)
extension NSManagedObjectContext {
    /// Apple's Core Data does not say.
    fileprivate var changesLostWithStores: Int { 0 }
}
#endif
