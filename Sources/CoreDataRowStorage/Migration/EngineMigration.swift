import Foundation

/// A migration between two versions of a model, as an engine that may carry it out is asked for it.
package struct EngineMigrationRequest {
    /// What corresponds in the two versions.
    package let layouts: LayoutCorrespondence
    /// Tells whether a store's metadata is of the source's version.
    package let accepts: ([String: Any]) -> Bool
    /// The version that the store is of afterwards.
    package let destination: any StoredModel
    /// Tells whether the metadata list the source's version as one before it.
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

/// Receives the progress of a migration, and may end it. Asked on the thread that migrates.
package protocol MigrationMonitor: AnyObject {
    /// - Parameter progress: from 0 to 1.
    func setProgress(_ progress: Float)
    var isCancelled: Bool { get }
    /// - Throws: the error of a cancellation.
    func checkCancellation() throws
}
