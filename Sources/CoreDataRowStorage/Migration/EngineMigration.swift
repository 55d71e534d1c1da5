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

/// A migration that an engine carries out by itself, in the place where the store is.
package protocol EngineMigration {
    /// Migrates a store that is not open, and that others must not be writing.
    ///
    /// - Parameter monitor: is told of the progress, and asked whether to go on.
    /// - Throws: 134111 when rows break a constraint that is new; 134110 for rows of an entity that has become abstract, and for
    ///   values that do not fit the new type of their attribute; the error of a cancellation; the engine's errors. The store is
    ///   then as it was.
    func run(at place: StorePlace, _ monitor: (any MigrationMonitor)?) throws
}

/// Receives the progress of a migration, and may end it. Asked on the thread that migrates.
package protocol MigrationMonitor: AnyObject {
    /// - Parameter progress: from 0 to 1.
    func setProgress(_ progress: Float)
    var isCancelled: Bool { get }
    /// - Throws: the error of a cancellation.
    func checkCancellation() throws
}
