import Foundation

/// A migration between two versions of a model that an engine is asked to perform.
package struct EngineMigrationRequest {
    /// The correspondence of the two versions.
    package let layouts: LayoutCorrespondence
    /// Returns true if a store's metadata are of the source's version.
    package let accepts: ([String: Any]) -> Bool
    /// The version of the store after the migration.
    package let destination: any StoredModel
    /// The direction: whether the metadata list the source's version as a former one.
    package let direction: MigrationDirection

    package init(
        _ layouts: LayoutCorrespondence, from accepts: @escaping ([String: Any]) -> Bool,
        to destination: any StoredModel, _ direction: MigrationDirection
    ) {
        self.layouts = layouts
        self.accepts = accepts
        self.destination = destination
        self.direction = direction
    }
}

/// A receiver of a migration's progress, which may cancel it. Called on the migrating thread.
package protocol MigrationMonitor: AnyObject {
    /// Receives the progress.
    ///
    /// - Parameter progress: from 0 to 1.
    func setProgress(_ progress: Float)
    var isCancelled: Bool { get }
    /// Checks whether the migration is cancelled.
    ///
    /// - Throws: the error of a cancellation.
    func checkCancellation() throws
}
