import CoreData

/// A source of values that is read again after changes that may affect it, and delivers each value that differs from the last
/// delivered one.
class DistinctSource<Value: Equatable>: WatchedSource<Value> {
    private var needsLook = true
    private var value: Value?
    /// The value that was delivered last.
    private var taken: Value?

    /// Notes whether a change may affect the value, and returns it.
    final func note(_ matters: Bool) -> Bool {
        if matters { needsLook = true }
        return matters
    }

    /// Returns the present value; nil if there is none to deliver.
    func look(in context: NSManagedObjectContext) throws -> Value? { nil }

    final override func update(in context: NSManagedObjectContext) throws -> Bool {
        guard needsLook else { return false }
        needsLook = false
        guard let new = try look(in: context) else { return false }
        defer { value = new }
        return new != value
    }

    final override func take() throws -> Value? {
        // It may have gone and come back meanwhile.
        guard value != taken else { return nil }
        taken = value
        return value
    }
}
