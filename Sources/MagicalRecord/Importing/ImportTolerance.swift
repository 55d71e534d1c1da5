import CoreData

/// The errors an import by attribute has met and passed over, as the original's functions do: what cannot be read is
/// left out, and the rest of the record is imported.
///
/// To be used by one import at a time.
final class ImportTolerance {
    private(set) var errors: [any Error] = []

    func add(_ error: any Error) { errors.append(error) }
}
