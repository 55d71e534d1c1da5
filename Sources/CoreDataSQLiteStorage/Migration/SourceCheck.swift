import CoreDataRowStorage
import Foundation

/// Looks for what stands against an inferred migration in the rows of a store, before anything is written.
struct SourceCheck {
    private let models: LayoutCorrespondence
    private let conversions: ConversionCheck?
    private let hazards: HazardCheck?
    private let abstractEntities: AbstractEntityCheck?

    /// nil when the models differ in nothing that rows could stand against.
    init?(_ models: LayoutCorrespondence) {
        conversions = ConversionCheck(models)
        hazards = HazardCheck(models)
        abstractEntities = AbstractEntityCheck(models)
        guard conversions != nil || hazards != nil || abstractEntities != nil else { return nil }
        self.models = models
    }

    /// Checks a file that is only read: a store that is refused stays byte for byte as it was.
    ///
    /// - Throws: 134110 naming entity, property and objects.
    func run(on connection: SQLiteConnection) throws {
        try run(try InPlaceSession(models, connection, path: connection.path))
    }

    /// Checks the file as the migration's transaction has it: others may have written since the first check.
    func run(_ session: InPlaceSession) throws {
        try abstractEntities?.run(session)
        try conversions?.run(session)
        try hazards?.run(session)
    }
}
