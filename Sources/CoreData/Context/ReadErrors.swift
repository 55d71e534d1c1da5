import CoreDataRowStorage

/// The errors of reads for which no caller could be given one: an accessor fired a fault, or a relationship was asked for.
struct ReadErrors {
    /// The first error that the program has not taken yet.
    private(set) var first: (any Error)?
    /// The number of errors so far, those that were taken included: tells whether any came while something ran.
    private(set) var count = 0
    /// Objects that gave placeholders, and changed ones that could not be read again under their changes.
    private var objects: [ObjectIdentifier: WeakObject] = [:]
    /// Objects of which a list could not tell whether and where they stand in it.
    private var undecided: [NSManagedObject] = []
    /// The size at which entries of objects that are gone are removed.
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

    /// Keeps objects until the error is taken, which a list looks at again then.
    mutating func keep(undecided more: some Sequence<NSManagedObject>) { undecided += more }

    /// Forgets the error, and returns the objects that it concerned.
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
    /// Notes an error that no caller could be given.
    ///
    /// - Parameter object: The object that gives placeholders for now, or keeps old values.
    @inline(never)
    final func note(readError error: any Error, of object: NSManagedObject?) {
        if Self.stopsOnUnreadableFaults {
            fatalError(
                "CoreData could not read \(object.map { "'\($0.objectID.uriRepresentation().absoluteString)'" } ?? "an object"): \((error as NSError).localizedDescription) The store must be readable where stopsOnUnreadableFaults is set or COREDATA_UNREADABLE is \"stop\"."
            )
        }
        readErrors.note(error, object)
    }

    /// Throws the error of a read that no caller could be given, unless the program has taken it.
    @inline(__always)
    final func throwReadError() throws {
        if let error = readErrors.first { throw error }
    }

    /// Runs something that can throw, and throws the error of a read which `body` made and could not pass on itself.
    @inline(__always)
    final func passingOnReadErrors<Result>(_ body: () throws -> Result) throws -> Result {
        let count = readErrors.count
        let result = try body()
        if readErrors.count != count { try throwReadError() }
        return result
    }

    /// Forgets the error because nothing is left of what it concerned. Lists look again at what they could not tell.
    final func forgetReadErrors() {
        guard readErrors.first != nil else { return }
        for object in readErrors.take() where object.context === self && !object._state.isEnding {
            noteRefreshed(object)
        }
    }
}
