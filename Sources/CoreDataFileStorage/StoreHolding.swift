/// Exclusive write access to a store while its successor is created, until the object is deallocated.
package protocol StoreHolding: AnyObject {
    /// Replaces the store with the successor, which must no longer change. Crash-safe: the store has its former content or
    /// the successor's.
    func replaceStore() throws
}
