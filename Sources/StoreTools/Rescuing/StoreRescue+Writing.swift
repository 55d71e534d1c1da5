import Foundation

extension StoreRescue {
    /// Writes a new store with everything that can be read of the damaged one, consistent and under the same model.
    ///
    /// The new store is written under a temporary name beside `destination`, and renamed at the end: an error or a
    /// cancellation leaves nothing behind. Files of external values are copied into the folder beside the new store.
    /// Costs about as much as copying the store; memory does not grow with its size, except for the keys of damaged rows.
    ///
    /// - Parameter destination: The file of the new store, in an existing folder. Neither it nor its side files may exist.
    /// - Returns: What was kept, mended and lost.
    /// - Throws: ``StoreToolError``: `destination`, also if there is not enough space; `noModel` and `otherModel` for a
    ///   store without a model; `changed` if the store is written meanwhile; `cancelled`; `nothingRescued`.
    public func write(to destination: URL) throws -> RescueReport {
        let target = try RescueDestination(destination)
        do {
            let operation = try RescueOperation(self, target)
            let report = try operation.run()
            try target.finish()
            return report
        } catch {
            let failure = RescueFailure.error(error, url, target)
            target.discard()
            throw failure
        }
    }
}
