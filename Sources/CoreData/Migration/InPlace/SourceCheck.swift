import CoreDataSQLiteStorage
import Foundation

/// Looks for what stands against an inferred migration in the rows of a store, before anything is written.
struct SourceCheck {
    private let comparison: ModelComparison
    private let conversions: ConversionCheck?
    private let hazards: HazardCheck?
    private let abstractEntities: AbstractEntityCheck?

    /// nil when the models differ in nothing that rows could stand against.
    init?(_ comparison: ModelComparison) {
        conversions = ConversionCheck(comparison)
        hazards = HazardCheck(comparison)
        abstractEntities = AbstractEntityCheck(comparison)
        guard conversions != nil || hazards != nil || abstractEntities != nil else { return nil }
        self.comparison = comparison
    }

    /// Checks a file that is only read: a store that is refused stays byte for byte as it was.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(at url: URL, options: StoreOptions) throws {
        let connection = try SQLiteConnection(path: url.path, access: .readOnly, busyTimeout: options.timeout)
        try run(try InPlaceSession(comparison, connection, path: url.path))
    }

    /// Checks the file as the migration's transaction has it: others may have written since the first check.
    func run(_ session: InPlaceSession) throws {
        try abstractEntities?.run(session)
        try conversions?.run(session)
        try hazards?.run(session)
    }
}
