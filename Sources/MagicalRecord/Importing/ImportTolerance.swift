import CoreData

/// Collects the errors of values that cannot be read. As in the original's functions, these are left out, and the rest of the
/// record is imported.
///
/// Used by one import at a time.
final class ImportTolerance {
    private(set) var errors: [any Error] = []

    func add(_ error: any Error) { errors.append(error) }
}
