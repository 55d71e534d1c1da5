/// A row of some store: what an object, or its ID, in a predicate or a batch value stands for.
package struct RowIdentity {
    /// The store's UUID.
    package var storeUUID: String
    /// The row's entity, as the model that the object belongs to lays it out.
    package var layout: EntityLayout
    package var key: Int64

    package init(storeUUID: String, layout: EntityLayout, key: Int64) {
        self.storeUUID = storeUUID
        self.layout = layout
        self.key = key
    }
}

/// An object of the graph that stands for a row, whatever its class is.
package protocol RowIdentified {
    /// nil while the object is not saved.
    var rowIdentity: RowIdentity? { get }
}

/// An object of the graph that stands for an entity.
package protocol EntityNamed {
    /// nil while the entity has no name.
    var entityName: String? { get }
}
