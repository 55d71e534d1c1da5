import CoreDataRowStorage
import Foundation

/// Checks the rows of a store for objects and values that an inferred migration cannot migrate, before anything is written.
struct SourceCheck {
    private let models: LayoutCorrespondence
    private let conversions: ConversionCheck?
    private let hazards: HazardCheck?
    private let abstractEntities: AbstractEntityCheck?

    /// Creates the check; returns nil if the models do not differ in a way that rows could make invalid.
    init?(_ models: LayoutCorrespondence) {
        conversions = ConversionCheck(models)
        hazards = HazardCheck(models)
        abstractEntities = AbstractEntityCheck(models)
        guard conversions != nil || hazards != nil || abstractEntities != nil else { return nil }
        self.models = models
    }

    /// Checks a file that is only read: if the store is refused, its file stays unchanged, byte for byte.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(on connection: SQLiteConnection) throws {
        try run(try InPlaceSession(models, connection, path: connection.path))
    }

    /// Checks the file inside the migration's transaction: others may have written since the first check.
    func run(_ session: InPlaceSession) throws {
        try abstractEntities?.run(session)
        try conversions?.run(session)
        try hazards?.run(session)
    }
}
