/// The sole right to change a store while its successor is made, for as long as the object lives.
package protocol StoreHolding: AnyObject {
    /// Puts the successor, which no longer changes, in the store's place. Killed at any moment, the store is what it was or the
    /// successor.
    func replaceStore() throws
}
