import CoreDataRowStorage

/// The errors of reads that could not throw: property accesses that fired a fault or loaded a relationship.
struct ReadErrors {
    /// The first error that the program has not taken yet.
    private(set) var first: (any Error)?
    /// The number of errors so far, including those that were taken: shows whether one occurred during an operation.
    private(set) var count = 0
    /// The objects that returned placeholders, and changed ones that could not be read again below their changes.
    private var objects: [ObjectIdentifier: WeakObject] = [:]
    /// The objects with an undetermined position in a results list.
    private var undecided: [NSManagedObject] = []
    /// The size at which entries of deallocated objects are removed.
    private var limit = 64

    mutating func note(_ error: any Error, _ object: NSManagedObject?) {
        count += 1
        if first == nil { first = error }
        guard let object else { return }
        if objects.count >= limit {
            objects = objects.filter { $0.value.object != nil }
            limit = max(64, objects.count * 2)
        }
        objects[ObjectIdentifier(object)] = WeakObject(object: object)
    }

    /// Keeps objects that a results list evaluates again when the error is taken.
    mutating func keep(undecided more: some Sequence<NSManagedObject>) { undecided += more }

    /// Clears the error and returns the objects it concerned.
    mutating func take() -> [NSManagedObject] {
        let known = objects.values.compactMap(\.object)
        let others = undecided.filter {
            objects.updateValue(WeakObject(object: $0), forKey: ObjectIdentifier($0)) == nil
        }
        (first, objects, undecided) = (nil, [:], [])
        return known + others
    }
}

extension NSManagedObjectContext {
    /// Records an error that could not be thrown to the caller.
    ///
    /// - Parameter object: The object that returns placeholders for now, or keeps old values.
    @inline(never)
    final func note(readError error: any Error, of object: NSManagedObject?) {
        if Self.stopsOnUnreadableFaults {
            fatalError(
                "CoreData could not read \(object.map { "'\($0.objectID.uriRepresentation().absoluteString)'" } ?? "an object"): \((error as NSError).localizedDescription) The store must be readable where stopsOnUnreadableFaults is set or COREDATA_UNREADABLE is \"stop\"."
            )
        }
        readErrors.note(error, object)
    }

    /// Throws the recorded error of an earlier read, unless the program has taken it.
    @inline(__always)
    final func throwReadError() throws {
        if let error = readErrors.first { throw error }
    }

    /// Calls `body`, and throws the error of a read within it that it could not throw.
    @inline(__always)
    final func passingOnReadErrors<Result>(_ body: () throws -> Result) throws -> Result {
        let count = readErrors.count
        let result = try body()
        if readErrors.count != count { try throwReadError() }
        return result
    }

    /// Clears the error because nothing that it concerned is left. Results lists evaluate their undetermined objects again.
    /// again.
    final func forgetReadErrors() {
        guard readErrors.first != nil else { return }
        for object in readErrors.take() where object.context === self && !object._state.isEnding {
            noteRefreshed(object)
        }
    }
}
